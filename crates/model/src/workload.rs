//! A workload is a pattern with all its numbers.

use crate::operation::{OpClass, OpMix, WrittenMix};
use crate::pattern::{Pattern, PatternSpec};
use crate::sizes::Sizes;
use crate::tree::Tree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub type Bytes = u64;

pub const KIB: Bytes = 1 << 10;
pub const MIB: Bytes = 1 << 20;
pub const GIB: Bytes = 1 << 30;

/// Bytes that each part of an object has at least, but for the last one: as S3 of AWS, and RGW, have it.
pub const PART_LEAST: Bytes = 5 * MIB;

/// Bytes of whole files and objects that tell whether they are whole, at least.
pub const MARK: Bytes = 24;

/// The most objects that are put before a bucket is loaded: at a thousand a second they take hours.
pub const OBJECTS_MOST: u64 = 10_000_000;

/// The largest object of RADOS that is written: Ceph takes it without objection (`osd_max_object_size` is 128 MiB).
pub const OBJECT_MOST: Bytes = 64 * MIB;

/// How offsets are drawn from the span.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    Random,
    Sequential,
    /// Zipf with this exponent: few blocks get most operations.
    Zipf(f64),
}

/// When a write counts as done. Layers that are durable by nature (store, osd, rados, rbd without cache) ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    None,
    /// O_SYNC.
    Sync,
    /// O_DSYNC.
    Dsync,
    /// write, then fsync: one operation, timed as a whole.
    Fsync,
    /// write, then fdatasync: one operation, timed as a whole.
    Fdatasync,
    /// As stores commit: one fdatasync for all writes that have ended since the last one, and only after it are they done.
    GroupCommit,
}

/// How the starts of an open loop lie in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// As users who know nothing of each other: gaps are exponentially distributed.
    Poisson,
    /// Equal gaps.
    Even,
    /// Each is due one gap after an earlier one has ended: think time, which no slow operation makes shorter.
    Pauses,
}

/// An open loop: operations are due at their times, whether or not earlier ones have ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// Operations per second on each target, over all jobs; with pauses as many as there would be if they took no time.
    pub per_second: f64,
    pub arrivals: Arrivals,
    /// Each job keeps its share by itself, as fio's jobs do: what is due while it is busy waits for it, also where other jobs are idle. Else
    /// whichever has a slot free begins what is due.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_job: bool,
}

impl Rate {
    /// What there is to be a second; `None`: it depends on how long operations take.
    pub fn asked(&self) -> Option<f64> {
        (self.arrivals != Arrivals::Pauses).then_some(self.per_second)
    }

