//! Standard output for results alone: the client libraries write remarks of their own to it (`server name not found`).

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;

/// What was standard output, once it is kept for results.
static KEPT: OnceLock<File> = OnceLock::new();

/// From now on only [`results`] go where standard output went; all else that is written there goes to standard error. To be called
/// before a library is opened.
///
/// # Errors
/// The process has no file descriptor left.
pub fn keep_results_apart() -> io::Result<()> {
    io::stdout().flush()?;
    let kept = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    if KEPT.set(kept).is_ok() {
        // SAFETY: takes two numbers; both are open, since a program starts with none of the first three closed.
        let code = unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) };
        if code < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Where results are written.
#[derive(Debug)]
pub struct Results(());

pub fn results() -> Results {
    Results(())
}

impl Results {
    pub fn is_terminal(&self) -> bool {
        KEPT.get().map_or_else(|| io::stdout().is_terminal(), File::is_terminal)
    }
}

impl AsFd for Results {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        match KEPT.get() {
            Some(kept) => kept.as_fd(),
            // SAFETY: standard output stays open for the process's life.
            None => unsafe { std::os::fd::BorrowedFd::borrow_raw(libc::STDOUT_FILENO) },
        }
    }
}

impl Write for Results {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match KEPT.get() {
            Some(mut kept) => kept.write(bytes),
            None => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match KEPT.get() {
            Some(mut kept) => kept.flush(),
            None => io::stdout().flush(),
        }
    }
}
