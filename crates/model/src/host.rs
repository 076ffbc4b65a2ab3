//! What a host is made of, as its own agent sees it, and what it lacks for being measured.

use crate::bond::Bond;
use crate::scope::{DeviceScope, HostScope};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    pub scope: HostScope,
    pub nics: Vec<Nic>,
    /// Whole disks, without partitions, loop devices and memory disks.
    pub disks: Vec<DeviceScope>,
    /// The user that the agent runs as.
    pub user: String,
    /// The release of Ceph's client libraries; `None`: there are none.
    #[serde(default)]
    pub ceph: Option<String>,
    /// Which start of which kernel this is: hosts of the same one (containers, network namespaces) share processors and disks.
    #[serde(default)]
    pub boot: String,
    /// What can't be done there, and how to fix it.
    pub missing: Vec<String>,
}

/// A network interface that is up, loopback left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nic {
    pub name: String,
    /// As negotiated; `None`: the driver does not say (virtual ones).
    pub megabits: Option<u32>,
    pub mtu: Option<u32>,
    pub addresses: Vec<String>,
    /// The same with the lengths of their networks' prefixes: `10.0.1.7/24`.
    #[serde(default)]
    pub networks: Vec<String>,
    /// `None`: it is no bond.
    pub bond: Option<Bond>,
}

/// A host as it answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostSeen {
    /// As it was named in the list.
    pub name: String,
    /// The program that reaches it: `ssh`, `kubectl`.
    pub via: String,
    /// The agent was not there and was sent.
    pub agent_sent: bool,
    /// Its time of day minus ours, and by how much that may be wrong at most. `None`: the clock was set meanwhile.
    pub clock: Option<Offset>,
    pub facts: HostFacts,
}

/// Theirs minus ours, and by how much that may be wrong at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offset {
    pub ns: i64,
    pub error_ns: u64,
}

/// A host that did not answer, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostSilent {
    pub name: String,
    pub why: String,
}
