//! What the OSDs' stores did besides serving operations while a slice was measured: RocksDB writing its tables.

use crate::phrase;
use crate::phrase::{Phrase, Quantity};
use crate::step_id::StepId;
use crate::stores::DatabaseLook;
use crate::workload::Bytes;
use schemars::JsonSchema;
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
    pub looks: Vec<StoreActivity>,
    /// `None`: the OSD does not count it, or nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<StoreReads>,
    /// `None`: the database lies with the data, or the OSD was not asked at both ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseLook>,
}

/// What an OSD's store read during a slice, and from where; everybody's reads count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoreReads {
    /// Bytes of data found in BlueStore's memory, and those that were not and came from the device.
    pub memory: Bytes,
    pub device: Bytes,
    /// Lookups of an object's metadata that were answered from memory, and those that RocksDB had to answer.
    pub onode_hits: Option<u64>,
    pub onode_misses: Option<u64>,
    /// Bytes that RocksDB's own random reads took from its devices (or from the kernel's page cache above them).
    pub rocksdb: Option<Bytes>,
}

/// What happened between two looks at an OSD's counters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoreActivity {
    /// Seconds from the slice's start.
    pub from: f64,
    pub to: f64,
    /// Bytes of tables that RocksDB wrote meanwhile: by a compaction, or by the flush before one.
    pub bytes: Bytes,
}

/// Of a figure: how its dips and its level lie to the compactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The chance of this many dips in step, or more, if dips came at any time; `None`: there was no dip.
    pub chance: Option<f64>,
    /// There are too many of them for chance, among all figures of the run.
    #[serde(default)]
    pub dips_beyond_chance: bool,
    /// `None`: tables were written always or never, or there is too little of either to compare.
    pub slowed: Option<Slowed>,
    /// It is too much for chance, among all figures of the run, and worth a word.
    #[serde(default)]
    pub slower_beyond_chance: bool,
    /// What else is worth knowing of it; `None`: nothing is.
    pub says: Option<String>,
    /// Of reads: from where their bytes came; `None`: not known.
    #[serde(default)]
    pub reads: Option<ReadFrom>,
}

impl Background {
    /// What chance does not explain of how it went while tables were written; `None`: nothing.
    pub fn blamed(&self) -> Option<Phrase> {
        let number = |n: u32| Quantity::Count(n.into());
        let in_step = self.dips_beyond_chance.then(|| {
            let chance = Quantity::Chance(self.chance.unwrap_or(f64::NAN));
            let (in_step, dips) = (number(self.in_step), number(self.dips));
            phrase!("dips in step with RocksDB compaction: {} of {}; by chance alone {}", in_step, dips, chance)
        });
        let slower = self.slowed.filter(|_| self.slower_beyond_chance).map(|slowed| {
            let (least, stretches) = (Quantity::Share(slowed.at_least), number(slowed.stretches));
            let noun = if slowed.stretches == 1 { " stretch" } else { " stretches" };
            phrase!("slower while RocksDB wrote tables: by at least {}, in {}{}", least, stretches, noun)
        });
        let all: Vec<Phrase> = in_step.into_iter().chain(slower).collect();
        let some = match self.osds < self.of {
            true => phrase!(" (of {} OSDs, {} were looked at)", number(self.of), number(self.osds)),
            false => Phrase::default(),
        };
        (!all.is_empty()).then(|| phrase!("{}{}", Phrase::joined(all, "; "), some))
    }
}

/// From where a figure's reads came, by the OSDs' own counters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadFrom {
    pub caches: Caches,
    /// Share of the bytes that came from the OSDs' devices, and not from BlueStore's memory.
    pub from_device: f64,
    /// Share of the lookups of objects' metadata that were answered from memory.
    pub onodes_in_memory: Option<f64>,
    /// Bytes that RocksDB read meanwhile, below its own block cache.
    pub rocksdb: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Caches {
    /// Nearly all came from the devices.
    Cold,
    /// Some did.
    Mixed,
    /// Hardly any did: what was measured is memory.
    Warm,
}

impl Caches {
    pub fn name(self) -> &'static str {
        match self {
            Caches::Cold => "cold",
            Caches::Mixed => "partly cached",
            Caches::Warm => "warm",
        }
    }
}

/// How much slower a figure is while tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slowed {
    /// Share of the level without that is missing with them, and the lower end of its 95 % interval; negative: it is faster. Somebody
    /// looks once a second, so that the seconds in which writing began or ended count whole: both are rather too low than too high.
    pub by: f64,
    pub at_least: f64,
    /// Stretches of the series in which tables were written.
    pub stretches: u32,
    /// The chance of a difference this large or larger if writing tables slowed nothing.
    pub chance: f64,
}
