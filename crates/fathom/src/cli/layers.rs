//! The arguments of the commands that measure: on which layer, which of its things, and how.

use super::experiment::{ExperimentArgs, RatedExperimentArgs};
use super::gateway::GatewayArgs;
use super::run_options::RunOptions;
use super::words;
use super::workload::{
    BucketArgs, CommonWorkloadArgs, NamesArgs, ObjectArgs, PgArgs, SyncArgs, TreeArgs, WorkloadArgs,
};
use clap::Args;
use model::{Bytes, Layer};
use std::path::PathBuf;

/// What a look at several layers is about, and where it takes place.
#[derive(Args, Debug, Clone)]
pub struct LayersArgs {
    /// Only these layers
    #[arg(long, value_delimiter = ',', value_parser = words::layer)]
    pub layers: Vec<Layer>,
    /// Devices and files to load as well (written to only if they are empty)
    #[arg(long = "device", value_name = "PATH")]
    pub devices: Vec<PathBuf>,
    /// A pool for the rados and rbd layers, instead of temporary ones
    #[arg(long)]
    pub pool: Option<String>,
    /// Folders of mounted file systems, or of NFS servers without a mount (nfs://HOST/FOLDER), for the file layer: a file and a folder of the
    /// run's own are made in each, and deleted again
    #[arg(long = "folder", value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// For the guest layer: this disk, which has to be empty, or folder in each of the --guests; `fathom guest` takes disks with data too
    #[arg(long = "guest-disk", value_name = "DISK")]
    pub guest_disks: Vec<PathBuf>,
    /// A file system of the cluster, for the file layer, loaded by libcephfs
    #[arg(long, value_name = "NAME")]
    pub cephfs: Option<String>,
    #[command(flatten)]
    pub gateway: GatewayArgs,
    #[command(flatten)]
    pub run: RunOptions,
}

/// `fathom run`.
#[derive(Args, Debug, Clone)]
pub struct RunArgs {
    #[command(flatten)]
    pub of: LayersArgs,
    #[command(flatten)]
    pub workload: WorkloadArgs,
    #[command(flatten)]
    pub sync: SyncArgs,
    #[command(flatten)]
    pub pgs: PgArgs,
    #[command(flatten)]
    pub objects: ObjectArgs,
    #[command(flatten)]
    pub tree: TreeArgs,
    #[command(flatten)]
    pub experiment: RatedExperimentArgs,
}

/// `E`: by which experiment.
#[derive(Args, Debug, Clone)]
pub struct DiskArgs<E: Args = RatedExperimentArgs> {
    /// Block devices, partitions, files; a file that isn't there is made and deleted again; a folder gets one. With a lab or with
    /// hosts none need be named: then it is the lab's disks, or the hosts' OSD devices, which are only read
    #[arg(required_unless_present_any = ["lab", "hosts", "hosts_file", "osd_hosts"])]
    pub paths: Vec<PathBuf>,
    /// Write to this device or file although it holds data (the same path again, for each of several); never for one in use
    #[arg(long, value_name = "PATH")]
    pub destroy_data_on: Vec<PathBuf>,
    #[command(flatten)]
    pub sync: SyncArgs,
    #[command(flatten)]
    pub layer: LayerArgs<E>,
}

/// `fathom disk`.
#[derive(Args, Debug, Clone)]
pub struct DiskCommand {
    #[command(flatten)]
    pub disk: DiskArgs,
    #[command(flatten)]
    pub sustained: SustainedArgs,
    #[command(flatten)]
    pub fit: FitArgs,
}

/// What it measures is given: anything else would answer another question.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Fit for Ceph?")]
pub struct FitArgs {
    /// Is the drive fit for Ceph? Says fit, fit if its write cache is off, not for journals and metadata, unfit, or not decided, and why.
    /// It has its own loads: writes made durable in each way against others, reads, a mix, large blocks
    #[arg(long, conflicts_with_all = [
        "patterns", "block_size", "jobs", "depth", "clients", "read_share", "access", "option", "sync", "rate", "rate_max_where",
        "verify", "ab", "verdict", "expect",
    ])]
    pub fit: bool,
    /// Prints lines for the table of known drives (docs/drives.md), instead of the report
    #[arg(long, requires = "fit")]
    pub export: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TrimWhen {
    Before,
    After,
}

