//! Writing one device without pause until it falls: how much it takes before its caches are full, and what is left then.

use crate::clock::Nanos;
use crate::figure::Estimate;
use crate::plan::Step;
use crate::workload::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In the plan: done once for each model of a device, after the passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SustainedTest {
    /// Large sequential writes to one target; its span is all that may be written.
    pub step: Step,
    /// Of the device, as the kernel tells it; `None`: it tells none.
    pub model: Option<String>,
    /// Other targets of the plan for which it stands: their device is of the same model, or the same one.
    pub also: Vec<String>,
    /// Seconds after which it ends in any case.
    pub seconds: f64,
}

/// What was seen of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SustainedSeries {
    pub target: String,
    /// Bytes whose write ended in each window.
    pub windows: Vec<Bytes>,
    pub window_ns: Nanos,
    /// What the run had written to the target before, so far as it was counted: the slices' writes.
    pub before: Bytes,
    pub ended: Ended,
    /// What broke, where it was that.
    pub error: Option<String>,
}

/// Why it was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The rate fell and stayed down.
    Fell,
    /// All that may be written was written.
    Volume,
    /// The time was up.
    Time,
    /// The user ended the run.
    Stopped,
    Broken,
}

impl Ended {
    pub fn name(self) -> &'static str {
        match self {
            Ended::Fell => "fell",
            Ended::Volume => "volume",
            Ended::Time => "time",
            Ended::Stopped => "stopped",
            Ended::Broken => "broken",
        }
    }
}

/// In the report: what that says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Endurance {
    pub target: String,
    pub model: Option<String>,
    pub also: Vec<String>,
    pub ended: Ended,
    pub error: Option<String>,
    pub written: Bytes,
    pub seconds: f64,
    pub before: Bytes,
    /// What was written before the rate fell; without a cliff: what was written without a fall. 0: the series is too short to say.
    pub held: Bytes,
    /// `None`: the rate did not fall far enough to count.
    pub cliff: Option<Cliff>,
    /// Without a cliff: the rate of all of it, MB/s; `None`: too little for an interval.
    pub rate: Option<Estimate>,
    /// For a picture: bytes of each second, the last one perhaps cut short.
    pub each_second: Vec<Bytes>,
    /// All that in one sentence.
    pub says: String,
}

/// Where a rate fell, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cliff {
    /// Written when it fell: it fell between `low` and `high`.
    pub written: Bytes,
    pub low: Bytes,
    pub high: Bytes,
    /// MB/s, each with its interval; `None`: too few windows for one.
    pub from: Option<Estimate>,
    pub to: Option<Estimate>,
    /// (from − to)/from, of the medians of their seconds.
    pub fall: f64,
}
