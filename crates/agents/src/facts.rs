//! What a cluster and its hosts say of themselves: the cluster's part through this host, each host's part by its agent.

use crate::fleet::Fleet;
use cluster::{Cluster, here};
use model::Facts;

/// Reads only. What could not be looked at is left out, and said.
pub fn look(cluster: &Cluster, fleet: Option<&mut Fleet>) -> Facts {
    let (told, mut left_out) = cluster::facts::look(cluster);
    let osds = cluster::facts::osd_processes(&told);
    let (mut hosts, wrong) = fleet.map(|fleet| fleet.setups(&osds)).unwrap_or_default();
    left_out.extend(wrong);
    let mut own = here::setup(&osds);
    // An agent on this host, under another name, has told of them.
    own.daemons.retain(|daemon| hosts.iter().all(|host| host.osds().all(|known| known.name != daemon.name)));
    hosts.push(own);
    Facts { cluster: told, hosts, left_out }
}
