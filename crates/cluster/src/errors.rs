//! What can go wrong while a cluster is looked at or changed; each text names the thing, the place and the mend.

use ceph::CephError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(transparent)]
    Ceph(#[from] CephError),
    #[error("{command}: the answer is not what this release of Fathom knows ({what})")]
    Answer { command: String, what: String },
    #[error("{0}")]
    NotPermitted(String),
    #[error("{} can't be read: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("journal {path}: {what}")]
    Journal { path: PathBuf, what: String },
    #[error("{what} could not be made: {why}")]
    Make { what: String, why: String },
    #[error("{what} could not be undone: {why}")]
    Undo { what: String, why: String },
    #[error("{what} did not happen within {seconds} s; see `ceph health detail`")]
    TooSlow { what: String, seconds: u64 },
}

impl ClusterError {
    /// Did the cluster understand, and say no? Then it will the next time as well.
    pub fn refused(&self) -> bool {
        match self {
            ClusterError::Make { .. } => true,
            ClusterError::Ceph(CephError::Refused { .. } | CephError::NotFound { .. }) => true,
            ClusterError::Ceph(CephError::Errno { errno, .. }) => *errno == libc::EINVAL,
            _ => false,
        }
    }

    pub fn answer(command: &str, what: impl Into<String>) -> ClusterError {
        ClusterError::Answer { command: command.to_string(), what: what.into() }
    }
}
