//! What each of several streams between two hosts carried, side by side: they may take different ways.

use crate::step_id::StepId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of one slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streams {
    pub step: StepId,
    pub pass: u32,
    /// By index of the target in the step: blocks of each stream.
    pub blocks: BTreeMap<u32, Vec<u64>>,
}
