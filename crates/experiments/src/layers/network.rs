//! Steps of the network layer: between all hosts that load, else from this host to each of a lab's hosts, else over loopback if the OSDs
//! are on this host. To OSDs of other hosts nothing is measured without an agent there.

use crate::Varied;
use crate::planner::draft::Draft;
use model::pattern::Family;
use model::target::{LOOPBACK, on_network};
use model::{
    Client, Endpoint, Failure, Inventory, LabLayout, Layer, Network, OsdScope, Pattern, Place, Target, Workload,
};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Enough streams to fill a link that one stream can't.
const STREAMS: u32 = 4;

/// Why nothing of the network is measured, though it was wished for.
pub fn unmeasured(draft: &Draft) -> Option<String> {
    if !within_this_host(draft) {
        return None;
    }
    not_loopback(draft.inventory, &draft.inventory.here.addresses)
}

/// Where no cluster says whether the load stays within this host.
pub fn loopback_alone(draft: &Draft) -> Option<String> {
    let unknown = within_this_host(draft) && draft.inventory.scope.osds.is_empty();
    unknown.then(|| {
        "the network is measured within this host alone (loopback), which says nothing of the way to others; name two hosts or more with \
         --hosts to measure it between them"
            .to_string()
    })
}

/// Is a network wished for, and no other host there?
fn within_this_host(draft: &Draft) -> bool {
    let wished = draft.request.layers.contains(&Layer::Network);
    let alone = draft.request.experiment.plans_layers();
    let any = || draft.workloads(Layer::Network, 0).iter().any(|(pattern, _)| pattern.family() != Family::Parallel);
    wished && alone && any() && draft.inventory.hosts.len() < 2 && remote_lab(draft.inventory).is_none()
}

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    if unmeasured(draft).is_some() {
        return Ok(());
    }
    let workloads = draft.workloads(Layer::Network, 0);
    // What has one stream in any case is the same on both sides.
    let by_jobs = matches!(draft.request.experiment.pair().map(|setting| &setting.varied), Some(Varied::Jobs(..)));
    let measured: Vec<Pattern> = workloads.iter().map(|(pattern, _)| *pattern).collect();
    for (pattern, mut workload) in workloads {
        let opposite = measured.iter().any(|other| other.family() == pattern.family() && *other != pattern);
        match pattern.family() {
            Family::Latency => add_steps(draft, pattern, &workload, true, !opposite),
            // A round trip at depth 128 says what a connection's CPU can do, not what the network can.
            Family::Parallel | Family::Metadata => {}
            Family::Linear => {
                // Socket-sized blocks: a larger one would only be cut up again.
                workload.block = draft.options.block_size.unwrap_or(128 << 10);
                let jobs = draft.options.jobs.unwrap_or(STREAMS);
                (workload.jobs, workload.depth) = (jobs, jobs);
                let one = Workload { jobs: 1, depth: 1, ..workload.clone() };
                add_steps(draft, pattern, &workload, true, !opposite);
                if by_jobs {
                    continue;
                }
                if draft.request.thorough && jobs > 1 && draft.inventory.hosts.is_empty() {
                    add_steps(draft, pattern, &one, false, false);
                }
                if pattern.writes() || !opposite {
                    all_at_once(draft, pattern, &one);
                }
            }
        }
    }
    Ok(())
}

