//! Two settings against each other in one run, a slice of the one beside a slice of the other.

use crate::comparison::Comparison;
use crate::step_id::StepId;
use serde::{Deserialize, Serialize};

/// In the plan: which step is compared with which.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ab {
    /// What differs: `pool`, `engine`, `osd/osd_max_backfills`; `nothing`, to see what chance alone does.
    pub what: String,
    pub a: String,
    pub b: String,
    /// Steps of A and of B, each the other's counterpart.
    pub pairs: Vec<(StepId, StepId)>,
    /// OSDs that are restarted, one after the other, at every change of side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<u32>,
    /// The commands that make B permanent, in their order. Empty: it is no change, or nothing that lasts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permanent: Vec<String>,
}

impl Ab {
    /// Pairs of slices, one of each side: with fewer a busy machine makes a finding of nothing.
    pub const PAIRS_LEAST: u32 = 6;
}

/// In the report: A is before, B after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AbFound {
    pub what: String,
    pub a: String,
    pub b: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permanent: Vec<String>,
    pub comparison: Comparison,
    /// Pairs of slices that each difference is made of, at most.
    pub pairs: u32,
    /// Half-width of the changes' 95 % intervals, the median over all figures, as logarithms: as they are, and as two
    /// separate runs with as many slices would know them.
    pub half_width: f64,
    pub apart: f64,
}
