//! Is a drive fit for Ceph? Which drives a run judges, and what it found.

use crate::drive::DriveAbout;
use crate::drive_health::DriveHealth;
use crate::figure::Estimate;
use crate::scope::DeviceScope;
use crate::site::WriteCache;
use crate::workload::{Bytes, Durability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In the plan: a target that is judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedDrive {
    /// The target's name.
    pub target: String,
    /// What it is, or lies on; `None`: the kernel names none.
    pub device: Option<DeviceScope>,
    /// It is measured through a file: the file system's own writes are in the figures.
    pub through_file: bool,
    /// `None`: it can't be asked.
    pub cache: Option<WriteCache>,
    /// `None`: it is none that the kernel lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<DriveAbout>,
    /// OSDs that have a part of the same disk, and serve their cluster meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<u32>,
}

/// For what a drive is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fitness {
    /// For everything, journals and metadata (WAL, DB) included.
    Fit,
    /// As fit, once its volatile write cache is switched off.
    FitIfCacheOff,
    /// For data whose WAL and DB lie on another drive.
    NotForJournals,
    Unfit,
    /// The interval reaches over a bound, or a figure is missing.
    Open,
}

/// What was found of a drive. Rates are operations of 4 KiB per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriveFound {
    pub target: String,
    pub host: Option<String>,
    pub model: Option<String>,
    pub about: Option<DriveAbout>,
    pub through_file: bool,
    /// OSDs that had a part of the same disk, and served their cluster meanwhile.
    pub beside: Vec<u32>,
    pub fitness: Fitness,
    /// What it rests on, the most important first.
    pub reasons: Vec<FitnessReason>,
    /// As it was found; `None`: it can't be asked.
    pub cache: Option<WriteCache>,
    /// Writes by each way of making them durable; [`Durability::None`] among them.
    pub writes: Vec<DriveWrites>,
    /// The same with the cache switched the other way; empty: not tried.
    pub switched: Vec<DriveWrites>,
    /// With one and with [`MANY`] in flight.
    pub reads: [Option<Estimate>; 2],
    /// The reads and the writes of the mixed load, [`MANY`] in flight.
    pub mixed: [Option<Estimate>; 2],
    /// Single reads after pauses, the shortest pause first.
    pub rested: Vec<RestedReads>,
    /// How hot it was between loads: seconds of the run, °C.
    pub temperatures: Vec<(f64, f64)>,
    /// MB/s of large blocks in order: written, read.
    pub linear: [Option<Estimate>; 2],
    /// `None`: a figure for it is missing.
    pub one_osd: Option<OsdEstimate>,
    /// `None`: it is not fit to hold the DB of others.
    pub serves: Option<ServesDbs>,
}

/// What one OSD could do with a drive, by its figures and by what OSDs' software usually takes: operations of 4 KiB a second, without
/// replication, the least and the most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OsdEstimate {
    /// One in flight.
    pub writes_alone: [f64; 2],
    /// Many in flight.
    pub writes_many: [f64; 2],
    pub reads_alone: [f64; 2],
    pub reads_many: [f64; 2],
}

/// For how many drives one could hold WAL and DB.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServesDbs {
    /// The least and the most.
    pub drives: [f64; 2],
    /// The drive of the run that it was held against; `None`: usual disks.
    pub of: Option<String>,
}

/// Operations in flight where a drive is to do many at once.
pub const MANY: u32 = 32;

/// ms of the pauses before reads, in which a drive may go to sleep: idle states of NVMe drives and of SATA links begin after 1 to 100.
pub const PAUSES_MS: [f64; 3] = [1.0, 10.0, 100.0];

/// Reads, each of them after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RestedReads {
    pub pause_ms: f64,
    /// ms of a read.
    pub mean: Estimate,
}

/// Of why a target has no data: its drive could not keep them. That says what the drive is, where other reasons say nothing of it.
pub const FAILED_WHILE_FILLED: &str = "a write failed while it was filled";

/// Share of reads of the mixed load.
pub const READ_PERCENT: u8 = 70;

/// Random writes by one way of making them durable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriveWrites {
    pub way: Durability,
    pub alone: Option<Estimate>,
    /// [`MANY`] in flight.
    pub many: Option<Estimate>,
}