#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Sustained writes")]
#[command(group = clap::ArgGroup::new("lasting").args(["sustained", "until_steady"]).multiple(true))]
pub struct SustainedArgs {
    /// Write without pause until the rate has fallen by a fifth and stayed there for 10 s; one device of each model. Patterns
    /// are measured before it only if --patterns names some
    #[arg(long, conflicts_with_all = ["rate_max_where", "ab", "verdict", "expect"])]
    pub sustained: bool,
    /// Write 4 KiB at random, 32 in flight, until the rate is steady: 95 % of it were written (at random or by --fill-levels), and in five rounds in a row the highest and
    /// lowest rate differ by at most a fifth of their mean, without a trend (SNIA). A round is a 25th of --for, a second at least and a minute at most. After --sustained or --fit, if they are given as well
    #[arg(long, conflicts_with_all = ["rate_max_where", "ab", "verdict", "expect"])]
    pub until_steady: bool,
    /// --until-steady once for each of these: all of the device, which --destroy-data-on must name, is discarded (trimmed), then this
    /// much of it written: 0,50,90
    #[arg(long, value_parser = words::fill_level, value_delimiter = ',', value_name = "PERCENT", requires = "until_steady", allow_hyphen_values = true)]
    pub fill_levels: Vec<u8>,
    /// Discard (trim) all of the device, which --destroy-data-on must name, before the writes without pause, after them, or both:
    /// before,after
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHEN", requires = "lasting")]
    pub trim: Vec<TrimWhen>,
    /// The most time of each (default: 15m)
    #[arg(long = "for", value_parser = words::seconds, value_name = "DURATION", requires = "lasting", allow_hyphen_values = true)]
    pub most_time: Option<f64>,
    /// The most that each writes (default: 30 % of an empty or given up device, or of a file system's free space; of --until-steady on a
    /// device no limit)
    #[arg(long, value_parser = words::size, value_name = "SIZE", requires = "lasting", allow_hyphen_values = true)]
    pub volume: Option<Bytes>,
}

/// `fathom network`: its steps have their own numbers of operations in flight, and it keeps no data.
#[derive(Args, Debug, Clone)]
pub struct NetworkArgs {
    /// Within this host alone: what its own processors and kernel can do, and nothing of the way to others
    #[arg(long, conflicts_with_all = ["lab", "hosts", "hosts_file", "osd_hosts"])]
    pub loopback: bool,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub workload: CommonWorkloadArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
}

/// `fathom store`.
#[derive(Args, Debug, Clone)]
pub struct StoreArgs<E: Args = RatedExperimentArgs> {
    /// Only these OSDs
    #[arg(value_parser = words::osd)]
    pub osds: Vec<u32>,
    /// Each alone only, not all at once as well
    #[arg(long)]
    pub alone: bool,
    #[command(flatten)]
    pub layer: LayerArgs<E>,
}

/// `fathom osd`.
#[derive(Args, Debug, Clone)]
pub struct OsdArgs<E: Args = RatedExperimentArgs> {
    #[command(flatten)]
    pub osds: StoreArgs<E>,
    #[command(flatten)]
    pub objects: ObjectArgs,
}

#[derive(Args, Debug, Clone)]
pub struct PoolArgs<E: Args = RatedExperimentArgs> {
    /// This pool, instead of a temporary one
    #[arg(long)]
    pub pool: Option<String>,
    #[command(flatten)]
    pub pgs: PgArgs,
    #[command(flatten)]
    pub layer: LayerArgs<E>,
}

/// `fathom rados`.
#[derive(Args, Debug, Clone)]
pub struct RadosArgs<E: Args = RatedExperimentArgs> {
    #[command(flatten)]
    pub of: PoolArgs<E>,
    #[command(flatten)]
    pub objects: ObjectArgs,
}

