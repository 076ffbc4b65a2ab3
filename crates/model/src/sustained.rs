//! Writing one device without pause: how much it takes before its caches are full, what is left then, and at which rate small random
//! writes go on for good.

use crate::clock::Nanos;
use crate::figure::Estimate;
use crate::plan::Step;
use crate::workload::{Bytes, Workload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is written, and when it is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// Large blocks in order, until the rate has fallen and stays down.
    #[default]
    Falls,
    /// Small blocks at random, until rounds are alike.
    Steady,
}

/// How much of the target is written in order before, after all of it was discarded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FillLevel {
    /// Of the target's bytes.
    pub percent: u8,
    /// Its span is what is written; 0: nothing.
    pub workload: Workload,
}

/// In the plan: done once for each model of a device, after the passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SustainedTest {
    /// Writes to one target.
    pub step: Step,
    #[serde(default)]
    pub until: Until,
    /// Bytes that may be written; `None`: those of the step's span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<Bytes>,
    /// `None`: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<FillLevel>,
    /// All of it is discarded (trimmed) before, and after it.
    #[serde(default)]
    pub trim: [bool; 2],
    /// Of the device, as the kernel tells it; `None`: it tells none.
    pub model: Option<String>,
    /// Other targets of the plan for which it stands: their device is of the same model, or the same one.
    pub also: Vec<String>,
    /// Seconds after which it ends in any case.
    pub seconds: f64,
}

impl SustainedTest {
    /// Until it falls, without a limit of time.
    pub fn of(step: Step) -> SustainedTest {
        SustainedTest {
            step,
            until: Until::Falls,
            most: None,
            fill: None,
            trim: [false; 2],
            model: None,
            also: Vec::new(),
            seconds: f64::INFINITY,
        }
    }

    /// Bytes that may be written.
    pub fn most(&self) -> Bytes {
        self.most.unwrap_or(self.step.workload.span)
    }

    /// Share of the working set that was written at least once, after `written` bytes at random: all of it where it was filled before, else
    /// 1 − e^(−written/span), what is expected of places that are drawn independently.
    pub fn covered(&self, written: Bytes) -> f64 {
        let is_filled = self.fill.as_ref().is_some_and(|level| level.workload.span > 0);
        let times = written as f64 / self.step.workload.span.max(1) as f64;
        if is_filled { 1.0 } else { -(-times).exp_m1() }
    }

    /// Percent of the target that are written before, after all of it was discarded.
    pub fn filled(&self) -> Option<u8> {
        self.fill.as_ref().filter(|_| self.trim[0]).map(|level| level.percent)
    }
}

/// What was seen of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SustainedSeries {
    pub target: String,
    #[serde(default)]
    pub until: Until,
    /// Percent of the target that were written before, after all of it was discarded; `None`: as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled: Option<u8>,
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
    /// Rounds were alike.
    Steady,
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
            Ended::Steady => "steady",
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
    pub until: Until,
    pub filled: Option<u8>,
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
    /// Small random writes in rounds; `None`: too few of them, or none were asked for.
    pub rounds: Option<Rounds>,
    /// Without a cliff: the rate of all of it, MB/s; `None`: too little for an interval.
    pub rate: Option<Estimate>,
    /// For a picture: bytes of each second, the last one perhaps cut short.
    pub each_second: Vec<Bytes>,
    /// All that in one sentence.
    pub says: String,
}

/// Rounds of random writes, as SNIA's performance test has them. Rates are writes a second, MB/s where blocks are large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    /// Of each round.
    pub seconds: f64,
    /// Of each whole round.
    pub each: Vec<f64>,
    /// Bytes of a write.
    pub block: Bytes,
    /// Were the last ones alike, after nearly all of the working set was written at least once? `None`: too few.
    pub steady: Option<bool>,
    /// Share of the working set that was written at least once.
    pub covered: f64,
    /// Over the first round, and over the last ones, which are to be alike; `None`: too few windows for an interval.
    pub first: Option<Estimate>,
    pub last: Option<Estimate>,
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
