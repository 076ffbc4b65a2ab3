//! Steps of the network layer: between all hosts that load, else from this host to each of a lab's hosts, else over loopback.

use super::draft::{Draft, Network};
use model::pattern::Family;
use model::target::on_network;
use model::{Client, Endpoint, Layer, Pattern, Place, Target, Workload};

/// Enough streams to fill a link that one stream can't.
const STREAMS: u32 = 4;

pub fn add(draft: &mut Draft) {
    let workloads = draft.workloads(Layer::Network, 0);
    // What has one stream in any case is the same on both sides.
    let by_jobs = draft.knobs.ab.as_ref().is_some_and(|wish| wish.what == "jobs");
    let measured: Vec<Pattern> = workloads.iter().map(|(pattern, _)| *pattern).collect();
    for (pattern, mut workload) in workloads {
        let opposite = measured.iter().any(|other| other.family() == pattern.family() && *other != pattern);
        match pattern.family() {
            Family::Latency => add_steps(draft, pattern, &workload, true, !opposite),
            // A round trip at depth 128 says what a connection's CPU can do, not what the network can.
            Family::Parallel => {}
            Family::Linear => {
                // Socket-sized blocks: a larger one would only be cut up again.
                workload.block = draft.knobs.block_size.unwrap_or(128 << 10);
                let jobs = draft.knobs.jobs.unwrap_or(STREAMS);
                (workload.jobs, workload.depth) = (jobs, jobs);
                let one = Workload { jobs: 1, depth: 1, ..workload.clone() };
                add_steps(draft, pattern, &workload, true, !opposite);
                if by_jobs {
                    continue;
                }
                if draft.wishes.thorough && jobs > 1 && draft.ground.hosts.is_empty() {
                    add_steps(draft, pattern, &one, false, false);
                }
                if pattern.writes() || !opposite {
                    all_at_once(draft, pattern, &one);
                }
            }
        }
    }
}

fn add_steps(draft: &mut Draft, pattern: Pattern, workload: &Workload, chart: bool, both_orders: bool) {
    if draft.ground.hosts.len() > 1 {
        for network in draft.ground.networks() {
            for round in rounds(&network, workload, both_orders) {
                draft.step_apart(pattern, round, workload.clone());
            }
        }
        return;
    }
    for target in pairs_from_here(draft) {
        draft.step(pattern, vec![target], workload.clone(), chart);
    }
}

/// One stream for each ordered pair. Two hosts have but one link.
fn all_at_once(draft: &mut Draft, pattern: Pattern, one: &Workload) {
    for network in draft.ground.networks().into_iter().filter(|network| network.ends.len() > 2) {
        draft.step(pattern, rounds(&network, one, true).concat(), one.clone(), false);
    }
}

/// Every pair of n hosts in n − 1 rounds (n, if n is odd) in which no two share an end, by the circle method of tournaments: a host
/// that both sent and received would slow its own acknowledgements. Writes go one way and reads the other, so that together they
/// are every ordered pair; who measures only one of them has each round in both orders.
fn rounds(network: &Network, workload: &Workload, both_orders: bool) -> Vec<Vec<Target>> {
    let hosts = &network.ends;
    let places = hosts.len().next_multiple_of(2);
    let others = places - 1;
    let round = |number: usize, turned: bool| -> Vec<Target> {
        let pair = |step: usize| match step {
            0 => (number, others),
            _ => ((number + step) % others, (number + others - step) % others),
        };
        // With an odd number of hosts the last place is empty, and who meets it rests.
        let met = (0..places / 2).map(pair).filter(|(_, other)| *other < hosts.len());
        met.map(|(a, b)| if turned { (b, a) } else { (a, b) })
            .map(|(from, to)| between(&hosts[from], &hosts[to], workload, network.name.as_deref()))
            .collect()
    };
    let orders: &[bool] = if both_orders { &[false, true] } else { &[false] };
    (0..others)
        .flat_map(|number| orders.iter().map(move |turned| (number, *turned)))
        .map(|(number, turned)| round(number, turned))
        .collect()
}

/// The load's own end is the one at which things arrive.
fn between(from: &Endpoint, to: &Endpoint, workload: &Workload, network: Option<&str>) -> Target {
    let name = on_network(format!("{}→{}", from.host, to.host), network);
    let own = if engines::network::streams_out(workload) { to } else { from };
    let client = Some(Client { host: own.host.clone(), of: name.clone() });
    Target { client, network: network.map(str::to_string), ..pair(from.clone(), to.clone(), name) }
}

fn pairs_from_here(draft: &Draft) -> Vec<Target> {
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
    Target { host: Some(to.host.clone()), ..Target::new(Layer::Network, name, Place::Pair { from, to, door: None }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_pairs_are_met_once_and_no_round_shares_an_end() {
        for n in 2..10 {
            let end =
                |number: usize| Endpoint { host: format!("h{number}"), address: "10.0.0.1".into(), namespace: None };
            let network = Network { name: None, ends: (0..n).map(end).collect() };
            for both in [false, true] {
                let rounds = rounds(&network, &Workload::canonical(Pattern::WriteLatency, 0, 1), both);
                let orders = if both { 2 } else { 1 };
                assert_eq!(rounds.len(), (n - 1 + n % 2) * orders);
                let mut all = BTreeSet::new();
                for round in &rounds {
                    let ends: BTreeSet<&str> = round.iter().flat_map(|target| target.name.split('→')).collect();
                    assert_eq!(ends.len(), 2 * round.len(), "two pairs share an end");
                    all.extend(round.iter().map(|target| target.name.clone()));
                }
                assert_eq!(all.len(), n * (n - 1) / 2 * orders);
            }
        }
    }
}
