//! What a fault changes: each knows how it is made, and how it is undone, also when it was never made or is undone already.

mod cgroup;

use super::access::LabAccess;
use crate::errors::LabError;
pub(super) use cgroup::Cgroup;
use serde::{Deserialize, Serialize};

/// As it stands in the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Change {
    Cgroup(Cgroup),
}

impl Change {
    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        match self {
            Change::Cgroup(change) => change.make(access),
        }
    }

    /// `others`: what is still to stay of other faults.
    pub fn undo(&self, access: &LabAccess, others: &[Change]) -> Result<(), LabError> {
        match self {
            Change::Cgroup(change) => change.undo(access, others),
        }
    }

    /// What only one fault at a time can set.
    pub fn resources(&self) -> Vec<String> {
        match self {
            Change::Cgroup(change) => vec![change.resource()],
        }
    }

    /// The name of the process that it starts in the lab.
    pub fn process(&self) -> Option<String> {
        match self {
            Change::Cgroup(_) => None,
        }
    }

    /// What it makes, for a user to measure.
    pub fn made(&self) -> Option<String> {
        match self {
            Change::Cgroup(_) => None,
        }
    }
}
