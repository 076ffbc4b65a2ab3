//! The numbers of the workload.

use super::words;
use clap::Args;
use experiments::WorkloadOptions;
use model::workload::OBJECTS_MOST;
use model::{Access, Bytes, Durability, OpMix, Pattern, Sizes, Tree};

/// Of every layer.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct CommonWorkloadArgs {
    /// Only these patterns
    #[arg(long, value_delimiter = ',', value_parser = words::pattern)]
    pub patterns: Vec<Pattern>,
    /// Bytes of one operation
    #[arg(long, short, value_parser = words::size, value_name = "SIZE", allow_hyphen_values = true)]
    pub block_size: Option<Bytes>,
    /// Threads (images, connections) that share the depth
    #[arg(long, short, value_parser = words::whole::<u32>(1, 1024), allow_negative_numbers = true)]
    pub jobs: Option<u32>,
    /// Seed of everything that is drawn by chance (default: another for each run; the report has it)
    #[arg(long, value_parser = words::whole::<u64>(0, u64::MAX), default_value_t = words::seed(), hide_default_value = true, allow_hyphen_values = true)]
    pub seed: u64,
}

/// Of the layers that keep data, with any number of operations in flight.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct WorkloadArgs {
    #[command(flatten)]
    pub common: CommonWorkloadArgs,
    /// Operations in flight, over all jobs
    #[arg(long, short, value_parser = words::whole::<u32>(1, 65_536), allow_negative_numbers = true)]
    pub depth: Option<u32>,
    /// Clients that share the jobs, each with a connection of its own (osd, rados, rbd); a job each unless --jobs says more. auto:
    /// double them, over the hosts and then on each, until the cluster is full and not the client (rados, rbd)
    #[arg(long, value_parser = words::clients, value_name = "N|auto", allow_hyphen_values = true)]
    pub clients: Option<Clients>,
    /// Share of reads in a mixed workload (default: 0, all writes, of a load with a --block-size or --depth of its own; of a sweep 100)
    #[arg(long, value_parser = words::percent, value_name = "PERCENT", allow_hyphen_values = true)]
    pub read_share: Option<u8>,
    /// Bytes that are read and written, over all jobs; of a device the first ones
    #[arg(long, value_parser = words::size, value_name = "SIZE", allow_hyphen_values = true)]
    pub working_set: Option<Bytes>,
    /// random, sequential, zipf[:EXPONENT]
    #[arg(long, value_parser = words::access)]
    pub access: Option<Access>,
    /// io_uring or psync (device, blocks of the file layer)
    #[arg(long)]
    pub engine: Option<String>,
    /// An option of one layer: cache=off, writethrough, writeback, writearound or on (rbd: librbd's cache), page-cache=on (file), quickack=on (object)
    #[arg(long, value_parser = words::option, value_name = "NAME=VALUE")]
    pub option: Vec<(String, String)>,
}

/// Of the layers that make writes durable in a way of choice.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct SyncArgs {
    /// How writes are made durable: none, sync, dsync, fsync, fdatasync, group-commit (device; floor: all but none). Else
    /// write-latency is measured with dsync and with fdatasync, of which the worse counts, and other writes of a device with
    /// group-commit
    #[arg(long, value_parser = words::durability)]
    pub sync: Option<Durability>,
}

/// Of the layers that make a pool of their own.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct PgArgs {
    /// Placement groups of the temporary pool (rados, rbd)
    #[arg(long, value_parser = words::whole::<u32>(1, 65_536), allow_negative_numbers = true, value_name = "N", conflicts_with = "pool")]
    pub pgs: Option<u32>,
}

/// Of the layers of files and of buckets.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct NamesArgs {
    /// Operations in a mix, each with its percent: create=20,open=60,delete=20. Of files: create, append, rewrite, stat, stat-cached,
    /// open (with read and close), list, rename, delete; of objects: read (GET), write (PUT over), create (PUT), stat (HEAD), list, delete.
    /// As many are made as deleted. Without --access some are more popular than others (zipf:0.99)
    #[arg(long, value_parser = words::mix, value_name = "OPERATION=PERCENT,…", conflicts_with_all = ["patterns", "read_share"])]
    pub mix: Option<OpMix>,
    /// Whole objects, and files, of different sizes: 4K-1M (each doubling as likely as every other) or 4K=70,64K=25,1M=5 (percents). Which of
    /// them has which is the same in every run
    #[arg(long, value_parser = words::sizes, value_name = "SIZES", allow_hyphen_values = true)]
    pub sizes: Option<Sizes>,
}

