//! The command line, as data.

pub mod ab;
pub mod audit;
pub mod axes;
pub mod cluster;
pub mod crosscheck;
pub mod diagnose;
#[cfg(test)]
mod documented;
pub mod experiment;
pub mod gateway;
pub mod hosts;
pub mod lab;
pub mod layers;
pub mod prove;
pub mod run_options;
pub mod sweep;
pub mod thresholds;
pub mod words;
pub mod workload;

use clap::{Args, Parser, Subcommand, ValueEnum};
use experiment::ExperimentArgs;
use std::path::PathBuf;

#[derive(Parser, Debug)]
#[command(
    name = "fathom",
    version,
    about = "Measures every layer of a Ceph cluster, from the disk to images, files, buckets and virtual machines, and says what each one takes"
)]
#[command(after_help = "Exit codes: 0 done; 1 failed; 2 wrong usage or input; 3 refused for safety; \
                        4 done, but figures are unsettled, implausible or missing, operations failed, a drive's fitness is not decided, an audit has hints or \
                        did not reach a host, or a comparison lacks figures; 5 a figure is worse than its threshold, --ab, prove or compare found something \
                        worse, fio's figure differs, or a drive is unfit; 130 a second Ctrl-C.")]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Args, Debug, Clone)]
pub struct Common {
    /// Where runs are kept (default: $XDG_DATA_HOME/fathom/archive.sqlite)
    #[arg(long, global = true, value_name = "FILE")]
    pub archive: Option<PathBuf>,
    /// What is printed on standard output
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// The long lists of a run as well: each target, what is not settled and why, how it was measured
    #[arg(long, global = true)]
    pub details: bool,
    /// No progress on standard error
    #[arg(long, short, global = true)]
    pub quiet: bool,
    #[command(flatten)]
    pub cluster: cluster::ClusterArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    Markdown,
    /// A line for each figure
    Csv,
    /// CSV, a line for each window of each slice
    Windows,
    /// As fio's --output-format=json+
    FioJson,
    /// For Prometheus
    Openmetrics,
    /// Lines for the table of known drives (docs/drives.md), of a run with --fit
    Drives,
}

impl Format {
    /// Is it a form of runs only?
    pub fn of_runs(self) -> bool {
        matches!(self, Format::Csv | Format::Windows | Format::FioJson | Format::Openmetrics | Format::Drives)
    }
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Measure all layers that are found
    Run(layers::RunArgs),
    /// Why it is slow: a short look at every layer, then a test of each suspected cause (log levels and message delays of OSDs that alone have
    /// them set are set to the usual ones for that, and put back)
    Diagnose(diagnose::DiagnoseArgs),
    /// What settings and states of the cluster and its hosts hint at, in seconds; nothing is loaded or changed
    Audit(audit::AuditArgs),
    /// A rule of the diagnosis: what it looks for, how, what to do; without a name all of them
    Explain(audit::ExplainArgs),
    /// What a change would bring: an option set and put back in turns; at the end all is as it was
    Prove(prove::ProveArgs),
    /// One disk, partition or file
    Disk(layers::DiskCommand),
    /// The network: round trips and bulk
    Network(layers::NetworkArgs),
    /// What any replicated store could do at best on these hosts: writes that two or three of them keep
    Floor(layers::DiskArgs<ExperimentArgs>),
    /// Each OSD's object store, by the OSD's own bench
    Store(layers::StoreArgs<ExperimentArgs>),
    /// Each OSD alone, then all at once
    Osd(layers::OsdArgs),
    /// Objects of a pool
    Rados(layers::RadosArgs),
    /// Images of a pool
    Rbd(layers::RbdCommand),
    /// A mounted file system: blocks of a file, and files by their names (create, stat, open, list, rename, delete)
    File(layers::FileCommand),
    /// Whole objects of a bucket, at an object gateway (S3 or Swift)
    Object(layers::ObjectCommand),
    /// Disks of virtual machines, and file systems that are mounted in them, loaded inside
    Guest(layers::GuestCommand),
    /// The sections of a job file of fio
    Fio(layers::FioArgs),
    /// One workload with lists instead of numbers: every combination, and where the curve bends
    Sweep(sweep::SweepArgs),
    /// The runs in the archive
    Runs,
    /// One run again, from the archive alone
    Show(ShowArgs),
    /// HTML, Markdown or JSON of a run
    Report(ReportArgs),
    /// What two runs, or two groups of runs, differ by beyond the noise
    Compare(CompareArgs),
    /// Take results of fio, rados bench or elbencho into the archive
    Import(ImportArgs),
    /// Do Fathom and fio agree under the same load? In turns, until it is known
    Crosscheck(crosscheck::CrosscheckArgs),
    /// Remove a run from the archive (`last`: the newest one, whatever there is of it)
    Rm(ShowArgs),
    /// Undo what a crashed run left
    Restore(RestoreArgs),
    /// The hosts that can be reached: what each is made of, how far its clock is off, what is missing
    Hosts(hosts::HostsCommand),
    /// A throwaway Ceph cluster on this machine
    Lab(lab::LabArgs),
    /// What runs on another host; started over ssh and the like, and speaks frames
    #[command(hide = true)]
    Agent,
}

#[derive(Args, Debug)]
pub struct ShowArgs {
    /// Run id, the beginning of one, or `last`
    #[arg(default_value = "last")]
    pub run: String,
}

#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Run id, the beginning of one, or `last`
    #[arg(default_value = "last")]
    pub run: String,
    /// The file; its ending says what it becomes: .html, .md, .json. An earlier report is replaced, and a link (not what it
    /// leads to); no other file
    #[arg(long, short, default_value = "fathom-report.html")]
    pub output: PathBuf,
}

#[derive(Args, Debug)]
pub struct ImportArgs {
    /// What fio --output-format=json or json+, rados bench (text or --format json) or elbencho (--csvfile, --jsonfile)
    /// wrote; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What the target is called here (`pool vms`, `/dev/sdx`), where the results don't name it as Fathom does
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
}

#[derive(Args, Debug)]
pub struct CompareArgs {
    /// The run before, or several (A,B,C): ids, beginnings of ids, `last`
    #[arg(required_unless_present_any = ["history", "until", "runs"], conflicts_with_all = ["history", "until", "runs"])]
    pub before: Option<String>,
    /// The run after, or several
    #[arg(required_unless_present_any = ["history", "until", "runs"], conflicts_with_all = ["history", "until", "runs"])]
    pub after: Option<String>,
    /// Where the figures of the newest run changed, over all runs on the same cluster
    #[arg(long)]
    pub history: bool,
    /// With --history: up to this run
    #[arg(long, default_value = "last", value_name = "RUN", requires = "history")]
    pub until: String,
    /// With --history: at most this many of the latest runs
    #[arg(long, value_parser = words::whole::<u32>(2, 500), allow_negative_numbers = true, default_value_t = 100, requires = "history")]
    pub runs: u32,
}

#[derive(Args, Debug)]
pub struct RestoreArgs {
    /// Don't ask
    #[arg(long)]
    pub yes: bool,
    /// Undo only what this run left
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Of a lab
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default")]
    pub lab: Option<String>,
    /// Also what agents on these hosts left when they were killed; and by them OSDs are restarted
    #[command(flatten)]
    pub hosts: hosts::HostArgs,
}
