//! The kinds of charts a report has, each with all that is drawn: who draws one knows its kind and no section.

use model::Bytes;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Chart {
    Volume(Volume),
}

/// A rate over the volume that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Volume {
    pub each_second: Vec<Bytes>,
    pub seconds: f64,
    pub written: Bytes,
    /// Was enough written for a picture of characters?
    #[serde(skip)]
    pub worth_drawing: bool,
    pub cliff: Option<CliffAt>,
}

/// Where the rate fell, and the levels in MB/s before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CliffAt {
    pub at: Bytes,
    pub low: Bytes,
    pub high: Bytes,
    pub from: Option<f64>,
    pub to: Option<f64>,
}
