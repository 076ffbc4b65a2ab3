//! The process that holds a lab: parent of all its daemons, and the one that takes it down.
//!
//! It is this program again, started by `up` and detached from it. A pipe ties the two until the lab is ready: if `up` ends
//! before, however that happens, the lab is taken down. If the supervisor itself is killed, the kernel kills the daemons.

use crate::build;
use crate::commands;
use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::{LabCluster, State};
use crate::leftovers;
use crate::preflight::Programs;
use crate::process_group::{self, ProcessGroup};
use crate::registry;
use crate::services;
use crate::spec::Spec;
use crate::wire::{KEEP, Told, send};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs;
use std::io::{self, BufRead};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

pub(crate) struct Supervisor {
    pub dirs: Dirs,
    pub spec: Spec,
    pub programs: Programs,
    pub process_group: ProcessGroup,
    /// Set once the lab's parts are known.
    pub lab: OnceLock<LabCluster>,
    /// Held by the one that takes the lab down.
    ending: Mutex<()>,
    /// The lock of the lab, held as long as this process lives.
    lock: registry::Lock,
}

/// What `PROGRAM lab supervisor SPEC` does. The spec is JSON, as `up` writes it.
///
/// Returns the exit code.
pub fn supervisor(spec: &str) -> u8 {
    detach();
    let begun = serde_json::from_str(spec).map_err(|error| LabError::Usage(format!("not a spec: {error}")));
    match begun.and_then(begin) {
        Ok(supervisor) => hold(&supervisor),
        Err(error) => {
            fail(&error);
            error.exit_code()
        }
    }
}

/// Away from the terminal, the directory and the open files of whoever called `up`.
#[allow(unsafe_code)]
fn detach() {
    // Fails only for the leader of a process group, which is then the user's own experiment.
    let _ = nix::unistd::setsid();
    let _ = nix::unistd::chdir(Path::new("/"));
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<libc::c_int> = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for file in open.into_iter().filter(|file| *file > libc::STDERR_FILENO) {
        // close_range would be one call, of glibc 2.34 and Linux 5.9.
        // SAFETY: this is the first thing that the program does here; none of its own files is open above standard error.
        unsafe { libc::close(file) };
    }
}

/// Tells `up`, if it is still there.
fn tell(message: &Told) {
    let _ = send(&mut io::stdout().lock(), message);
}

pub(crate) fn progress(text: impl Into<String>) {
    tell(&Told::Progress(text.into()));
}

fn fail(error: &LabError) {
    tell(&Told::Failed { text: error.to_string(), exit_code: error.exit_code() });
}

/// Takes the lab's name, or says why it can't be had.
fn begin(spec: Spec) -> Result<Arc<Supervisor>, LabError> {
    let spec = Spec { with: services::complete(&spec.with), ..spec };
    let dirs = Dirs::of(&spec.name)?;
    let programs = crate::preflight::check(&spec, &dirs)?;
    let lock = registry::take(&dirs, |place| crate::preflight::check_space(&spec, place))?;
    Ok(Arc::new(Supervisor {
        process_group: ProcessGroup::new(dirs.clone()),
        dirs,
        spec,
        programs,
        lab: OnceLock::new(),
        ending: Mutex::new(()),
        lock,
    }))
}

fn hold(supervisor: &Arc<Supervisor>) -> ! {
    let ready = guard(supervisor).and_then(|()| build::build(supervisor)).and_then(|lab| say_ready(supervisor, lab));
    if let Err(error) = ready {
        let error = build::explain(supervisor, error);
        end(supervisor, || fail(&error));
    }
    loop {
        // Children are not waited for here but by the process group, which holds their handles.
        match waitid(Id::All, WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
            Ok(_) => while supervisor.process_group.any_ended().is_some() {},
            Err(_) => thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Starts the threads that listen: to the pipe from `up`, to commands, to signals.
fn guard(supervisor: &Arc<Supervisor>) -> Result<(), LabError> {
    let path = supervisor.dirs.control();
    let listener = UnixListener::bind(&path).map_err(LabError::io("cannot listen on", &path))?;
    let signals = Signals::new([SIGTERM, SIGINT, SIGHUP]);
    let mut signals = signals.map_err(LabError::io("cannot wait for signals as", Path::new("supervisor")))?;
    let (piped, ordered, signalled) = (supervisor.clone(), supervisor.clone(), supervisor.clone());
    thread::spawn(move || watch_pipe(&piped));
    thread::spawn(move || commands::listen(&ordered, &listener));
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            end(&signalled, || ());
        }
    });
    Ok(())
}

fn watch_pipe(supervisor: &Supervisor) {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    if read.is_err() || line.trim_end() != KEEP {
        end(supervisor, || ());
    }
}

fn say_ready(supervisor: &Supervisor, lab: LabCluster) -> Result<(), LabError> {
    let lab = LabCluster { state: State::Ready, daemons: process_group::daemons(&supervisor.dirs), ..lab };
    lab.save(&supervisor.dirs)?;
    tell(&Told::Ready(Box::new(lab)));
    Ok(())
}

/// Takes the lab down and ends this process. `last` runs when nothing is left.
pub(crate) fn end(supervisor: &Supervisor, last: impl FnOnce()) -> ! {
    let _ending = supervisor.ending.lock().unwrap_or_else(PoisonError::into_inner);
    supervisor.process_group.close(|| leftovers::kill_marked_once(&supervisor.dirs));
    let cleared = registry::clear_own(&supervisor.dirs, &supervisor.lock);
    if let Err(error) = &cleared {
        let log = supervisor.dirs.log("supervisor");
        let _ = fs::write(&log, format!("{error}\n"));
    }
    last();
    leave(i32::from(cleared.is_err()))
}

/// Ends this process at once: other threads may be inside Ceph's library, which does not bear to be unloaded then.
#[allow(unsafe_code)]
fn leave(code: i32) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(code) }
}
