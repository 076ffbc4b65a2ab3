//! What was seen: samples (one target in one window), and slices (one uninterrupted stretch of a step on one target).

use crate::clock::Nanos;
use crate::effort::Effort;
use crate::operation::OpClass;
use crate::step_id::StepId;
use crate::workload::Bytes;
use latencies::Sparse;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// What happened on one target in one window, to operations of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Index of the window in its slice.
    pub window: u32,
    /// Over which time the operations count: the window's length, or, where the engine reports its own times
    /// (an OSD's bench command), the sum of those.
    pub span_ns: Nanos,
    pub ops: u64,
    pub bytes: Bytes,
    pub errors: u64,
    /// Time from submission to completion.
    pub service: Sparse,
    /// Time from when the operation was due; `None` in a closed loop, where both are the same.
    pub response: Option<Sparse>,
    /// How long operations that were due, and had room, waited for the load generator itself; `None` in a closed loop.
    pub late: Option<Sparse>,
    /// Time from submission to the first byte of what was read; `None`: the engine does not see it.
    #[serde(default)]
    pub first_byte: Option<Sparse>,
}

impl Sample {
    /// Lanes or targets side by side in the same window: operations add up, time does not. Where engines report their own
    /// times, the window counts for their mean time.
    #[inline]
    pub fn side_by_side(window: u32, parts: &[&Sample]) -> Sample {
        let spans: Vec<u64> = parts.iter().map(|part| part.span_ns).filter(|span| *span > 0).collect();
        let joined = |of: fn(&Sample) -> Option<&Sparse>| {
            let known: Vec<&Sparse> = parts.iter().copied().filter_map(of).collect();
            (!known.is_empty()).then(|| Sparse::merged(known))
        };
        Sample {
            window,
            span_ns: spans.iter().sum::<u64>().checked_div(spans.len() as u64).unwrap_or(0),
            ops: parts.iter().map(|part| part.ops).sum(),
            bytes: parts.iter().map(|part| part.bytes).sum(),
            errors: parts.iter().map(|part| part.errors).sum(),
            service: Sparse::merged(parts.iter().map(|part| &part.service)),
            response: joined(|part| part.response.as_ref()),
            late: joined(|part| part.late.as_ref()),
            first_byte: joined(|part| part.first_byte.as_ref()),
        }
    }

    /// Until the first byte of what was read; empty where the engine does not see it.
    pub fn first_byte_time(&self) -> &Sparse {
        static UNSEEN: LazyLock<Sparse> = LazyLock::new(Sparse::default);
        self.first_byte.as_ref().unwrap_or(&UNSEEN)
    }

    /// What a user waits: from when the operation was due, or, in a closed loop, from its submission.
    #[inline]
    pub fn response_time(&self) -> &Sparse {
        self.response.as_ref().unwrap_or(&self.service)
    }
}

/// All samples of one uninterrupted stretch of one step on one target, of one kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    pub step: StepId,
    /// Index into the step's targets; `None`: all of them together.
    pub target: Option<u32>,
    pub kind: OpClass,
    /// Which pass, from 1.
    pub pass: u32,
    /// Seconds from the run's start to the slice's start.
    pub started_seconds: f64,
    /// Length of a window.
    pub window_ns: Nanos,
    pub samples: Vec<Sample>,
    /// Samples at the front that are warm-up and not counted.
    pub warmup: u32,
    /// False: the level still moved when the time was up.
    pub settled: bool,
    /// Why nothing of this slice may be used (an OSD died, all operations failed).
    pub void: Option<String>,
    /// First error of an operation in this slice, in words.
    pub error: Option<String>,
    /// What the lanes that loaded it took of the CPU; `None`: nobody kept account.
    #[serde(default)]
    pub effort: Option<Effort>,
}

impl Slice {
    pub fn counted(&self) -> &[Sample] {
        self.samples.get(self.warmup as usize..).unwrap_or(&[])
    }

    pub fn seconds(&self) -> f64 {
        self.samples.len() as f64 * self.window_ns as f64 / 1e9
    }

    /// Did it see anything that may be used?
    pub fn measured(&self) -> bool {
        self.void.is_none() && self.samples.iter().any(|sample| sample.ops > 0)
    }

    /// Seconds from the run's start to the slice's end.
    pub fn ended_seconds(&self) -> f64 {
        self.started_seconds + self.seconds()
    }
}
