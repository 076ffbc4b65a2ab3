//! Which hosts, how they are reached, and what is wanted of them.

use super::words;
use agents::fleet::HostOptions;
use clap::{Args, Subcommand};
use model::Failure;
use std::path::PathBuf;

/// Where hosts are named, and how they are reached.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Other hosts")]
pub struct HostArgs {
    /// Hosts: a,b[1-9] (ssh), kube:NAMESPACE/POD, podman:NAME, docker:NAME, cephadm:, netns:NAME;
    /// orch[:LABEL] (those that cephadm manages); kube-label:[NAMESPACE/]NAME=VALUE; with --lab a number: this many hosts of the lab
    #[arg(long, value_parser = words::hosts, value_name = "LIST", global = true)]
    pub hosts: Option<String>,
    /// A file of hosts, a list a line
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "hosts")]
    pub hosts_file: Option<PathBuf>,
    /// Hosts of OSDs that load nothing of the cluster: an agent there measures their disks and the network between them, if that is asked for,
    /// and tells what their kernels count. Lists as for --hosts
    #[arg(long, value_name = "LIST", global = true)]
    pub osd_hosts: Option<String>,
    /// Virtual machines: their disks (of `fathom guest`, or --guest-disk) are loaded inside them, and nothing else is. Lists as for --hosts;
    /// none need be named for a lab's guest
    #[arg(long, value_name = "LIST", global = true)]
    pub guests: Option<String>,
    /// Run the agent there as root, by sudo without a password
    #[arg(long, global = true)]
    pub sudo: bool,
    /// The private key for ssh
    #[arg(long, value_name = "FILE", global = true)]
    pub identity: Option<PathBuf>,
    /// Another configuration of ssh than the user's
    #[arg(long, value_name = "FILE", global = true)]
    pub ssh_config: Option<PathBuf>,
    /// As ssh's -o
    #[arg(long, value_name = "NAME=VALUE", global = true)]
    pub ssh_option: Vec<String>,
    /// The program that is sent, if not this one: a build for another kind of machine. Once for each kind: every host gets the
    /// first that fits it
    #[arg(long, value_name = "FILE", global = true)]
    pub agent: Vec<PathBuf>,
}

impl HostArgs {
    pub fn options(&self) -> HostOptions {
        let HostArgs { hosts, hosts_file, osd_hosts, guests, sudo, identity, ssh_config, ssh_option, agent } =
            self.clone();
        HostOptions { hosts, hosts_file, osd_hosts, guests, sudo, identity, ssh_config, ssh_option, agent }
    }

    pub fn named(&self) -> bool {
        self.options().named()
    }

    /// # Errors
    /// It is said how hosts are reached, and none is named: whoever means another host would measure this one.
    pub fn refuse_ways_to_none(&self) -> Result<(), Failure> {
        let ways = [
            ("--sudo", self.sudo),
            ("--identity", self.identity.is_some()),
            ("--ssh-config", self.ssh_config.is_some()),
            ("--ssh-option", !self.ssh_option.is_empty()),
            ("--agent", !self.agent.is_empty()),
        ];
        match ways.into_iter().find(|(_, given)| *given && !self.named()) {
            Some((option, _)) => Err(Failure::Usage(format!(
                "{option}: is about how other hosts are reached, and none is named; name them (--hosts), or leave it out"
            ))),
            None => Ok(()),
        }
    }
}

#[derive(Args, Debug)]
pub struct HostsCommand {
    #[command(flatten)]
    pub hosts: HostArgs,
    /// The hosts of a lab
    #[arg(long, global = true, value_name = "NAME", num_args = 0..=1, default_missing_value = "default", conflicts_with = "hosts_file")]
    pub lab: Option<String>,
    #[command(subcommand)]
    pub then: Option<Then>,
}

#[derive(Subcommand, Debug)]
pub enum Then {
    /// Remove the agents that were sent to the hosts
    Clean,
}
