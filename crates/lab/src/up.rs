//! Starting a lab: this process starts the supervisor and listens until it says that the lab is ready.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::spec::Spec;
use crate::wire::{KEEP, Told, receive};
use crate::{leftovers, registry};
use std::io::{BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;

/// Starts a lab and waits until all its placement groups are active and clean. `progress` is told what goes on, in short lines.
///
/// If this process ends before the lab is ready, however that happens, the lab is taken down.
///
/// # Errors
/// Wrong numbers or names, what is missing on this host (packages, rights, memory, disk, ports), a daemon that dies. Nothing is left
/// then.
pub fn up(spec: &Spec, progress: &mut dyn FnMut(&str)) -> Result<LabCluster, LabError> {
    let dirs = Dirs::of(&spec.name)?;
    let mut supervisor = start_supervisor(spec)?;
    let result = listen(&mut supervisor, &dirs, progress);
    if result.is_ok() {
        // The supervisor may outlive this process; if it ends before, it must not stay as a zombie.
        thread::spawn(move || supervisor.wait());
    } else {
        // It has said why, and ends.
        let _ = supervisor.wait();
    }
    result
}

fn start_supervisor(spec: &Spec) -> Result<Child, LabError> {
    let text = serde_json::to_string(spec).map_err(|error| LabError::Usage(error.to_string()))?;
    let mut command = Command::new(&spec.program);
    command
        .arg0("fathom")
        .args(["lab", "supervisor", &text])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().map_err(LabError::io("cannot start the supervisor", &spec.program))
}

fn listen(supervisor: &mut Child, dirs: &Dirs, progress: &mut dyn FnMut(&str)) -> Result<LabCluster, LabError> {
    let (Some(mut to), Some(from)) = (supervisor.stdin.take(), supervisor.stdout.take()) else {
        unreachable!("both are pipes, as asked for")
    };
    let mut from = BufReader::new(from);
    loop {
        match receive(&mut from) {
            Ok(Some(Told::Progress(text))) => progress(&text),
            Ok(Some(Told::Failed { text, exit_code })) => return Err(LabError::Told { text, exit_code }),
            Ok(Some(Told::Ready(lab))) => {
                if writeln!(to, "{KEEP}").is_ok() {
                    return Ok(*lab);
                }
            }
            Ok(None) | Err(_) => return Err(lost(supervisor, dirs)),
        }
    }
}

/// The supervisor was killed, or told to take the lab down by somebody else.
fn lost(supervisor: &mut Child, dirs: &Dirs) -> LabError {
    let _ = supervisor.kill().and_then(|()| supervisor.wait());
    let _alone = dirs.dir.parent().map(registry::alone);
    if !registry::alive(dirs) {
        let _ = leftovers::clear(dirs);
    }
    LabError::SupervisorLost
}
