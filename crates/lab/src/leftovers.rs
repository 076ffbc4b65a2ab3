//! Removing all of a lab, from whatever state a crash left it in: everything is found by its name.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::process_group::MARK;
use crate::{cgroups, loopdev, net};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long a killed process may take to go.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Removes processes, control groups, loop devices, namespaces, links and files, in this order. Returns when nothing is left. The supervisor of the
/// lab must be this process, or gone.
pub(crate) fn clear(dirs: &Dirs) -> Result<(), LabError> {
    kill_marked(dirs)?;
    cgroups::remove_all(dirs)?;
    loopdev::detach_all(dirs)?;
    net::remove(dirs)?;
    remove_tree(&dirs.memory)?;
    remove_tree(&dirs.dir)
}

/// Kills the processes that carry the lab's mark in their environment.
fn kill_marked(dirs: &Dirs) -> Result<(), LabError> {
    let until = Instant::now() + TIMEOUT;
    loop {
        let pids = marked(dirs);
        if pids.is_empty() {
            return Ok(());
        }
        if Instant::now() > until {
            return Err(LabError::TooSlow {
                what: "the end of the lab's processes",
                seconds: TIMEOUT.as_secs(),
                seen: format!("{pids:?}"),
            });
        }
        kill_marked_once(dirs);
        thread::sleep(Duration::from_millis(5));
    }
}

/// Those that there are at this moment; they may take some time to go.
pub(crate) fn kill_marked_once(dirs: &Dirs) {
    for pid in marked(dirs) {
        let _ = kill(pid, Signal::SIGKILL);
    }
}

pub(crate) fn marked(dirs: &Dirs) -> Vec<Pid> {
    let mut mark = format!("{MARK}=").into_bytes();
    mark.extend(dirs.dir.as_os_str().as_bytes());
    let carries = |path: &Path| {
        fs::read(path.join("environ")).is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == mark))
    };
    let pid = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        carries(&entry.path()).then(|| Pid::from_raw(pid))
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(pid).collect()
}

/// A tree that somebody writes to while it is removed takes more than one try.
fn remove_tree(path: &Path) -> Result<(), LabError> {
    let until = Instant::now() + TIMEOUT;
    loop {
        match fs::remove_dir_all(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => return Ok(()),
            Err(error) if Instant::now() > until => return Err(LabError::io("cannot remove", path)(error)),
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn only_processes_with_the_mark_of_this_lab_are_killed() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let (mine, other) = (Dirs::in_labs(place.path(), "x"), Dirs::in_labs(place.path(), "x2"));
        let sleep = |dirs: &Dirs| Command::new("sleep").arg("60").env(MARK, &dirs.dir).spawn();
        let failed = |why| LabError::io("cannot start", Path::new("sleep"))(why);
        let (mut one, mut two) = (sleep(&mine).map_err(failed)?, sleep(&other).map_err(failed)?);
        // A process that was just started has its environment a moment later than its number.
        while marked(&mine).is_empty() || marked(&other).is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
        let cleared = clear(&mine);
        let left = marked(&other);
        let _ = two.kill().and_then(|()| two.wait());
        cleared?;
        assert!(one.wait().is_ok_and(|status| !status.success()));
        assert_eq!(left, [Pid::from_raw(two.id() as i32)]);
        Ok(())
    }
}
