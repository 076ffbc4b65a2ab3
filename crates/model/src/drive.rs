//! What a drive is: as its host's kernel uses it, and what it says of its own health.

use crate::drive_health::DriveHealth;
use crate::facts::BlockQueue;
use serde::{Deserialize, Serialize};

/// How hot drives were, looked at between loads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Temperatures {
    /// From the run's start, and how long it took to ask.
    pub seconds: f64,
    pub took_seconds: f64,
    /// °C, by the target's name.
    pub drives: Vec<(String, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriveAbout {
    pub queue: BlockQueue,
    /// Or why it is not known.
    pub health: Result<DriveHealth, String>,
}
