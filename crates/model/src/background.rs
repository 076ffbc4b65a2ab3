//! What the OSDs' stores did besides serving operations while a slice was measured: RocksDB writing its tables.

use crate::plan::StepId;
use crate::workload::Bytes;
use serde::{Deserialize, Serialize};

/// Of one slice of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compaction {
    pub step: StepId,
    pub pass: u32,
    /// OSDs that were looked at, with what was seen.
    pub osds: Vec<OsdLooks>,
    /// How many OSDs serve the step; more than were looked at, where they are many.
    pub of: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OsdLooks {
    pub osd: u32,
    pub looks: Vec<Look>,
}

/// What happened between two looks at an OSD's counters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Seconds from the slice's start.
    pub from: f64,
    pub to: f64,
    /// Bytes of tables that RocksDB wrote meanwhile: by a compaction, or by the flush before one.
    pub bytes: Bytes,
}

/// Of a figure: how its dips and its level lie to the compactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Background {
    /// OSDs that were looked at, of those that serve it.
    pub osds: u32,
    pub of: u32,
    /// Counted seconds in which somebody looked, and the share of them in which tables were written.
    pub seconds: f64,
    pub busy: f64,
    /// Slices in which somebody looked, and those of them without any compaction.
    pub slices: u32,
    pub quiet: u32,
    pub dips: u32,
    /// Dips during which tables were written.
    pub in_step: u32,
    /// How likely so many or more of them would be if dips came at any time; `None`: there was no dip.
    pub chance: Option<f64>,
    /// `None`: tables were written always or never, or there is too little of either to compare.
    pub slowed: Option<Slowed>,
    /// What is worth knowing of it; `None`: nothing is.
    pub says: Option<String>,
}

/// How much slower a figure is while tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slowed {
    /// Share of the level without that is missing with them, and the lower end of its 95 % interval; negative: it is faster. Somebody
    /// looks once a second, so that the seconds in which writing began or ended count whole: both are rather too low than too high.
    pub by: f64,
    pub at_least: f64,
    /// Stretches of the series in which tables were written.
    pub stretches: u32,
    /// How likely so much or more would be if nothing followed from it.
    pub chance: f64,
}
