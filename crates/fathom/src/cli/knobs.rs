//! What a run may be told: layers, patterns, the numbers of the workload, when a figure is good enough.

use super::hosts::HostArgs;
use super::words;
use crate::planner::ab;
use clap::Args;
use ipnet::IpNet;
use model::plan::{SPREAD_BY_LOT, USUAL_SETTLE};
use model::{Access, Arrivals, Bound, Bytes, Durability, Goal, Layer, Pattern, Rate, ShortSlices};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Args, Debug, Clone)]
pub struct RunArgs {
    /// Only these layers
    #[arg(long, value_delimiter = ',', value_parser = words::layer)]
    pub layers: Vec<Layer>,
    /// Devices and files to load as well (written to only if they are empty)
    #[arg(long = "device", value_name = "PATH")]
    pub devices: Vec<PathBuf>,
    #[command(flatten)]
    pub ground: GroundArgs,
    #[command(flatten)]
    pub knobs: Knobs,
    #[command(flatten)]
    pub settle: SettleArgs,
    /// A pool for the rados and rbd layers, instead of temporary ones
    #[arg(long)]
    pub pool: Option<String>,
}

/// `S`: when a figure is good enough.
#[derive(Args, Debug, Clone)]
pub struct DiskArgs<S: Args = SettleArgs> {
    /// Block devices, partitions, files; a file that isn't there is made and deleted again; a folder gets one. With a lab or with
    /// hosts none need be named: then it is the lab's disks, or the hosts' OSD devices, which are only read
    #[arg(required_unless_present_any = ["lab", "hosts", "hosts_file", "osd_hosts"])]
    pub paths: Vec<PathBuf>,
    /// Write to this device or file although it holds data (the same path again); never for one in use
    #[arg(long, value_name = "PATH")]
    pub destroy_data_on: Option<PathBuf>,
    #[command(flatten)]
    pub layer: LayerArgs<S>,
}

/// `fathom disk`.
#[derive(Args, Debug, Clone)]
pub struct DiskCommand {
    #[command(flatten)]
    pub disk: DiskArgs,
    #[command(flatten)]
    pub sustained: SustainedArgs,
}

#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Sustained writes")]
pub struct SustainedArgs {
    /// Write without pause until the rate has fallen by a fifth and stayed there for 10 s; one device of each model. Patterns
    /// are measured before it only if --patterns names some
    #[arg(long, conflicts_with_all = ["rate_max_where", "ab", "verdict", "expect"])]
    pub sustained: bool,
    /// The most time of it (default: 15m)
    #[arg(long = "for", value_parser = words::seconds, value_name = "DURATION", requires = "sustained")]
    pub most_time: Option<f64>,
    /// The most that it writes (default: 30 % of an empty or given up device, or of a file system's free space)
    #[arg(long, value_parser = words::size, value_name = "SIZE", requires = "sustained")]
    pub volume: Option<Bytes>,
}

#[derive(Args, Debug, Clone)]
pub struct OsdArgs<S: Args = SettleArgs> {
    /// Only these OSDs
    #[arg(value_parser = words::osd)]
    pub osds: Vec<u32>,
    /// Each alone only, not all at once as well
    #[arg(long)]
    pub alone: bool,
    #[command(flatten)]
    pub layer: LayerArgs<S>,
}

#[derive(Args, Debug, Clone)]
pub struct PoolArgs<S: Args = SettleArgs> {
    /// This pool, instead of a temporary one
    #[arg(long)]
    pub pool: Option<String>,
    /// This image of the pool, only read (rbd)
    #[arg(long, requires = "pool")]
    pub image: Option<String>,
    #[command(flatten)]
    pub layer: LayerArgs<S>,
}

#[derive(Args, Debug, Clone)]
pub struct FioArgs {
    /// The job file; what is not supported is named with its line, and then nothing is done
    #[arg(value_name = "JOB.fio")]
    pub file: PathBuf,
    /// Only this section; may be given several times
    #[arg(long, value_name = "NAME")]
    pub section: Vec<String>,
    /// Write to this device or file although it holds data (the same path again); never for one in use
    #[arg(long, value_name = "PATH")]
    pub destroy_data_on: Option<PathBuf>,
    #[command(flatten)]
    pub ground: GroundArgs,
}

