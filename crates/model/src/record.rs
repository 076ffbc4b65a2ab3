//! Everything that is known of a run: what the archive keeps, and all that an explanation may use.

use crate::change::Undo;
use crate::plan::Plan;
use crate::sample::Slice;
use crate::scope::Scope;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunHead {
    /// Sortable and unique: `20261121-093012-ab3f`.
    pub run: String,
    /// RFC 3339, UTC.
    pub started: String,
    /// Fathom's version.
    pub version: String,
    /// The command line, without secrets.
    pub command: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub head: RunHead,
    pub scope: Scope,
    pub plan: Plan,
    pub slices: Vec<Slice>,
    pub changes: Vec<Undo>,
    pub errors: Vec<String>,
    /// Seconds since the start when the last thing was recorded.
    pub seconds: f64,
    pub finished: bool,
}
