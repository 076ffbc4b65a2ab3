//! Taking a lab down, and sending commands to its daemons.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::leftovers;
use crate::registry;
use crate::wire::{Act, Answer, SupervisorCommand, receive, send};
use procfs::process::Process;
use std::io::BufReader;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

/// Many large files take minutes to be removed; a supervisor that is stopped takes longer than any.
const TAKEN_DOWN_WITHIN: Duration = Duration::from_secs(300);

/// Takes a lab down, in whatever state it is. Returns when nothing of it is left.
///
/// # Errors
/// There is none of that name; something can't be removed.
pub fn down(name: &str) -> Result<(), LabError> {
    let dirs = Dirs::of(name)?;
    if !dirs.dir.exists() {
        return Err(LabError::NoSuchLab { name: name.to_owned() });
    }
    let pid = registry::supervisor_pid(&dirs);
    // A supervisor that doesn't answer has just ended, or is stuck.
    let _ = order_within(&dirs, &SupervisorCommand::Down, Some(TAKEN_DOWN_WITHIN));
    wait_for_end(&dirs, pid);
    let stuck = || match registry::alive(&dirs) {
        true => Err(LabError::SupervisorStuck { name: name.to_owned(), pid: pid.unwrap_or_default() }),
        false => Ok(()),
    };
    // Before the lock, too: one that is stuck may hold it.
    stuck()?;
    let _alone = registry::alone(registry::place(&dirs))?;
    stuck()?;
    leftovers::clear(&dirs)
}

/// Does something to one daemon of a lab (`mon.a`, `mgr.x`, `osd.0`).
///
/// # Errors
/// No such lab or daemon; it runs already, or doesn't.
pub fn daemon(name: &str, daemon: &str, act: Act) -> Result<(), LabError> {
    let dirs = Dirs::of(name)?;
    if !dirs.dir.exists() {
        return Err(LabError::NoSuchLab { name: name.to_owned() });
    }
    match order(&dirs, &SupervisorCommand::Daemon { name: daemon.to_owned(), act })? {
        Answer::Done => Ok(()),
        Answer::Failed { text, exit_code } => Err(LabError::Told { text, exit_code }),
    }
}

/// Gives the supervisor an order and waits until it is done.
pub(crate) fn order(dirs: &Dirs, order: &SupervisorCommand) -> Result<Answer, LabError> {
    order_within(dirs, order, None)
}

/// The same, but for the answer is waited no longer than this.
fn order_within(dirs: &Dirs, order: &SupervisorCommand, within: Option<Duration>) -> Result<Answer, LabError> {
    let path = dirs.control();
    let mut stream = UnixStream::connect(&path).map_err(LabError::io("cannot reach the lab's supervisor at", &path))?;
    stream.set_read_timeout(within).map_err(LabError::io("cannot reach the lab's supervisor at", &path))?;
    send(&mut stream, order).map_err(LabError::io("cannot reach the lab's supervisor at", &path))?;
    let answer =
        receive(&mut BufReader::new(stream)).map_err(LabError::io("cannot reach the lab's supervisor at", &path))?;
    answer.ok_or(LabError::SupervisorLost)
}

/// Waits until the process is gone; a zombie is gone, too.
fn wait_for_end(dirs: &Dirs, pid: Option<i32>) {
    let Some(pid) = pid else { return };
    let stat = || Process::new(pid).and_then(|process| process.stat());
    let gone = || stat().map_or(true, |stat| stat.state == 'Z');
    let until = Instant::now() + Duration::from_secs(10);
    while (dirs.dir.exists() && registry::alive(dirs) || !dirs.dir.exists() && !gone()) && Instant::now() < until {
        thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    #[test]
    fn a_supervisor_that_never_answers_is_not_waited_for_for_ever() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let dirs = Dirs::in_labs(place.path(), "x");
        fs::create_dir_all(dirs.run()).map_err(LabError::io("cannot make", &dirs.run()))?;
        // One that is stopped takes connections: the kernel does that.
        let _stopped = UnixListener::bind(dirs.control()).map_err(LabError::io("cannot listen on", &dirs.control()))?;
        let answer = order_within(&dirs, &SupervisorCommand::Down, Some(Duration::from_millis(20)));
        assert!(matches!(answer, Err(LabError::Io { .. })));
        Ok(())
    }
}
