//! Whether there was something to be read: pages of reads that hold nothing, as what was never written or was trimmed.

use crate::step_id::StepId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Of a sample of the reads, a page each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EmptyPages {
    pub looked_at: u64,
    /// All of whose bytes are the same.
    pub empty: u64,
}

impl AddAssign for EmptyPages {
    fn add_assign(&mut self, other: EmptyPages) {
        self.looked_at += other.looked_at;
        self.empty += other.empty;
    }
}

impl EmptyPages {
    /// `None`: none was looked at.
    pub fn share(&self) -> Option<f64> {
        (self.looked_at > 0).then(|| self.empty as f64 / self.looked_at as f64)
    }
}

/// Of one slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagesRead {
    pub step: StepId,
    pub pass: u32,
    /// By index of the target in the step.
    pub targets: BTreeMap<u32, EmptyPages>,
}
