//! Options of every command that measures: lab, hosts, networks, dry run, report.

use super::hosts::HostArgs;
use super::lab::ServiceArg;
use super::words;
use clap::Args;
use ipnet::IpNet;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What holds for any measurement: where it takes place, and what is shown of it.
#[derive(Args, Debug, Clone, Default)]
pub struct RunOptions {
    /// Use a lab; one is started, and taken down at the end, if it isn't there
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default", help_heading = "Run")]
    pub lab: Option<String>,
    /// What a lab that is started offers beside its pools: cephfs (a file system), rgw (an object gateway), nfs, guest: as for `lab up`
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SERVICES", requires = "lab", help_heading = "Run")]
    pub with: Vec<ServiceArg>,
    #[command(flatten)]
    pub hosts: HostArgs,
    /// Between which of the hosts' addresses: 10.1.0.0/24,10.2.0.0/24. The load takes the first network; the others are measured
    /// beside it (default: where clients reach the OSDs, and the cluster network if it is another one)
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = words::network, help_heading = "Other hosts")]
    pub networks: Vec<IpNet>,
    /// Print the plan with its expected time; measure nothing
    #[arg(long, help_heading = "Run")]
    pub dry_run: bool,
    /// While the run lasts, keep the cluster from scrubbing, from moving placement groups (balancer) and from resizing them
    /// (autoscaler); first wait, at most 5 min, for what goes on already
    #[arg(long, help_heading = "Run")]
    pub quiesce: bool,
    /// Also write a report here; its ending says what it becomes: .html, .md, .json. An earlier report is replaced, and a link (not what it
    /// leads to); no other file
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub report: Option<PathBuf>,
    /// While the run lasts, give Prometheus what is known so far, at http://ADDRESS:PORT/metrics
    #[arg(long, value_parser = words::address, value_name = "ADDRESS:PORT", help_heading = "Run")]
    pub listen: Option<SocketAddr>,
}

impl RunOptions {
    /// The services that are named, each once.
    pub fn services(&self) -> Vec<lab::Service> {
        self.with.iter().copied().collect::<BTreeSet<_>>().into_iter().map(Into::into).collect()
    }
}