#[derive(Args, Debug, Clone)]
pub struct LayerArgs<S: Args = SettleArgs> {
    #[command(flatten)]
    pub ground: GroundArgs,
    #[command(flatten)]
    pub knobs: Knobs,
    #[command(flatten)]
    pub settle: S,
}

/// On what.
#[derive(Args, Debug, Clone, Default)]
pub struct GroundArgs {
    /// Use a lab; one is started, and taken down at the end, if it isn't there
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default")]
    pub lab: Option<String>,
    #[command(flatten)]
    pub hosts: HostArgs,
    /// Between which of the hosts' addresses: 10.1.0.0/24,10.2.0.0/24. The load takes the first network; the others are measured
    /// beside it (default: where clients reach the OSDs, and the cluster network if it is another one)
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = words::network, help_heading = "Other hosts")]
    pub networks: Vec<IpNet>,
    /// Print the plan with its expected time; measure nothing
    #[arg(long)]
    pub dry_run: bool,
    /// While the run lasts, keep the cluster from scrubbing, from moving placement groups (balancer) and from resizing them
    /// (autoscaler); first wait, at most 5 min, for what goes on already
    #[arg(long)]
    pub quiesce: bool,
    /// Also write a report here; its ending says what it becomes: .html, .md, .json
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// While the run lasts, give Prometheus what is known so far, at http://ADDRESS:PORT/metrics
    #[arg(long, value_parser = words::address, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
}

#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct Knobs {
    /// Only these patterns
    #[arg(long, value_delimiter = ',', value_parser = words::pattern)]
    pub patterns: Vec<Pattern>,
    /// Bytes of one operation
    #[arg(long, short, value_parser = words::size, value_name = "SIZE")]
    pub block_size: Option<Bytes>,
    /// Operations in flight, over all jobs
    #[arg(long, short, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub depth: Option<u32>,
    /// Operations a second on each target, started when they are due and timed from then on (device, osd, rados, rbd)
    #[arg(long, value_parser = words::rate, value_name = "NUMBER")]
    pub rate: Option<f64>,
    /// With --rate and --rate-max-where: poisson (the default), as users who know nothing of each other, or even
    #[arg(long, value_parser = words::arrivals)]
    pub arrivals: Option<Arrivals>,
    /// Search for the highest rate that keeps a bound on response times: 'p99<10ms' (quote it)
    #[arg(long, value_parser = words::bound, value_name = "BOUND", conflicts_with = "rate")]
    pub rate_max_where: Option<(f64, f64)>,
    /// One setting against another, slice beside slice: pool=A,B, engine=A,B, option:WHO/NAME=VALUE, nothing (see the guide)
    #[arg(long, value_parser = ab::parse, value_name = "SETTING=A,B", conflicts_with = "rate_max_where")]
    pub ab: Option<ab::Wish>,
    /// Threads (images, connections) that share the depth
    #[arg(long, short, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Clients that share the jobs, each with a connection of its own (osd, rados, rbd); a job each unless --jobs says more. auto:
    /// double them, over the hosts and then on each, until the cluster is full and not the client (rados, rbd)
    #[arg(long, value_parser = words::clients, value_name = "N|auto")]
    pub clients: Option<Clients>,
    /// Share of reads in a mixed workload
    #[arg(long, value_parser = words::percent, value_name = "PERCENT")]
    pub read_share: Option<u8>,
    /// Bytes that are read and written, over all jobs; of a device the first ones
    #[arg(long, value_parser = words::size, value_name = "SIZE")]
    pub working_set: Option<Bytes>,
    /// random, sequential, zipf[:EXPONENT]
    #[arg(long, value_parser = words::access)]
    pub access: Option<Access>,
    /// How writes are made durable: none, sync, dsync, fsync, fdatasync, group-commit (device; floor: all but none). Else
    /// write-latency is measured with dsync and with fdatasync, of which the worse counts, and other writes of a device with
    /// group-commit
    #[arg(long, value_parser = words::durability)]
    pub sync: Option<Durability>,
    /// Placement groups of the temporary pool (rados, rbd)
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=65_536), value_name = "N")]
    pub pgs: Option<u32>,
    /// Bytes of one object (osd, rados)
    #[arg(long, value_parser = words::size, value_name = "SIZE")]
    pub object_size: Option<Bytes>,
    /// io_uring or psync (device)
    #[arg(long)]
    pub engine: Option<String>,
    /// An option of the engine
    #[arg(long, value_parser = words::option, value_name = "NAME=VALUE")]
    pub option: Vec<(String, String)>,
    /// Stamp what is written and check what is read back (device, osd, rados, rbd); costs CPU
    #[arg(long)]
    pub verify: bool,
    /// Seed of everything that is drawn by chance (default: another for each run; the report has it)
    #[arg(long, default_value_t = words::seed(), hide_default_value = true)]
    pub seed: u64,
    /// Writes are made durable only as fio can do it, in one way: write-latency with O_DSYNC, others not.
    #[arg(skip)]
    pub as_fio: bool,
    /// Of a lab, on which a temporary pool shall lie.
    #[arg(skip)]
    pub osds: Option<u32>,
    /// Options of the cluster that a point of a sweep needs, or one side of --ab.
    #[arg(skip)]
    pub settings: BTreeMap<String, String>,
}

