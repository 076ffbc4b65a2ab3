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
    /// Take a lab down, in whatever state it is; nothing of it is left
    Down(NameArgs),
    /// How a lab is, and where its ceph.conf is
    Status(NameArgs),
    /// The labs of this user
    List,
    /// Kill (SIGKILL), stop (SIGSTOP), continue or start one daemon: mon.a, mgr.x, osd.0
    #[command(hide = true)]
    Daemon(DaemonArgs),
    /// The process that holds a lab; started by `up`
    #[command(hide = true)]
    Supervisor { spec: String },
}

#[derive(Args, Debug)]
pub struct NameArgs {
    #[arg(long, default_value = "default")]
    pub name: String,
}

#[derive(Args, Debug)]
pub struct UpArgs {
    #[command(flatten)]
    pub name: NameArgs,
    /// What the OSDs keep their data on: sparse files, loop devices over such (root), sparse files in /dev/shm
    #[arg(long, value_enum, default_value_t = BackingArg::File)]
    pub backing: BackingArg,
    #[arg(long, default_value_t = 3)]
    pub osds: u32,
    /// Bytes of each OSD; the files are sparse (default: 10G, or what their place can hold of all of them)
    #[arg(long, value_parser = words::size)]
    pub size: Option<u64>,
    /// This many hosts, each a network namespace with an address of its own (root); without, all is on the loopback address
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub hosts: u32,
    /// The hosts have a second network, on which the OSDs talk to each other
    #[arg(long, requires = "hosts")]
    pub cluster_network: bool,
    /// The monitor's port (default: a free one)
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
}

#[derive(Args, Debug)]
pub struct DaemonArgs {
    pub act: ActArg,
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
}
