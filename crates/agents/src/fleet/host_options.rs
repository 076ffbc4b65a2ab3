//! Where hosts are named, and how they are reached.

use std::path::PathBuf;

#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// A list of hosts, or how many of a lab.
    pub hosts: Option<String>,
    /// A file of hosts, a list a line.
    pub hosts_file: Option<PathBuf>,
    /// Hosts of OSDs that load nothing of the cluster: a list.
    pub osd_hosts: Option<String>,
    /// Virtual machines that load their own disks and nothing else: a list.
    pub guests: Option<String>,
    /// Run the agent there as root.
    pub sudo: bool,
    /// The private key for ssh.
    pub identity: Option<PathBuf>,
    /// Another configuration of ssh than the user's.
    pub ssh_config: Option<PathBuf>,
    /// As ssh's -o: NAME=VALUE.
    pub ssh_option: Vec<String>,
    /// Programs that may be sent in place of this one; every host gets the first that fits it.
    pub agent: Vec<PathBuf>,
}

impl HostOptions {
    /// Not a list, but how many hosts a lab has.
    pub fn number(&self) -> Option<u32> {
        self.hosts.as_ref()?.parse().ok()
    }

    pub fn named(&self) -> bool {
        self.hosts.is_some() || self.hosts_file.is_some() || self.osd_hosts.is_some() || self.guests.is_some()
    }
}