#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "When a figure is good enough")]
pub struct SettleArgs {
    /// Half-width of the 95 % interval, with --ab of the change (default: 10%, with --ab 4%)
    #[arg(long, conflicts_with = "rate_max_where", value_parser = words::share, value_name = "PERCENT")]
    pub settle: Option<f64>,
    /// The most time for one figure
    #[arg(long, value_parser = words::seconds, default_value = "60s", value_name = "DURATION")]
    pub time_max: f64,
    /// The most passes over the plan, of long slices; with --quick and --duration 1 unless said otherwise (default: as many short
    /// slices as fit)
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub passes: Option<u32>,
    /// Spread each figure's slices over so much time: it then speaks of that time (default: of as long as measuring takes)
    #[arg(long, value_parser = words::seconds, value_name = "DURATION",
          conflicts_with_all = ["quick", "duration", "passes", "verdict", "expect", "rate", "rate_max_where", "ab"])]
    pub over: Option<f64>,
    /// Short slices, one pass
    #[arg(long, conflicts_with = "duration")]
    pub quick: bool,
    /// Stop each figure as soon as it is known on which side of its threshold in this file it lies
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quick", "duration", "settle", "expect", "rate", "rate_max_where", "ab"])]
    pub verdict: Option<PathBuf>,
    /// The same against an earlier run: -10% allows a tenth less than it had
    #[arg(long, num_args = 2, value_names = ["RUN", "CHANGE"], allow_hyphen_values = true,
          conflicts_with_all = ["quick", "duration", "settle", "rate", "rate_max_where", "ab"])]
    pub expect: Option<Vec<String>>,
    /// Slices of this length, settled or not, in one pass
    #[arg(long, value_parser = words::seconds, value_name = "DURATION")]
    pub duration: Option<f64>,
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

    /// The most that there may be.
    pub fn number(self) -> u32 {
        match self {
            Clients::Number(number) => number,
            Clients::Auto => Clients::MOST,
        }
    }
}

impl Knobs {
    /// On one host, if clients are to be doubled.
    pub fn clients_most(&self) -> Option<u32> {
        (self.clients == Some(Clients::Auto)).then_some(Clients::MOST)
    }

    pub fn knows_rates(layer: Layer) -> bool {
        !matches!(layer, Layer::Network | Layer::Floor | Layer::Store)
    }

    pub fn knows_clients(layer: Layer) -> bool {
        matches!(layer, Layer::Osd | Layer::Rados | Layer::Rbd)
    }

    /// Clients on this layer.
    pub fn clients_on(&self, layer: Layer) -> u32 {
        self.clients.filter(|_| Knobs::knows_clients(layer)).map_or(1, Clients::number)
    }

    /// The open loop of this layer, if there is one: a store's bench knows no rate, and a network has nothing that a
    /// request could wait for.
    pub fn rate_on(&self, layer: Layer) -> Option<Rate> {
        let able = Knobs::knows_rates(layer);
        let arrivals = self.arrivals.unwrap_or(Arrivals::Poisson);
        self.rate.filter(|_| able).map(|per_second| Rate { per_second, arrivals })
    }