/// Of the layers that load objects.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct ObjectArgs {
    /// Bytes of one object (osd, rados; of a bucket: a block smaller than that is read as a part of it)
    #[arg(long, value_parser = words::size, value_name = "SIZE", allow_hyphen_values = true)]
    pub object_size: Option<Bytes>,
}

/// Of the object layer.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct BucketArgs {
    /// Objects that the bucket holds before anything is measured, instead of --working-set: they are put first, and are what its index has
    /// (--axis objects=1000,100000: a bucket of its own for each value). Of --hosts each puts as many
    #[arg(long, value_name = "NUMBER", value_parser = words::whole::<u64>(1, OBJECTS_MOST), allow_negative_numbers = true, conflicts_with = "working_set")]
    pub objects: Option<u64>,
    /// Spread the objects over this many buckets (default: 1)
    #[arg(long, value_name = "NUMBER", value_parser = words::whole::<u32>(1, 1000), allow_negative_numbers = true)]
    pub buckets: Option<u32>,
    /// Where the gateway puts the buckets, of Ceph's by S3: a placement of its zone group (ID, or ZONEGROUP:ID), which says in which pools
    /// index and objects lie (default: the user's own)
    #[arg(long, value_name = "ID", value_parser = words::placement, conflicts_with = "swift")]
    pub placement: Option<String>,
    /// Objects larger than this are put in parts of this size, one after the other (S3's multipart upload; at least 5M). One operation is the
    /// whole of it: begun, all parts, put together (default: each by one request)
    #[arg(long, value_parser = words::size, value_name = "SIZE", allow_hyphen_values = true)]
    pub part_size: Option<Bytes>,
    /// Objects that one request deletes (S3's DeleteObjects); one operation is the whole of it (default: 1)
    #[arg(long, value_name = "NUMBER", value_parser = words::whole::<u32>(1, 1000), allow_negative_numbers = true)]
    pub delete_at_once: Option<u32>,
}

/// Of the file layer.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct TreeArgs {
    /// Files for create-delete, stat, stat-cached, open-read, list, rename, mixed: levels of folders, folders in each folder, files in each
    /// lowest one: 2x8x100. Each job has a tree of its own, unless --shared-folders (default: 1x8x128; of a lab 1x4x32)
    #[arg(long, value_parser = words::tree, value_name = "LEVELSxFOLDERSxFILES")]
    pub tree: Option<Tree>,
    /// All jobs work in the same folders
    #[arg(long)]
    pub shared_folders: bool,
}

/// Numbers that only some layers have.
#[derive(Debug, Clone, Default)]
pub struct OwnNumbers {
    pub sync: Option<Durability>,
    pub pgs: Option<u32>,
    pub object_size: Option<Bytes>,
    pub tree: Option<Tree>,
    pub mix: Option<OpMix>,
    pub objects: Option<u64>,
    pub buckets: Option<u32>,
    pub placement: Option<String>,
    pub part: Option<Bytes>,
    pub sizes: Option<Sizes>,
    pub delete_at_once: Option<u32>,
}

impl OwnNumbers {
    pub fn onto(self, options: WorkloadOptions) -> WorkloadOptions {
        let OwnNumbers { sync, pgs, object_size, tree, mix, objects, buckets, placement, part, sizes, delete_at_once } =
            self;
        WorkloadOptions {
            durability: sync,
            pgs,
            object_size,
            tree,
            mix,
            objects,
            buckets,
            placement,
            part,
            sizes,
            delete_at_once,
            ..options
        }
    }
}

/// How many clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    Number(u32),
    /// As many as it takes to fill the cluster.
    Auto,
}

impl Clients {
    /// On one host, of as many as it takes: beyond that its processors are the limit, not its connections.
    pub const MOST: u32 = 8;
}

impl WorkloadArgs {
    /// Without what only some experiments have (rates, and stamps to check), or only some layers.
    pub fn options(&self) -> WorkloadOptions {
        let clients = match self.clients {
            Some(Clients::Number(clients)) => Some(clients),
            _ => None,
        };
        WorkloadOptions {
            patterns: words::each_once(&self.common.patterns),
            block_size: self.common.block_size,
            depth: self.depth,
            jobs: self.common.jobs,
            clients,
            read_share: self.read_share,
            working_set: self.working_set,
            access: self.access,
            engine: self.engine.clone(),
            engine_options: self.option.iter().cloned().collect(),
            seed: self.common.seed,
            ..WorkloadOptions::default()
        }
    }

    /// Are clients to be doubled?
    pub fn scales_out(&self) -> bool {
        self.clients == Some(Clients::Auto)
    }
}
