//! A line on standard error about a thing that takes long, so that nobody takes waiting for hanging.

use crate::output::remark;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Nothing is said of what takes less.
const LONG: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_secs(30);

/// Tells of the newest thing that was begun; it ends when this is dropped.
pub struct StillAt {
    /// `None`: nobody is to be told.
    begun: Option<Sender<String>>,
}

impl StillAt {
    pub fn new(quiet: bool) -> StillAt {
        let (begun, things) = channel();
        let told = || std::thread::Builder::new().name("fathom-still-at".into()).spawn(move || tell(&things)).is_ok();
        StillAt { begun: (!quiet && told()).then_some(begun) }
    }

    pub fn begins(&self, what: String) {
        // An error: the thread is gone, and with it only these lines.
        let _told = self.begun.as_ref().map(|begun| begun.send(what));
    }
}

fn tell(things: &Receiver<String>) {
    let mut next = things.recv().ok();
    while let Some(what) = next {
        let (since, mut wait) = (Instant::now(), LONG);
        next = loop {
            match things.recv_timeout(wait) {
                Ok(other) => break Some(other),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) => {
                    remark(format_args!("{what}: {} s so far", since.elapsed().as_secs()))
                }
            }
            wait = AGAIN;
        };
    }
}
