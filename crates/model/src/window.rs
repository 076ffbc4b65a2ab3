//! What a load tells while it goes on: a window of all its targets, and how it ended.

use crate::effort::Effort;
use crate::operation::OpClass;
use crate::pages::EmptyPages;
use crate::sample::Sample;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What happened on all targets in one window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowSet {
    pub window: u32,
    /// By index of the target in the step: one sample for each kind of operation that the workload has.
    pub samples: Vec<(u32, OpClass, Sample)>,
}

/// How a slice ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceEnd {
    /// Why it ended before it was told to, in words: the engine's error, or that no operation completed any more.
    pub broken: Option<String>,
    /// On which target that was.
    pub target: Option<u32>,
    /// Target and text of the first operation that failed. Single failures do not end a slice.
    pub first_error: Option<(u32, String)>,
    /// A host that should have loaded went missing, and when; the slice ends there.
    pub gap: Option<String>,
    /// Windows that were complete.
    pub windows: u32,
    /// Operations of each lane, by target.
    pub lanes: BTreeMap<u32, Vec<u64>>,
    /// What the lanes took of the CPU, by target; no entry: nobody kept account.
    pub efforts: BTreeMap<u32, Effort>,
    /// What was seen of the pages that were read, by target; no entry: nothing was read, or nobody looked.
    pub empty_pages: BTreeMap<u32, EmptyPages>,
}
