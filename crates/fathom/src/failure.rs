//! How a command can fail, and the exit code that says so.

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

/// Data that was read back is not what was written.
pub const FLAWED: u8 = 1;
/// Done, but figures are unsettled, implausible or missing, or verdicts open.
pub const INCOMPLETE: u8 = 4;
/// A figure is worse than it may be.
pub const REGRESSION: u8 = 5;

impl From<cluster::ClusterError> for Failure {
    fn from(error: cluster::ClusterError) -> Failure {
        match error {
            cluster::ClusterError::Ceph(error) => error.into(),
            _ if error.for_safety() => Failure::Refused(error.to_string()),
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<ceph::CephError> for Failure {
    fn from(error: ceph::CephError) -> Failure {
        use ceph::CephError::{BadConf, BadName, BadOption, NoConf, NoKey};
        match error {
            NoConf { .. } | BadConf { .. } | BadOption { .. } | NoKey { .. } | BadName { .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<archive::ArchiveError> for Failure {
    fn from(error: archive::ArchiveError) -> Failure {
        use archive::ArchiveError::{
            Ambiguous, Directory, Empty, Missing, NotAFile, NotAnArchive, NothingMeasured, UnknownRun,
        };
        match error {
            // Another file, or another run, has to be named.
            Missing { .. } | Directory { .. } | NotAFile { .. } | NotAnArchive { .. } => {
                Failure::Usage(error.to_string())
            }
            Empty { .. } | NothingMeasured { .. } | UnknownRun { .. } | Ambiguous { .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<cluster::devices::Refusal> for Failure {
    fn from(refusal: cluster::devices::Refusal) -> Failure {
        match refusal {
            cluster::devices::Refusal::Holds { .. } => Failure::Refused(refusal.to_string()),
            cluster::devices::Refusal::Unusable { .. } => Failure::Usage(refusal.to_string()),
        }
    }
}

impl From<model::NotFree> for Failure {
    fn from(not: model::NotFree) -> Failure {
        if not.holds { Failure::Refused(not.says) } else { Failure::Usage(not.says) }
    }
}

impl From<engines::EngineError> for Failure {
    fn from(error: engines::EngineError) -> Failure {
        match error {
            engines::EngineError::Refused(text) => Failure::Usage(text),
            engines::EngineError::Broken(text) => Failure::Failed(text),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Failed(error.to_string())
    }
}