/// Why a drive is judged as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum FitnessReason {
    /// Its medium rotates, by the time that a random read takes.
    Rotates,
    /// Durable writes are about as fast as others: nothing volatile is emptied for them. No test can tell whether they are safe.
    NothingEmptied,
    /// Durable writes are faster than flash could keep them one by one: something protects them. No test can tell whether they are safe.
    FasterThanFlash,
    /// A durable write takes far longer than another one: a volatile cache is emptied for each.
    CacheEmptied,
    /// The medium rotates, and writes are said to be durable sooner than it could have turned: something before it keeps them.
    SoonerThanMedium { per_second: f64 },
    /// Writes that are flushed and writes with FUA differ by this factor: one of the two may do nothing.
    WaysDiffer { factor: f64 },
    /// Fewer durable writes a second than any disk makes that is not shingled or broken.
    SlowerThanDisks { least: f64 },
    /// Fewer durable writes a second than an OSD's own software does with one operation in flight.
    SlowerThanOsds { least: f64 },
    /// Fewer durable writes a second than journals and metadata need for certain, or than drives that are protected make.
    SlowerThanJournals { least: f64, protected: f64 },
    /// With its write cache off it makes more durable writes, by this factor, and `then` is its fitness.
    CacheOffHelps { factor: f64, then: Fitness },
    /// With its write cache off it makes fewer writes durable, by this factor.
    CacheOffSlower { factor: f64 },
    /// Its write cache off brings nothing, or less than is worth a change.
    CacheOffDoesNotHelp,
    /// The intervals are too wide to say whether its write cache off helps.
    CacheOffUnknown,
    /// Its write cache is off; with it on it makes more durable writes, by this factor, and `then` is its fitness.
    CacheOnHelps { factor: f64, then: Fitness },
    /// Its write cache is on, and the kernel never flushes it.
    CacheNotFlushed,
    /// Of its operations (`of`) this many failed, the first one so: an OSD ends at the first that its drive refuses.
    Failed { operations: u64, of: u64, first: Option<String> },
    /// It says itself that it is going to fail (SMART, the critical warnings of NVMe).
    Failing,
    /// Sectors that it could not read and has not replaced yet.
    Unreadable { sectors: u64 },
    /// Errors of its medium that it could not mend.
    MediumErrors { errors: u64 },
    /// Sectors that it replaced.
    Reallocated { sectors: u64 },
    /// Percent of the endurance that its maker promises.
    Worn { percent: f64 },
    /// Its PCIe link: GT/s and lanes, as it is and as it could be.
    SlowLink { now: (f64, u32), most: (f64, u32) },
    /// Slower than the median of the others of its model, by this share, and in this.
    SlowerThanTwins { what: String, slower_by: f64, others: u64 },
    /// Large writes in order fall from one rate to the other, in MB/s, once this much was written without pause.
    FallsWhenFull { after: Bytes, from: f64, to: f64 },
    /// Small random writes a second, in the first round and once they are steady; `filled`: percent of the drive that were written before.
    SlowerWhenSteady { filled: Option<u8>, first: f64, steady: f64 },
    /// It was hotter while it was measured than its maker wants it, in °C: it may have slowed itself down.
    RanHot { celsius: f64, most: f64 },
    /// Small random writes were not steady when they ended.
    NotSteady { filled: Option<u8> },
    /// Whether they were is not known: only this share of the working set was written when they ended.
    PartWritten { filled: Option<u8>, covered: f64 },
    /// Reads after pauses of `pause_ms` take `rested_ms`, others `ms`: the drive saves power in between. The shortest pause that shows it.
    Sleeps { pause_ms: f64, rested_ms: f64, ms: f64 },
    /// A random read takes longer than flash needs, and it is no disk.
    SlowReads { ms: f64 },
    /// A figure is not usable, and why.
    NotMeasured { what: String, why: Option<String> },
    /// The interval of the durable writes, a second, reaches over the bound between two answers.
    /// `None`: it has no upper end.
    Undecided { either: Fitness, or: Fitness, low: f64, high: Option<f64> },
    /// It is one of these, by whether it is a disk: the time of a random read, in ms, reaches over that bound.
    ReadsUndecided { either: Fitness, or: Fitness, low_ms: f64, high_ms: Option<f64> },
    /// OSDs have a part of the same disk and served their cluster meanwhile: these are its figures under that load.
    Beside { osds: Vec<u32> },
    /// Its write cache is on and was not switched, since the drive is not its alone.
    CacheNotTried,
    /// Of its loads (`of`) this many waited for the processors of the host that put them on.
    HeldBack { loads: u64, of: u64 },
}