    /// ms between the end of an operation and the next one, where there are pauses.
    pub fn pause_ms(&self) -> Option<f64> {
        (self.arrivals == Arrivals::Pauses).then(|| 1e3 / self.per_second)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Bytes of one operation; where sizes differ, of the largest.
    pub block: Bytes,
    /// Operations in flight, over all jobs; in an open loop the most of them: what is due beyond that waits.
    pub depth: u32,
    /// `None`: a closed loop, in which the next operation starts when one has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Lanes (threads) that share the depth.
    pub jobs: u32,
    /// Connections to the cluster that share the lanes, in turns; never more than there are lanes.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub clients: u32,
    #[serde(flatten)]
    #[schemars(with = "WrittenMix")]
    pub mix: OpMix,
    pub access: Access,
    pub durability: Durability,
    /// Bytes of the working set, over all jobs (images, objects, region of a device); where sizes differ, as if all were the largest.
    pub span: Bytes,
    /// Bytes of the device (of several, the smallest) over all of which the working set lies in pieces; `None`: it lies together, at
    /// the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Bytes>,
    /// Bytes of one object, for the layers made of objects.
    pub object: Option<Bytes>,
    /// Of operations on files by their names: which files there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// Buckets among which objects are spread, by their numbers.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub buckets: u32,
    /// Objects are put in parts of this many bytes, one after the other; `None`: each as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Bytes>,
    /// How large whole objects, and files, are; `None`: each has `block` bytes (objects: `object`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// Objects that one request deletes; `None`: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_at_once: Option<u32>,
    pub seed: u64,
    /// Which engine of the layer does it (`io_uring`, `psync`); `None`: the layer chooses.
    pub engine: Option<String>,
    /// Further engine options, by name.
    pub options: BTreeMap<String, String>,
    /// Blocks carry stamps, and those that are read are checked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub verify: bool,
    /// Options of the cluster that hold while it is loaded, `WHO/NAME` to value; all others are as they are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn one() -> u32 {
    1
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

/// The option of engines of blocks of a file, `on` or `off`.
pub const PAGE_CACHE: &str = "page-cache";
/// The option of images by librbd: `off`, `on` (as the library is configured), or a policy of the library.
pub const IMAGE_CACHE: &str = "cache";
/// The option of objects of a gateway, `on` or `off`: every packet of an answer is acknowledged at once.
pub const QUICK_ACKS: &str = "quickack";
/// The policy with which a write has ended when the OSDs have it.
pub const WRITE_THROUGH: &str = "writethrough";
/// What can be compared: each of them says whatever the library is configured to.
pub const IMAGE_CACHES: [&str; 4] = ["off", WRITE_THROUGH, "writeback", "writearound"];

impl Workload {
    /// Do blocks of a file go through the page cache of the host that loads it?
    pub fn through_page_cache(&self) -> bool {
        self.options.get(PAGE_CACHE).is_some_and(|value| value == "on")
    }

    /// May a cache of the client's answer reads?
    pub fn through_cache(&self) -> bool {
        self.through_page_cache() || self.options.get(IMAGE_CACHE).is_some_and(|value| value != "off")
    }

    /// May librbd's cache answer a write before any OSD has it?
    pub fn cache_answers_writes(&self) -> bool {
        self.writes()
            && self.options.get(IMAGE_CACHE).is_some_and(|value| !["off", WRITE_THROUGH].contains(&value.as_str()))
    }

    /// The canonical workload of a pattern over a working set of `span` bytes.
    pub fn canonical(pattern: Pattern, span: Bytes, seed: u64) -> Workload {
        let &PatternSpec { mix, block, depth, access, durability, .. } = pattern.spec();
        Workload {
            block,
            depth,
            rate: None,
            jobs: 1,
            clients: 1,
            mix,
            access,
            durability,
            span,
            spread: None,
            object: None,
            tree: None,
            buckets: 1,
            part: None,
            sizes: None,
            delete_at_once: None,
            seed,
            engine: None,
            options: BTreeMap::new(),
            verify: false,
            settings: BTreeMap::new(),
        }
    }

    pub fn reads(&self) -> bool {
        self.mix.has(OpClass::Read)
    }

    /// Between two hosts: does the load's own end receive at the pair's second host? What counts has arrived.
    pub fn streams_out(&self) -> bool {
        self.access == Access::Sequential && self.writes()
    }

    pub fn writes(&self) -> bool {
        self.mix.has(OpClass::Write)
    }

    /// Is it of files by their names, and not of bytes?
    pub fn of_files(&self) -> bool {
        self.mix.classes().any(|class| !class.of_bytes())
    }

    /// Bytes that the working set really has.
    pub fn bytes(&self) -> Bytes {
        match &self.sizes {
            Some(sizes) => sizes.total(self.lane_items()).saturating_mul(self.jobs.max(1).into()),
            None => self.span,
        }
    }

    /// Whole blocks, objects or files of each lane.
    pub fn lane_items(&self) -> u64 {
        self.lane_span() / self.block.max(1)
    }

    /// Bytes of the operation on a lane's item of this number.
    pub fn bytes_of(&self, item: u64) -> Bytes {
        self.sizes.as_ref().map_or(self.block, |sizes| sizes.of(item))
    }

    /// Files, or objects, that one operation deletes.
    pub fn deleted_at_once(&self) -> u32 {
        self.delete_at_once.unwrap_or(1).max(1)
    }

    /// Bytes of an operation, on average.
    pub fn mean_bytes(&self) -> f64 {
        self.sizes.as_ref().map_or(self.block as f64, Sizes::mean)
    }

    /// Depth of one lane: the depth is shared as evenly as whole numbers allow.
    pub fn lane_depth(&self, lane: u32) -> u32 {
        let jobs = self.jobs.max(1);
        self.depth / jobs + u32::from(lane < self.depth % jobs)
    }

    /// Bytes of one lane's own part of the span: as many whole blocks for each. Lanes never overlap.
    pub fn lane_span(&self) -> Bytes {
        let share = self.span / Bytes::from(self.jobs.max(1));
        share - share % self.block.max(1)
    }
}