    /// Is an open loop asked for, of a rate that is given or searched for?
    pub fn open(&self) -> bool {
        self.rate.is_some() || self.rate_max_where.is_some()
    }

    pub fn bound(&self) -> Option<Bound> {
        let arrivals = self.arrivals.unwrap_or(Arrivals::Poisson);
        self.rate_max_where.map(|(percent, ms)| Bound { percent, ms, arrivals })
    }
}

impl SettleArgs {
    /// As many pairs of slices as are wished, or until the change is known well enough.
    pub fn beside(&self, seed: u64) -> Goal {
        let seconds = self.duration.or(self.quick.then_some(3.2));
        let usual = Goal::beside(seed);
        Goal {
            settle: self.settle.unwrap_or(if self.quick { 0.10 } else { usual.settle }),
            passes_min: self.passes.unwrap_or(usual.passes_min),
            passes_max: self.passes.unwrap_or(usual.passes_max),
            read_slice_seconds: seconds.unwrap_or(usual.read_slice_seconds),
            write_slice_seconds: seconds.unwrap_or(usual.write_slice_seconds),
            fixed: seconds.is_some(),
            window_ms: if seconds.is_some_and(|seconds| seconds < 6.4) { 50 } else { 100 },
            ..usual
        }
    }

    /// Slices in which a rate is confirmed: three of 20 s, or what is wished.
    pub fn confirming(&self, seed: u64, bound: Bound) -> Goal {
        let passes = self.passes.unwrap_or(if self.quick { 1 } else { 3 });
        let seconds = self.duration.unwrap_or(20.0);
        Goal {
            bound: Some(bound),
            passes_min: passes,
            passes_max: passes,
            read_slice_seconds: seconds,
            write_slice_seconds: seconds,
            seconds_max: f64::from(u32::MAX),
            fixed: true,
            window_ms: 50,
            seed,
            ..Goal::default()
        }
    }

    pub fn goal(&self, seed: u64) -> Goal {
        if self.quick {
            let quick = Goal::quick(seed);
            let passes_max = self.passes.unwrap_or(quick.passes_max);
            return Goal { settle: self.settle.unwrap_or(quick.settle), passes_max, ..quick };
        }
        let settle = self.settle.unwrap_or(USUAL_SETTLE);
        if let Some(seconds) = self.duration {
            return Goal { settle, seed, ..fixed(seconds, self.passes.unwrap_or(1)) };
        }
        let usual = spread(Goal::usual(settle, self.time_max, seed), self.over);
        // Few passes are long ones.
        let Some(passes_max) = self.passes else { return usual };
        let long = Goal::default();
        Goal {
            settle,
            seconds_max: self.time_max,
            passes_min: long.passes_min.min(passes_max),
            passes_max,
            seed,
            ..long
        }
    }
}

/// Slices so far apart that they lie spread over so much time.
fn spread(goal: Goal, over: Option<f64>) -> Goal {
    let (Some(short), Some(over)) = (goal.short, over) else { return goal };
    let slices = f64::from(judge::looks_for(goal.settle)) - 2.0;
    let apart = over / slices / (1.0 + SPREAD_BY_LOT / 2.0) - short.seconds - short.front_seconds;
    let short = ShortSlices { apart_seconds: apart.max(short.apart_seconds), ..short };
    // What does not settle has as much again.
    Goal { short: Some(short), run_seconds: Some(2.0 * over), ..goal }
}

/// Slices of this length, settled or not, in so many passes.
pub fn fixed(seconds: f64, passes: u32) -> Goal {
    Goal {
        // Nothing but the passes ends it: a slice in which hardly anything ends lasts three times its length.
        seconds_max: 3.0 * f64::from(passes) * seconds,
        passes_min: passes,
        passes_max: passes,
        read_slice_seconds: seconds,
        write_slice_seconds: seconds,
        fixed: true,
        window_ms: if seconds < 6.4 { 50 } else { 100 },
        ..Goal::default()
    }
}
