//! Standard output: the result alone, and a clear error where it can't be written.

use crate::failure::Failure;
use std::io::{ErrorKind, Write};

/// A reader that has seen enough and left (`| head`) is no error.
pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("standard output can't be written: {error}; send it to where there is room")))
        }
        _ => Ok(()),
    }
}
