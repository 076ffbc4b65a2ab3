//! What an agent hears from its coordinator: commands as they come, and that the coordinator is silent, whatever the agent is busy with.

use crate::AgentCommand;
use crate::frame::{self, FrameError};
use crate::link::{BEAT, DEAF};
use std::io::Read;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// How long an agent may take to end. It does not wait for operations that never return: nobody would ever end it.
const LEAVING: Duration = Duration::from_secs(5);

/// While an agent undoes what it changed it may take this long: many files are deleted one by one, and whoever does not answer is waited for.
const UNDOING: Duration = Duration::from_secs(30 * 60);

/// Is the agent undoing what it changed, or waiting for its load to end before that? It is not ended meanwhile.
#[derive(Clone, Default)]
pub struct Undoing(Arc<Mutex<Works>>);

#[derive(Default)]
struct Works {
    /// How many go on, one within the other.
    count: u32,
    /// When the last one ended.
    ended: Option<Instant>,
}

/// One of them, until it is dropped: also by a panic.
struct Work<'a>(&'a Undoing);

impl Undoing {
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        self.works().count += 1;
        let _one = Work(self);
        work()
    }

    fn works(&self) -> MutexGuard<'_, Works> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Between two works as well: an agent that has undone one change may find only then that the connection is gone, and undo the others.
    pub fn goes_on(&self, now: Instant) -> bool {
        let works = self.works();
        works.count > 0 || works.ended.is_some_and(|ended| now.saturating_duration_since(ended) < LEAVING)
    }

    /// Ends the process, after that.
    fn leave(&self) -> ! {
        let since = Instant::now();
        while self.goes_on(Instant::now()) && since.elapsed() < UNDOING {
            sleep(BEAT);
        }
        ceph::leave(1)
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        let mut works = self.0.works();
        works.count = works.count.saturating_sub(1);
        works.ended = Some(Instant::now());
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

    #[test]
    fn an_agent_is_not_ended_within_a_work_nor_right_after_it() {
        let undoing = Undoing::default();
        assert!(!undoing.goes_on(Instant::now()));
        undoing.during(|| {
            undoing.during(|| ());
            assert!(undoing.goes_on(Instant::now() + UNDOING), "the outer one goes on");
        });
        let now = Instant::now();
        assert!(undoing.goes_on(now) && !undoing.goes_on(now + LEAVING));
    }
}
