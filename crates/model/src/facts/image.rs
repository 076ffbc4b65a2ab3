//! What an image is to its parent, its snapshots and other clients.

use crate::workload::Bytes;
use serde::{Deserialize, Serialize};

/// Of an image that is measured and not the run's own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImageFacts {
    pub pool: String,
    pub name: String,
    /// Bytes that still come from the parent of which it is a clone; 0: it has none.
    pub overlap: Option<Bytes>,
    pub snapshots: Option<u32>,
    /// How long ago the newest snapshot was taken, seconds; `None`: there is none, or it is not known.
    pub newest_snapshot_seconds: Option<f64>,
    /// Clients that have it open for writing.
    pub writers: Option<u32>,
}
