//! Standard output: the result alone, and a clear error where it can't be written. Standard error: what can be told.

use model::Failure;
use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// A text that holds names from elsewhere and no colours: they can't command the terminal.
pub fn say_plain(text: &str) -> Result<(), Failure> {
    say(&report::tame_lines(text))
}

pub fn say(text: &str) -> Result<(), Failure> {
    written(ceph::results().write_all(report::printable(text).as_bytes()))
}

/// What came of writing to standard output, once it is flushed. A reader that has seen enough and left (`| head`) is no error.
pub fn written(done: std::io::Result<()>) -> Result<(), Failure> {
    match done.and_then(|()| ceph::results().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("standard output can't be written: {error}; send it to where there is room")))
        }
        _ => Ok(()),
    }
}

/// A line on standard error, in which a name from the cluster or from another host can't command the terminal. If that is full or
/// closed, the line is lost: no reason to end.
pub fn remark(told: Arguments) {
    let _ = writeln!(std::io::stderr(), "{}", report::tame_lines(&told.to_string()));
}
