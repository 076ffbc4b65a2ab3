//! The numbers of a workload that a request fixes; the others are the pattern's own.

use model::change::PoolLike;
use model::{Access, Arrivals, Bytes, Durability, Layer, OpMix, Pattern, Rate, Sizes, Tree};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct WorkloadOptions {
    /// Empty: all that the layer has, or the one that the numbers are nearest to.
    pub patterns: Vec<Pattern>,
    /// Bytes of one operation.
    pub block_size: Option<Bytes>,
    /// Operations in flight, over all jobs.
    pub depth: Option<u32>,
    /// The rate for each target: operations start when they are due.
    pub rate: Option<Rate>,
    /// Threads, images or connections that share the depth.
    pub jobs: Option<u32>,
    /// Clients of the cluster that share the jobs.
    pub clients: Option<u32>,
    /// Percent of reads.
    pub read_share: Option<u8>,
    /// How many of a hundred operations are of each class.
    pub mix: Option<OpMix>,
    /// Bytes that are read and written, over all jobs.
    pub working_set: Option<Bytes>,
    pub access: Option<Access>,
    pub durability: Option<Durability>,
    /// Placement groups of the temporary pool.
    pub pgs: Option<u32>,
    pub object_size: Option<Bytes>,
    /// Which files there are for operations on files by their names.
    pub tree: Option<Tree>,
    /// Objects that a bucket holds before it is loaded, instead of a working set of so many bytes; it holds nothing else then.
    pub objects: Option<u64>,
    /// Buckets among which objects are spread.
    pub buckets: Option<u32>,
    /// Where a gateway puts the buckets: `ID` or `ZONEGROUP:ID`.
    pub placement: Option<String>,
    /// Objects that are larger are put in parts of this many bytes.
    pub part: Option<Bytes>,
    /// How large whole objects, and files, are, if not all alike.
    pub sizes: Option<Sizes>,
    /// Objects that one request deletes.
    pub delete_at_once: Option<u32>,
    pub engine: Option<String>,
    /// Options of the engine.
    pub engine_options: BTreeMap<String, String>,
    /// What is written is stamped, and checked when it is read back.
    pub verify: bool,
    pub seed: u64,
    /// Writes are made durable only as fio can do it, in one way: write-latency with O_DSYNC, others not.
    pub as_fio: bool,
    /// How many of the lab's OSDs a temporary pool is to lie on.
    pub osds: Option<u32>,
    /// The temporary pool is made as one that is there.
    pub like: Option<PoolLike>,
    /// Options of the cluster that a point of a sweep needs, or one side of a paired comparison.
    pub settings: BTreeMap<String, String>,
}

impl WorkloadOptions {
    /// Clients on this layer.
    pub fn clients_on(&self, layer: Layer) -> u32 {
        self.clients.filter(|_| layer.can().clients).unwrap_or(1)
    }

    /// The open loop of this layer, if there is one.
    pub fn rate_on(&self, layer: Layer) -> Option<Rate> {
        self.rate.filter(|_| layer.can().rate)
    }

    /// Poisson arrivals, as of users who know nothing of each other, unless said otherwise.
    pub fn at_rate(per_second: f64, arrivals: Option<Arrivals>) -> Rate {
        Rate { per_second, arrivals: arrivals.unwrap_or(Arrivals::Poisson), by_job: false }
    }

    /// Numbers that a pattern has of itself: they make a workload of its own.
    pub fn has_own_numbers(&self) -> bool {
        self.block_size.is_some() || self.depth.is_some() || self.read_share.is_some() || self.mix.is_some()
    }
}
