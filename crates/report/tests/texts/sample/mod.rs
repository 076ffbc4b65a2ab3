//! One stored run that has everything: all labels, missing cells, an outlier, a change left behind, an error.

use model::{Record, Report};
use serde::Deserialize;

#[derive(Clone, Deserialize)]
pub struct SampleRun {
    pub report: Report,
    /// Without slices: no face but HTML draws them.
    pub record: Record,
}

pub fn run() -> SampleRun {
    serde_json::from_str(include_str!("run.json")).unwrap()
}
