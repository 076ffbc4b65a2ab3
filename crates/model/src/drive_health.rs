//! What a drive says of its own health.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// By SMART, or the health log of NVMe. `None`: the drive does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DriveHealth {
    pub serial: Option<String>,
    pub firmware: Option<String>,
    /// In full: of an ATA drive the kernel keeps its first 16 characters.
    pub model: Option<String>,
    /// By its own word: `false` is a drive that expects to fail.
    pub passed: Option<bool>,
    /// Percent of the endurance that its maker promises; may be above 100.
    pub used: Option<f64>,
    /// °C.
    pub temperature: Option<f64>,
    /// °C from which on it is too hot for its maker: it may slow itself down.
    pub temperature_most: Option<f64>,
    pub hours: Option<u64>,
    /// Sectors that were replaced (SCSI: grown defects).
    pub reallocated: Option<u64>,
    /// Sectors that could not be read and wait to be replaced.
    pub pending: Option<u64>,
    /// Errors of the medium that the drive could not mend.
    pub uncorrected: Option<u64>,
}
