//! What can go wrong between this program and an NFS server.

use nfs::v4::Status;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum NfsError {
    /// The server refused it.
    #[error("{what}: {}", in_words(*.status))]
    Refused { what: &'static str, status: Status },
    /// It did not get there, or nothing came back.
    #[error("{what}: {}", at_server(.error))]
    Connection { what: &'static str, error: io::Error },
    /// What came back is no answer to what was asked.
    #[error("{what}: the server's answer makes no sense: {why}")]
    Answer { what: &'static str, why: String },
}

/// A socket's time limit is told as "resource temporarily unavailable".
fn at_server(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "the server does not answer".to_string(),
        io::ErrorKind::UnexpectedEof => "the server closed the connection".to_string(),
        _ => error.to_string(),
    }
}

fn in_words(status: Status) -> String {
    match errno(status) {
        Some(errno) => io::Error::from_raw_os_error(errno).to_string(),
        None => format!("the server answers {status:?} ({})", status.as_u32()),
    }
}

/// Numbers below 10,000 were those of Unix when the protocol was made (RFC 8881, 15.1), which some systems have changed since.
fn errno(status: Status) -> Option<i32> {
    match status {
        Status::NameTooLong => Some(libc_numbers::ENAMETOOLONG),
        Status::NotEmpty => Some(libc_numbers::ENOTEMPTY),
        Status::Dquot => Some(libc_numbers::EDQUOT),
        Status::Stale | Status::FhExpired => Some(libc_numbers::ESTALE),
        // What a link is where none is followed.
        Status::Symlink => Some(libc_numbers::ELOOP),
        Status::NotSupported => Some(libc_numbers::EOPNOTSUPP),
        status => i32::try_from(status.as_u32()).ok().filter(|code| (1..=34).contains(code)),
    }
}

mod libc_numbers {
    pub use nix::libc::{EDQUOT, ELOOP, ENAMETOOLONG, ENOTEMPTY, EOPNOTSUPP, ESTALE};
}

impl NfsError {
    /// The operating system's number for it; EIO where it has none.
    pub fn errno(&self) -> i32 {
        let none = nix::libc::EIO;
        match self {
            NfsError::Refused { status, .. } => errno(*status).unwrap_or(none),
            NfsError::Connection { error, .. } => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => nix::libc::ETIMEDOUT,
                io::ErrorKind::UnexpectedEof => nix::libc::ECONNRESET,
                _ => error.raw_os_error().unwrap_or(none),
            },
            NfsError::Answer { .. } => nix::libc::EBADMSG,
        }
    }

    /// Is the version of NFS none that the server speaks?
    pub fn is_of_version(&self) -> bool {
        matches!(self, NfsError::Refused { status: Status::MinorVersionMismatch, .. })
    }

    /// Is it about who asks, and not about what is asked for?
    pub fn is_not_permitted(&self) -> bool {
        matches!(self, NfsError::Refused { status: Status::Perm | Status::Access | Status::WrongSec, .. })
    }
}