fn add_steps(draft: &mut Draft, pattern: Pattern, workload: &Workload, chart: bool, both_orders: bool) {
    if draft.inventory.hosts.len() > 1 {
        for network in draft.inventory.networks() {
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
    for network in draft.inventory.networks().into_iter().filter(|network| network.ends.len() > 2) {
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
    let own = if workload.streams_out() { to } else { from };
    let client = Some(Client { host: own.host.clone(), of: name.clone() });
    Target { client, network: network.map(str::to_string), ..pair(from.clone(), to.clone(), name) }
}

fn pairs_from_here(draft: &Draft) -> Vec<Target> {
    let loopback = |host: &str| Endpoint::new(host, "127.0.0.1");
    let here = draft.inventory.here.name.clone();
    let Some(lab) = remote_lab(draft.inventory) else {
        return vec![pair(loopback(&here), loopback(&here), LOOPBACK.to_string())];
    };
    let from = Endpoint::new(here, lab.client_address.clone());
    let remote = lab.hosts.iter().filter(|host| host.namespace.is_some());
    remote
        .map(|host| {
            let to = Endpoint { namespace: host.namespace.clone(), ..Endpoint::new(&host.name, &host.address) };
            pair(from.clone(), to, format!("client→{}", host.name))
        })
        .collect()
}

/// A lab whose hosts are network namespaces.
fn remote_lab(inventory: &Inventory) -> Option<&LabLayout> {
    inventory.lab.as_ref().filter(|lab| lab.hosts.iter().any(|host| host.namespace.is_some()))
}

/// Why a round trip within this host, whose addresses are these, is not the way that the load takes.
fn not_loopback(inventory: &Inventory, own: &BTreeSet<IpAddr>) -> Option<String> {
    let up: Vec<&OsdScope> = inventory.scope.osds.iter().filter(|osd| osd.up).collect();
    let elsewhere: Vec<&OsdScope> =
        up.iter().copied().filter(|osd| !osd.address.as_deref().is_some_and(|address| is_own(address, own))).collect();
    if let Some(first) = elsewhere.first() {
        let address = first.address.as_deref().unwrap_or("an address that is not known");
        return Some(format!(
            "the network was not measured: {} of {} OSDs are not on this host (osd.{} is at {address}), and a round trip within this \
             host says nothing of the way to them; name two hosts or more with --hosts to measure it between them",
            elsewhere.len(),
            up.len(),
            first.id
        ));
    }
    let client = inventory.clients().find(|client| !up.is_empty() && !is_own(&client.end.address, own))?;
    Some(format!(
        "the network was not measured: {} loads the cluster, and a round trip within this host says nothing of its way; name two hosts or \
         more with --hosts to measure it between them",
        client.end.host
    ))
}

fn is_own(address: &str, own: &BTreeSet<IpAddr>) -> bool {
    let parsed = address.parse::<IpAddr>().map(|address| address.to_canonical());
    parsed.is_ok_and(|address| address.is_loopback() || own.contains(&address))
}

fn pair(from: Endpoint, to: Endpoint, name: String) -> Target {
    Target {
        host: Some(to.host.clone()),
        ..Target::new(Layer::Network, name, Place::Pair { from, to, listener: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::testing::{inventory, request};
    use crate::planner::{notes, plan};
    use model::ClientHost;
    use std::collections::BTreeMap;

    /// OSDs at these addresses: the names of the planned pairs of hosts, and what is to be known of the plan.
    fn planned(addresses: &[Option<&str>], client: Option<&str>) -> (BTreeSet<String>, Vec<String>) {
        let mut inventory = inventory(addresses.len() as u32);
        for (osd, address) in inventory.scope.osds.iter_mut().zip(addresses) {
            osd.address = address.map(str::to_string);
        }
        inventory.hosts = client.map(client_at).into_iter().collect();
        let request = request(&[Layer::Network, Layer::Rados]);
        let plan = plan(&inventory, &request).unwrap();
        let of_network = plan.steps.iter().filter(|step| step.layer == Layer::Network);
        let names = of_network.flat_map(|step| &step.targets).map(|target| target.name.clone()).collect();
        (names, notes(&inventory, &request, &plan))
    }

    fn client_at(address: &str) -> ClientHost {
        ClientHost {
            end: Endpoint::new("client", address),
            others: BTreeMap::new(),
            known_as: "client".into(),
            boot: "x".into(),
            loads: true,
        }
    }

    #[test]
    fn loopback_is_the_network_of_osds_on_this_host_alone() {
        let here = Some("127.0.0.1");
        let loopback = (BTreeSet::from(["loopback".to_string()]), Vec::new());
        assert_eq!(planned(&[here, Some("::1"), Some("::ffff:127.0.0.1")], None), loopback);
        assert_eq!(planned(&[here], here), loopback, "it is loaded by an agent on this host");
        for (addresses, client, words) in [
            (vec![Some("203.0.113.7"); 3], None, ["3 of 3 OSDs", "osd.0 is at 203.0.113.7"]),
            (vec![here, Some("203.0.113.7")], None, ["1 of 2 OSDs", "osd.1 is at 203.0.113.7"]),
            (vec![Some("2001:db8::7")], None, ["1 of 1 OSDs", "osd.0 is at 2001:db8::7"]),
            (vec![here, None], None, ["1 of 2 OSDs", "osd.1 is at an address that is not known"]),
            (vec![here], Some("203.0.113.9"), ["client loads the cluster", "of its way"]),
        ] {
            let (pairs, notes) = planned(&addresses, client);
            assert!(pairs.is_empty(), "{addresses:?}: {pairs:?}");
            let [note] = &notes[..] else { panic!("{addresses:?}: {notes:?}") };
            let words = words.iter().chain(&["the network was not measured", "--hosts"]);
            words.for_each(|words| assert!(note.contains(*words), "{note}"));
        }
    }

    #[test]
    fn osds_that_are_down_are_on_nobodys_way_and_without_osds_there_is_no_cluster() {
        let mut inventory = inventory(2);
        inventory.scope.osds[0].address = Some("127.0.0.1".into());
        inventory.scope.osds[1] = OsdScope { up: false, ..inventory.scope.osds[1].clone() };
        let own = BTreeSet::new();
        assert_eq!(not_loopback(&inventory, &own), None);
        inventory.scope.osds[1].up = true;
        assert!(not_loopback(&inventory, &own).is_some());
        inventory.scope.osds.clear();
        inventory.hosts = vec![client_at("203.0.113.9")];
        assert_eq!(not_loopback(&inventory, &own), None);
    }

    #[test]
    fn an_address_of_an_interface_is_this_hosts_own() {
        let mut inventory = inventory(1);
        inventory.scope.osds[0].address = Some("10.4.0.7".into());
        assert!(not_loopback(&inventory, &BTreeSet::from(["10.4.0.8".parse().unwrap()])).is_some());
        assert_eq!(not_loopback(&inventory, &BTreeSet::from(["10.4.0.7".parse().unwrap()])), None);
    }

    #[test]
    fn who_wants_nothing_but_a_network_that_can_not_be_measured_is_told_why() {
        let mut inventory = inventory(1);
        inventory.scope.osds[0].address = Some("203.0.113.7".into());
        let why = plan(&inventory, &request(&[Layer::Network])).unwrap_err().to_string();
        assert!(why.contains("nothing to measure") && why.contains("203.0.113.7") && why.contains("--hosts"), "{why}");
        assert_eq!(notes(&inventory, &request(&[Layer::Rados]), &Default::default()), Vec::<String>::new());
    }

    #[test]
    fn all_pairs_are_met_once_and_no_round_shares_an_end() {
        for n in 2..10 {
            let end = |number: usize| Endpoint::new(format!("h{number}"), "10.0.0.1");
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
