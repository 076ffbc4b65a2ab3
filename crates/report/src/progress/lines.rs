//! Progress as plain lines, for logs and pipes.

use crate::{numbers, words};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Duration;

/// Between two lines about preparations.
const PAUSE: Duration = Duration::from_secs(2);

pub(super) struct Lines {
    out: Box<dyn Write + Send>,
    /// When a line about a preparation was written last.
    last: Option<Duration>,
    /// Preparations of which there is a line, and none that they are done.
    begun: BTreeSet<String>,
}

impl Lines {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Lines {
        Lines { out, last: None, begun: BTreeSet::new() }
    }

    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// A line now and then, and the end of what had one: many short preparations do not fill the log.
    pub(super) fn prepare(&mut self, what: &str, share: f64, now: Duration) -> io::Result<()> {
        let due = self.last.is_none_or(|last| now.saturating_sub(last) >= PAUSE);
        let ends = share >= 1.0 && self.begun.contains(what);
        if !due && !ends {
            return Ok(());
        }
        match share >= 1.0 {
            true => drop(self.begun.remove(what)),
            false => drop(self.begun.insert(what.to_string())),
        }
        self.last = Some(now);
        self.say(&format!("{}: {}\n", words::tame(what), numbers::share(share)))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