impl FitnessReason {
    /// Writes that are as fast as if they were protected: no test tells that from writes that are lost with the power.
    pub fn is_unproven(&self) -> bool {
        matches!(
            self,
            FitnessReason::NothingEmptied | FitnessReason::FasterThanFlash | FitnessReason::SoonerThanMedium { .. }
        )
    }

    /// Something that its owner would look after, whatever the drive is fit for.
    pub fn is_fault(&self) -> bool {
        matches!(
            self,
            FitnessReason::CacheNotFlushed
                | FitnessReason::Failed { .. }
                | FitnessReason::Failing
                | FitnessReason::Unreadable { .. }
                | FitnessReason::MediumErrors { .. }
                | FitnessReason::Reallocated { .. }
                | FitnessReason::Worn { .. }
                | FitnessReason::SlowLink { .. }
                | FitnessReason::SlowerThanTwins { .. }
                | FitnessReason::RanHot { .. }
                | FitnessReason::WaysDiffer { .. }
                | FitnessReason::SlowReads { .. }
                | FitnessReason::Sleeps { .. }
        )
    }
}

impl Fitness {
    /// The worst first.
    pub const BY_GRAVITY: [Fitness; 5] =
        [Fitness::Unfit, Fitness::NotForJournals, Fitness::FitIfCacheOff, Fitness::Open, Fitness::Fit];

    /// Is it better than that one? What is not decided is not.
    pub fn is_better(self, than: Fitness) -> bool {
        let place = |one: Fitness| Fitness::BY_GRAVITY.iter().position(|known| *known == one);
        self != Fitness::Open && place(self) > place(than)
    }

    pub fn name(self) -> &'static str {
        match self {
            Fitness::Fit => "fit",
            Fitness::FitIfCacheOff => "fit if its write cache is off",
            Fitness::NotForJournals => "not for journals and metadata",
            Fitness::Unfit => "unfit",
            Fitness::Open => "not decided",
        }
    }
}

impl DriveFound {
    /// As the list of hosts has it: of `b7:/dev/sdb`; `None`: it is one of this host.
    pub fn other_host(&self) -> Option<&str> {
        self.target.split_once(":/").map(|(host, _)| host).filter(|host| !host.starts_with('/'))
    }

    /// What it says of itself, if it does.
    pub fn health(&self) -> Option<&DriveHealth> {
        self.about.as_ref()?.health.as_ref().ok()
    }

    /// °C, of all that it said while it was measured.
    pub fn hottest(&self) -> Option<f64> {
        let before = self.health().and_then(|health| health.temperature);
        self.temperatures.iter().map(|(_, celsius)| *celsius).chain(before).max_by(f64::total_cmp)
    }

    /// The slowest of the ways that make writes durable, one in flight: that counts.
    pub fn slowest_durable(&self) -> Option<(Durability, Estimate)> {
        slowest_durable(&self.writes)
    }

    /// One in flight, not durable.
    pub fn plain(&self) -> Option<Estimate> {
        by(&self.writes, Durability::None)
    }
}

/// The slowest of the ways that make writes durable, one in flight. Its interval is that of the slowest, whichever it is: a way that is
/// hardly known is no faster than another one that is known.
pub fn slowest_durable(writes: &[DriveWrites]) -> Option<(Durability, Estimate)> {
    let durable = writes.iter().filter(|one| one.way != Durability::None);
    let all: Vec<(Durability, Estimate)> = durable.filter_map(|one| Some((one.way, one.alone?))).collect();
    let (way, slowest) = all.iter().min_by(|a, b| a.1.value.total_cmp(&b.1.value)).copied()?;
    let least = |end: fn(&Estimate) -> f64| all.iter().map(|(_, one)| end(one)).fold(f64::INFINITY, f64::min);
    Some((way, Estimate { value: slowest.value, low: least(|one| one.low), high: least(|one| one.high) }))
}

/// One in flight, in this way.
pub fn by(writes: &[DriveWrites], way: Durability) -> Option<Estimate> {
    writes.iter().find(|one| one.way == way)?.alone
}
