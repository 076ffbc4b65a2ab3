//! Progress as plain lines, for logs and pipes.

use crate::{numbers, words};
use std::io::{self, Write};
use std::time::Duration;

/// Between two lines about one preparation.
const PAUSE: Duration = Duration::from_secs(2);

pub(super) struct Lines {
    out: Box<dyn Write + Send>,
    /// The preparation that was told last, and when.
    told: Option<(String, Duration)>,
}

impl Lines {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Lines {
        Lines { out, told: None }
    }

    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// The beginning and the end of a preparation, and in between a line now and then.
    pub(super) fn prepare(&mut self, what: &str, share: f64, now: Duration) -> io::Result<()> {
        let soon = matches!(&self.told, Some((known, at)) if known == what && now.saturating_sub(*at) < PAUSE);
        if soon && share < 1.0 {
            return Ok(());
        }
        self.told = Some((what.to_string(), now));
        self.say(&format!("{}: {}\n", words::tame(what), numbers::share(share)))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
