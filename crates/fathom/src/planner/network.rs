//! Steps of the network layer: from this host to each of a lab's hosts and back, else over loopback.

use super::draft::Draft;
use model::pattern::Family;
use model::{Endpoint, Layer, Place, Target};

/// Enough streams to fill a link that one stream can't.
const STREAMS: u32 = 4;

pub fn add(draft: &mut Draft) {
    for target in pairs(draft) {
        for (pattern, mut workload) in draft.workloads(Layer::Network, 0) {
            match pattern.family() {
                Family::Latency => draft.step(pattern, vec![target.clone()], workload, true),
                // A round trip at depth 128 says what a connection's CPU can do, not what the network can.
                Family::Parallel => {}
                Family::Linear => {
                    // Socket-sized blocks: a larger one would only be cut up again.
                    workload.block = draft.knobs.block_size.unwrap_or(128 << 10);
                    let jobs = draft.knobs.jobs.unwrap_or(STREAMS);
                    (workload.jobs, workload.depth) = (jobs, jobs);
                    let one = model::Workload { jobs: 1, depth: 1, ..workload.clone() };
                    draft.step(pattern, vec![target.clone()], workload, true);
                    if draft.wishes.thorough && jobs > 1 {
                        draft.step(pattern, vec![target.clone()], one, false);
                    }
                }
            }
        }
    }
}

fn pairs(draft: &Draft) -> Vec<Target> {
    let loopback = |host: &str| Endpoint { host: host.to_string(), address: "127.0.0.1".to_string(), namespace: None };
    let here = cluster::here::host_name();
    let lab_hosts = draft.ground.lab.as_ref().map_or(&[][..], |lab| lab.hosts.as_slice());
    let client = draft.ground.lab.as_ref().map(|lab| lab.client_address.clone());
    let remote: Vec<_> = lab_hosts.iter().filter(|host| host.namespace.is_some()).collect();
    let Some(client) = client.filter(|_| !remote.is_empty()) else {
        return vec![pair(loopback(&here), loopback(&here), "loopback".to_string())];
    };
    let from = Endpoint { host: here, address: client, namespace: None };
    remote
        .into_iter()
        .map(|host| {
            let to =
                Endpoint { host: host.name.clone(), address: host.address.clone(), namespace: host.namespace.clone() };
            pair(from.clone(), to, format!("client→{}", host.name))
        })
        .collect()
}

fn pair(from: Endpoint, to: Endpoint, name: String) -> Target {
    Target { layer: Layer::Network, name, host: Some(to.host.clone()), place: Place::Pair { from, to } }
}
