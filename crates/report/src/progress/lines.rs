//! Progress as plain lines, for logs and pipes.

use crate::{numbers, words};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

/// Between two lines about one preparation.
const PAUSE: Duration = Duration::from_secs(2);

pub(super) struct Lines {
    out: Box<dyn Write + Send>,
    /// What was told last of each preparation: when, and which share was done.
    told: BTreeMap<String, (Duration, f64)>,
}

impl Lines {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Lines {
        Lines { out, told: BTreeMap::new() }
    }

    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// The beginning and the end of a preparation, and in between a line now and then.
    pub(super) fn prepare(&mut self, what: &str, share: f64, now: Duration) -> io::Result<()> {
        let known = self.told.get(what);
        let ends = share >= 1.0 && known.is_none_or(|(_, before)| *before < 1.0);
        if known.is_some_and(|(at, _)| now.saturating_sub(*at) < PAUSE) && !ends {
            return Ok(());
        }
        self.told.insert(what.to_string(), (now, share));
        self.say(&format!("{}: {}\n", words::tame(what), numbers::share(share)))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
