//! What a crosscheck may be told: what to load, how, and how near the two must come.

use super::words;
use clap::{Args, Subcommand};
use model::{Access, Bytes, Durability, Pattern};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct CrosscheckArgs {
    #[command(subcommand)]
    pub on: On,
}

#[derive(Subcommand, Debug)]
pub enum On {
    /// A device or file: against fio's io_uring, libaio or psync
    Disk(DiskCheck),
    /// Objects of a pool: against fio's rados engine
    Rados(PoolCheck),
    /// Images of a pool: against fio's rbd engine
    Rbd(PoolCheck),
}

#[derive(Args, Debug)]
pub struct DiskCheck {
    /// Block devices, partitions, files; a file that isn't there is made and deleted again; a folder gets one
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write to this device or file although it holds data (the same path again, for each of several); never for one in use
    #[arg(long, value_name = "PATH")]
    pub destroy_data_on: Vec<PathBuf>,
    /// How writes are made durable: none, sync, dsync
    #[arg(long, value_parser = words::durability)]
    pub sync: Option<Durability>,
    /// Ours: io_uring or psync (default: psync for one operation in flight where that is faster)
    #[arg(long)]
    pub engine: Option<String>,
    /// fio's: io_uring, libaio or psync (default: as ours)
    #[arg(long, value_parser = ["io_uring", "libaio", "psync"], value_name = "ENGINE")]
    pub peer_engine: Option<String>,
    #[command(flatten)]
    pub load: LoadArgs,
}

#[derive(Args, Debug)]
pub struct PoolCheck {
    /// Use a lab; one is started, and taken down at the end, if it isn't there
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default")]
    pub lab: Option<String>,
    /// This pool, instead of a temporary one
    #[arg(long)]
    pub pool: Option<String>,
    #[command(flatten)]
    pub load: LoadArgs,
}

#[derive(Args, Debug)]
pub struct LoadArgs {
    /// Only these patterns (default: reads and writes of 4 KiB, one and 128 in flight)
    #[arg(long, value_delimiter = ',', value_parser = words::pattern)]
    pub patterns: Vec<Pattern>,
    /// Bytes of one operation
    #[arg(long, short, value_parser = words::size, value_name = "SIZE", allow_hyphen_values = true)]
    pub block_size: Option<Bytes>,
    /// Operations in flight, over all jobs
    #[arg(long, short, value_parser = words::whole::<u32>(1, 4096), allow_negative_numbers = true)]
    pub depth: Option<u32>,
    /// Threads (images) that share the depth
    #[arg(long, short, value_parser = words::whole::<u32>(1, 256), allow_negative_numbers = true)]
    pub jobs: Option<u32>,
    /// Share of reads in a mixed workload
    #[arg(long, value_parser = words::percent, value_name = "PERCENT", allow_hyphen_values = true)]
    pub read_share: Option<u8>,
    /// Bytes that are read and written, over all jobs
    #[arg(long, value_parser = words::size, value_name = "SIZE", allow_hyphen_values = true)]
    pub working_set: Option<Bytes>,
    /// random or sequential
    #[arg(long, value_parser = words::access)]
    pub access: Option<Access>,
    /// Seed of everything that is drawn by chance (default: another for each run; the report has it)
    #[arg(long, value_parser = words::whole::<u64>(0, u64::MAX), default_value_t = words::seed(), hide_default_value = true, allow_hyphen_values = true)]
    pub seed: u64,
    /// How long each load counts: many short pairs know more than few long ones (default: 300ms on a disk, else 1s)
    #[arg(long, value_parser = words::seconds, value_name = "DURATION", allow_hyphen_values = true)]
    pub duration: Option<f64>,
    /// The front of each load that is not counted: a new process is unlike an old one (default: 300ms on a disk, else 1s)
    #[arg(long, value_parser = words::seconds, value_name = "DURATION", allow_hyphen_values = true)]
    pub front: Option<f64>,
    /// The most pairs of loads for each workload
    #[arg(long, value_parser = words::whole::<u32>(2, 1000), allow_negative_numbers = true, default_value_t = 400)]
    pub rounds: u32,
    /// The most time for each workload
    #[arg(long, value_parser = words::seconds, default_value = "15m", value_name = "DURATION", allow_hyphen_values = true)]
    pub time_max: f64,
    /// How far the ratios may be off 1 (default: 3% at depth 1, else 5%)
    #[arg(long, value_parser = words::share, value_name = "PERCENT", allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Print the plan with its expected time; load nothing
    #[arg(long)]
    pub dry_run: bool,
}
