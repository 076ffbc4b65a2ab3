//! The slowest operations that OSDs remember of a slice, and between which two events each spent most of its time.

use crate::layer::Layer;
use crate::pattern::Pattern;
use crate::step_id::StepId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Of one slice: of each OSD that was asked, the slowest that began within it. The operations of all clients count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowOperations {
    pub step: StepId,
    pub pass: u32,
    pub operations: Vec<SlowOperation>,
}

/// An operation at its primary, in the OSD's own words (`dump_historic_ops`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowOperation {
    pub osd: u32,
    /// From its receipt to its answer.
    pub ms: f64,
    /// The longest stretch between two events that follow each other.
    pub longest_ms: f64,
    /// The event before it: `waiting for subops from 1,2`.
    pub after: String,
    /// The event that ended it: `sub_op_commit_rec`.
    pub until: String,
}

/// The slowest operation that was seen in all slices of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowestOfStep {
    pub layer: Layer,
    pub pattern: Pattern,
    pub target: String,
    #[serde(flatten)]
    pub operation: SlowOperation,
}
