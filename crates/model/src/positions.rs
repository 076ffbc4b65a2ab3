//! Who slows a pool, by position: what each OSD adds to a write as its primary, and what as a replica.

use crate::figure::Estimate;
use crate::layer::Layer;
use crate::pattern::Pattern;
use crate::stores::CommitParts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Writes with one in flight, in turns over many pairs of a primary and a replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Positions {
    pub layer: Layer,
    pub pattern: Pattern,
    /// Between OSDs that add nothing, ms.
    pub usual: WriteTimes<Estimate>,
    /// The mean over all OSDs, each as often the primary as the replica, ms.
    pub mean: Estimate,
    pub osds: Vec<PositionOfOsd>,
    pub pairs: Vec<PairTime>,
    pub operations: u64,
    /// Writes that took much longer than most.
    #[serde(default)]
    pub long: LongWrites,
}

/// Writes that took at least `above_ms`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LongWrites {
    pub above_ms: f64,
    pub writes: u64,
    /// Moments at which there were any: what is long soon after another one is of the same moment.
    #[serde(default)]
    pub moments: u64,
}

/// The writes in which an OSD had a part, and how many of them were long ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TookPart {
    pub writes: u64,
    pub long: u64,
    /// What the long ones took together, ms.
    pub long_ms: f64,
    /// Moments of long writes in nearly all of which it had a part.
    #[serde(default)]
    pub moments: u64,
}

impl Positions {
    /// What adds less than this share of a usual write is not told.
    pub const LEAST: f64 = 0.15;
    /// How many half-widths of its 95 % interval it must lie above zero: by chance none of a hundred OSDs does, in two roles and two values.
    pub const BEYOND: f64 = 2.0;

    /// Does an OSD add time by a clear margin? `usual`: the same value of a usual write.
    pub fn is_clear(adds: &Estimate, usual: f64) -> bool {
        adds.value >= Self::LEAST * usual && adds.value >= Self::BEYOND * (adds.high - adds.value)
    }
}

/// Of one and the same set of writes, ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WriteTimes<T> {
    pub median: T,
    pub mean: T,
    pub p90: T,
}

/// Each is in ms, more than the median OSD adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionOfOsd {
    pub osd: u32,
    pub host: String,
    pub primary: WriteTimes<Estimate>,
    pub replica: WriteTimes<Estimate>,
    /// Its own timers meanwhile; `None`: it was not asked, or does not count them.
    pub timers: Option<OsdStages>,
    #[serde(default)]
    pub took_part: TookPart,
}

/// What an OSD says of its own part, ms; everybody's operations count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OsdStages {
    /// From receipt to the queue's end, and preparing a write as the primary.
    pub software: f64,
    /// Its store's commit.
    pub commit: f64,
    /// Of that on the device of its data, and in RocksDB's log; `None`: it does not count it.
    #[serde(default)]
    pub parts: Option<CommitParts>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairTime {
    pub primary: u32,
    pub replica: u32,
    /// The mean, ms.
    pub mean: f64,
    /// What of it neither of both explains.
    pub beyond: f64,
}

impl<T> WriteTimes<T> {
    pub fn map<U>(&self, of: impl Fn(&T) -> U) -> WriteTimes<U> {
        WriteTimes { median: of(&self.median), mean: of(&self.mean), p90: of(&self.p90) }
    }
}
