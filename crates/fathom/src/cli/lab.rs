//! The arguments of `fathom lab`.

use super::words;
use clap::{Args, Subcommand, ValueEnum};

#[derive(Args, Debug)]
pub struct LabArgs {
    #[command(subcommand)]
    pub command: LabCommand,
}

#[derive(Subcommand, Debug)]
pub enum LabCommand {
    /// Start a cluster and wait until all its placement groups are active and clean
    Up(UpArgs),
    /// Start a lab with a virtual machine that uses images, CephFS and NFS as clients do: up --hosts 3 --with cephfs,nfs,guest
    Guest(UpArgs),
    /// Take a lab down, in whatever state it is; nothing of it is left
    Down(NameArgs),
    /// How a lab is, and where its ceph.conf is
    Status(NameArgs),
    /// The labs of this user
    List,
    /// What can be made wrong with a lab on purpose, and undone
    Fault(FaultArgs),
    /// Kill (SIGKILL), stop (SIGSTOP), continue (SIGCONT), start or restart one daemon: mon.a, mgr.x, osd.0
    Daemon(DaemonArgs),
    /// The process that goes on with a fault; started by the supervisor
    #[command(hide = true)]
    Worker { lab: String, job: String },
    /// The process that holds a lab; started by `up`
    #[command(hide = true)]
    Supervisor { spec: String },
}

#[derive(Args, Debug, Clone)]
pub struct NameArgs {
    /// The lab's name: several run side by side
    #[arg(long, default_value = "default")]
    pub name: String,
}

#[derive(Args, Debug, Clone)]
pub struct UpArgs {
    #[command(flatten)]
    pub name: NameArgs,
    /// What the OSDs keep their data on: sparse files, loop devices over such (root), sparse files in /dev/shm
    #[arg(long, value_enum, default_value_t = BackingArg::File)]
    pub backing: BackingArg,
    /// How many OSDs
    #[arg(long, value_parser = words::whole::<u32>(1, lab::OSDS_MAX), default_value_t = 3, allow_negative_numbers = true)]
    pub osds: u32,
    /// Bytes of each OSD; the files are sparse (default: 10G, or what their place can hold of all of them)
    #[arg(long, value_parser = words::size, allow_hyphen_values = true)]
    pub size: Option<u64>,
    /// Each OSD's database, with its write-ahead log, lies on a device of its own (block.db) of this many bytes, or 2G; needs --backing loop
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true, default_missing_value = "2G", value_parser = words::size)]
    pub db: Option<u64>,
    /// This many hosts, each a network namespace with an address of its own (root); without, all is on the loopback address
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub hosts: u32,
    /// The hosts have a second network, on which the OSDs talk to each other
    #[arg(long, requires = "hosts")]
    pub cluster_network: bool,
    /// What it offers beside its pools: cephfs (a file system), rgw (an object gateway), nfs (the file system by NFS), guest (a virtual machine that uses images
    /// and the file system as clients do; with --hosts)
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SERVICES")]
    pub with: Vec<ServiceArg>,
    /// The monitor's port (default: a free one)
    #[arg(long, value_parser = words::whole::<u16>(1, u16::MAX))]
    pub port: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum ServiceArg {
    Cephfs,
    Rgw,
    Nfs,
    Guest,
}

#[derive(Args, Debug)]
pub struct FaultArgs {
    #[command(subcommand)]
    pub command: FaultCommand,
}

#[derive(Subcommand, Debug)]
pub enum FaultCommand {
    /// The faults that there are, what each takes, and its default value
    List,
    /// Make a fault in a running lab
    On(FaultOnArgs),
    /// Undo a fault, or all of them
    Off(FaultOffArgs),
}

#[derive(Args, Debug)]
pub struct FaultOnArgs {
    /// As in `fathom lab fault list`
    pub fault: String,
    /// What it is to be on, if it takes that: osd.1, a host, two hosts (from, to), POOL/IMAGE
    pub target: Vec<String>,
    /// How much of it, in its unit (default: see the list)
    #[arg(long, allow_hyphen_values = true)]
    pub value: Option<String>,
    #[command(flatten)]
    pub name: NameArgs,
}

#[derive(Args, Debug)]
pub struct FaultOffArgs {
    /// The fault (default: all that are on)
    pub fault: Option<String>,
    /// The target (default: all that it is on)
    pub target: Vec<String>,
    #[command(flatten)]
    pub name: NameArgs,
}

#[derive(Args, Debug)]
pub struct DaemonArgs {
    /// What is done to it
    pub act: ActArg,
    /// Its name: mon.a, mgr.x, osd.0
    pub daemon: String,
    #[command(flatten)]
    pub name: NameArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum BackingArg {
    File,
    Loop,
    Memory,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ActArg {
    Kill,
    Stop,
    Cont,
    Start,
    Restart,
}
