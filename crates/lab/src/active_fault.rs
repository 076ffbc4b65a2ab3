//! A fault of a lab that is on, as status and commands show it.

use serde::{Deserialize, Serialize};

/// A fault that is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveFault {
    pub name: String,
    /// Empty: it has none.
    pub target: String,
    /// With its unit; empty: it has none.
    pub value: String,
    /// `false`: its making or undoing was interrupted; `off` undoes what there is of it.
    pub complete: bool,
    /// Of its processes in the lab, those that have ended although it is on.
    #[serde(default)]
    pub ended: Vec<String>,
    /// What it has made, to be measured: a pool, an image.
    #[serde(default)]
    pub made: Vec<String>,
}