/// `fathom rbd`.
#[derive(Args, Debug, Clone)]
pub struct RbdArgs<E: Args = RatedExperimentArgs> {
    /// This image of the pool, only read
    #[arg(long, requires = "pool")]
    pub image: Option<String>,
    /// Where the data of the images lie, if not in --pool, which keeps their names then: an erasure-coded pool, say
    #[arg(long, value_name = "POOL", conflicts_with = "image")]
    pub data_pool: Option<String>,
    #[command(flatten)]
    pub of: PoolArgs<E>,
}

/// `fathom rbd`, with what is no workload.
#[derive(Args, Debug, Clone)]
pub struct RbdCommand {
    #[command(flatten)]
    pub images: RbdArgs,
    /// What a write and a read cost in each state of an image: fresh, filled, a third overwritten, with a new snapshot, a clone (first and
    /// later writes), flattened, written by two clients in turns. One operation of --block-size (4 KiB) at a time; --working-set is the size of an
    /// image (256 MiB, in a lab 64 MiB)
    #[arg(long, conflicts_with_all = [
        "patterns", "jobs", "depth", "clients", "read_share", "access", "option", "rate", "rate_max_where", "verify", "ab", "verdict", "expect",
        "image", "passes", "over", "duration", "time_max", "engine",
    ])]
    pub states: bool,
}

/// `fathom file`.
#[derive(Args, Debug, Clone)]
pub struct FileCommand<E: Args = RatedExperimentArgs> {
    /// Folders of mounted file systems (CephFS, NFS, any other), or of NFS servers without a mount (nfs://HOST/FOLDER). A file and a folder of
    /// the run's own are made in each, and deleted again
    #[arg(required_unless_present_any = ["cephfs", "lab", "data_pool"], value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// A file system of the cluster, loaded by libcephfs: nothing need be mounted. A folder of the run's own is made in it, and deleted again
    #[arg(long, value_name = "NAME")]
    pub cephfs: Option<String>,
    /// Where the bytes of the files lie, by libcephfs: this data pool of the file system, an erasure-coded one, say. (Of a mounted folder its
    /// layout says it)
    #[arg(long, value_name = "POOL")]
    pub data_pool: Option<String>,
    #[command(flatten)]
    pub sync: SyncArgs,
    #[command(flatten)]
    pub tree: TreeArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    #[command(flatten)]
    pub layer: LayerArgs<E>,
}

/// `fathom object`.
#[derive(Args, Debug, Clone)]
pub struct ObjectCommand<E: Args = RatedExperimentArgs> {
    #[command(flatten)]
    pub gateway: GatewayArgs,
    #[command(flatten)]
    pub buckets: BucketArgs,
    #[command(flatten)]
    pub objects: ObjectArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    #[command(flatten)]
    pub layer: LayerArgs<E>,
}

/// `fathom guest`.
#[derive(Args, Debug, Clone)]
pub struct GuestCommand<E: Args = RatedExperimentArgs> {
    /// Disks inside the guests whose images lie in the cluster, and folders that are mounted there, of which each gets a file that is deleted
    /// again; the same in each guest. Of a lab's guest none need be named
    #[arg(required_unless_present = "lab", value_name = "DISK")]
    pub paths: Vec<PathBuf>,
    /// Write to this disk of the guests although it holds data (the same path again, for each of several); never to one in use
    #[arg(long, value_name = "DISK")]
    pub destroy_data_on: Vec<PathBuf>,
    #[command(flatten)]
    pub sync: SyncArgs,
    #[command(flatten)]
    pub layer: LayerArgs<E>,
}

#[derive(Args, Debug, Clone)]
pub struct FioArgs {
    /// The job file; what is not supported is named with its line, and then nothing is done
    #[arg(value_name = "JOB.fio")]
    pub file: PathBuf,
    /// Only this section; may be given several times
    #[arg(long, value_name = "NAME")]
    pub section: Vec<String>,
    /// Write to this device or file although it holds data (the same path again, for each of several); never for one in use
    #[arg(long, value_name = "PATH")]
    pub destroy_data_on: Vec<PathBuf>,
    #[command(flatten)]
    pub run: RunOptions,
}

#[derive(Args, Debug, Clone)]
pub struct LayerArgs<E: Args = RatedExperimentArgs> {
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub workload: WorkloadArgs,
    #[command(flatten)]
    pub experiment: E,
}
