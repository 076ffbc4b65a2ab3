//! What an agent hears from its coordinator: commands as they come, and that the coordinator is silent, whatever the agent is busy with.

use crate::AgentCommand;
use crate::frame::{self, FrameError};
use crate::link::{BEAT, DEAF};
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// How long an agent may take to end. It does not wait for operations that never return: nobody would ever end it.
const LEAVING: Duration = Duration::from_secs(5);

/// While an agent undoes what it changed it may take this long: many files are deleted one by one, and whoever does not answer is waited for.
const UNDOING: Duration = Duration::from_secs(30 * 60);

/// Is the agent undoing what it changed? It is not ended meanwhile.
#[derive(Clone, Default)]
pub struct Undoing(Arc<AtomicBool>);

impl Undoing {
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.store(true, Ordering::SeqCst);
        let done = work();
        self.0.store(false, Ordering::SeqCst);
        done
    }

    /// Ends the process, after that.
    fn leave(&self) -> ! {
        let since = Instant::now();
        while self.0.load(Ordering::SeqCst) && since.elapsed() < UNDOING {
            sleep(BEAT);
        }
        ceph::leave(1)
    }
}

/// When the coordinator was last heard.
#[derive(Clone)]
pub struct LastHeard(Arc<Mutex<Instant>>);

impl LastHeard {
    pub fn now() -> LastHeard {
        LastHeard(Arc::new(Mutex::new(Instant::now())))
    }

    fn again(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub fn silence(&self) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}

/// Reads commands until there are no more. It never waits for the agent's work: an agent that opens an image of a cluster that does not
/// answer follows no command, but the end of the connection must still be seen.
pub fn listen(mut input: impl Read, heard: &LastHeard, orders: &SyncSender<Result<AgentCommand, FrameError>>) {
    loop {
        let order = frame::read(&mut input);
        heard.again();
        let last = order.is_err();
        let told = matches!(order, Ok(AgentCommand::Beat)) || orders.try_send(order).is_ok();
        if last || !told {
            return;
        }
    }
}

/// Ends the process once it has had the time to end in order.
pub fn leave_soon(undoing: Undoing) {
    spawn(move || {
        sleep(LEAVING);
        undoing.leave()
    });
}

/// Ends the process if the coordinator is silent and the process does not end by itself.
pub fn leave_when_deaf(heard: LastHeard, undoing: Undoing) {
    spawn(move || {
        while heard.silence() < DEAF + LEAVING {
            sleep(BEAT);
        }
        undoing.leave()
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn the_end_of_the_line_is_seen_while_no_order_is_followed() {
        let mut line = Vec::new();
        for order in [AgentCommand::Describe, AgentCommand::Beat, AgentCommand::Hush, AgentCommand::Leave] {
            frame::write(&mut line, &order).unwrap();
        }
        let (tell, orders) = sync_channel(8);
        // Nobody takes what is told until it returns.
        listen(line.as_slice(), &LastHeard::now(), &tell);
        let told: Vec<_> = orders.try_iter().collect();
        assert!(
            matches!(&told[..], [Ok(AgentCommand::Describe), Ok(AgentCommand::Hush), Ok(AgentCommand::Leave), Err(_)]),
            "{told:?}"
        );
    }
}
