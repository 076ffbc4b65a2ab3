//! How something that was asked for can fail: the user, the world, or our own caution is to blame.

use crate::NotFree;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{0}")]
    Failed(String),
    /// Wrong usage or input.
    #[error("{0}")]
    Usage(String),
    /// Refused for safety.
    #[error("{0}")]
    Refused(String),
    /// The document on standard output has told it already.
    #[error("{0}")]
    Told(String),
}

impl Failure {
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Failed(_) | Failure::Told(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Refused(_) => 3,
        }
    }

    pub fn told(&self) -> bool {
        matches!(self, Failure::Told(_))
    }
}

impl From<NotFree> for Failure {
    fn from(not: NotFree) -> Failure {
        if not.holds { Failure::Refused(not.says) } else { Failure::Usage(not.says) }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Failed(error.to_string())
    }
}
