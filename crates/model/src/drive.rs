//! What a drive is: as its host's kernel uses it, and what it says of its own health.

use crate::drive_health::DriveHealth;
use crate::facts::BlockQueue;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriveAbout {
    pub queue: BlockQueue,
    /// Or why it is not known.
    pub health: Result<DriveHealth, String>,
}
