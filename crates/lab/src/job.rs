//! What a process of the lab goes on with as long as a fault is on.

use serde::{Deserialize, Serialize};

/// `PROGRAM lab worker LAB JOB` gets it as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Job {
    Stutter { daemon: String, stop_ms: u64 },
    NoisyNeighbour { pool: String, in_flight: u32 },
    DeepScrub { pool: String, every_ms: u64 },
    Flapping { osd: u32, every_ms: u64 },
    TwoWriters { pool: String, image: String },
    HoldCaps { folder: String },
    AskForHeld { folder: String, holder: String, seconds: u64 },
    Snapshot { pool: String, image: String, every_ms: u64 },
}
