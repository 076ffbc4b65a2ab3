//! The two ends of the link between a host and the bridge, or the cluster network's bridge.

use super::Asked;
use super::changes::Interface;
use super::target::{LinkEnd, Target};

/// Inside the host: what leaves it there goes to all others.
pub(super) fn inside(asked: &Asked, end: &LinkEnd) -> Interface {
    let device = if end.cluster { "eth1" } else { "eth0" };
    Interface { namespace: asked.access.lab.host(&end.host).namespace.clone(), device: device.to_owned() }
}

/// At the bridge: what leaves it there goes to the host.
pub(super) fn outside(asked: &Asked, end: &LinkEnd) -> Interface {
    let hosts = &asked.access.lab.hosts;
    let index = hosts.iter().position(|host| host.name == end.host).unwrap_or(0) + 1;
    let dirs = &asked.access.dirs;
    Interface { namespace: None, device: if end.cluster { dirs.cluster_port(index) } else { dirs.port(index) } }
}

impl Asked<'_> {
    /// The link that was named, or that of the first host of a path.
    pub(super) fn link(&self) -> &LinkEnd {
        match &self.target {
            Target::Link(end) | Target::Path(end, _) => end,
            _ => unreachable!("the target was parsed as a link"),
        }
    }
}

/// A token bucket: one packet after the other at this rate, and at most a megabyte that waits.
pub(super) fn token_bucket(mbit: f64) -> String {
    format!("qdisc replace dev DEV root tbf rate {:.0} burst 16kb limit 1mb", mbit * 1e6)
}
