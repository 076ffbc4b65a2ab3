//! Ways between hosts that carry smaller packets than their sender's interface sends.

use model::target::on_network;
use model::{Finding, NetworkPart, PathMtu, Standing, Subject};
use std::collections::{BTreeMap, BTreeSet};

/// Of each network between hosts one finding for each host that all others reach, or that reaches all others, badly; else one for each
/// way.
pub fn path_mtus(paths: &[PathMtu]) -> Vec<Finding> {
    let networks: BTreeSet<Option<&str>> = paths.iter().map(|path| path.network.as_deref()).collect();
    let own = |network: Option<&str>| paths.iter().filter(|path| path.network.as_deref() == network).collect();
    networks.into_iter().flat_map(|network| of_network(network, own(network))).collect()
}

fn of_network(network: Option<&str>, paths: Vec<&PathMtu>) -> Vec<Finding> {
    let short: Vec<&PathMtu> = paths.iter().copied().filter(|path| path.carries != Some(path.sender)).collect();
    let hosts: BTreeSet<&str> = paths.iter().flat_map(|path| [path.from.as_str(), path.to.as_str()]).collect();
    let of = |host: &str, path: &PathMtu| path.from == host || path.to == host;
    let mut left: Vec<&PathMtu> = short.clone();
    let mut found = Vec::new();
    // Who has most short ways first; of two hosts neither is the one.
    while hosts.len() > 2 {
        let count = |host: &&str| left.iter().filter(|path| of(host, path)).count();
        let Some(worst) = hosts.iter().copied().max_by_key(count) else { break };
        let partners: BTreeSet<&str> =
            left.iter().filter(|path| of(worst, path)).map(|path| partner(path, worst)).collect();
        if partners.len() + 1 < hosts.len() {
            break;
        }
        let own: Vec<&PathMtu> = left.iter().copied().filter(|path| of(worst, path)).collect();
        left.retain(|path| !of(worst, path));
        let between = on_network(format!("{worst} and all others"), network);
        found.push(finding(NetworkPart::of_host(worst).on(network), between, &own));
    }
    let mut ways: BTreeMap<Subject, Vec<&PathMtu>> = BTreeMap::new();
    for path in left {
        let way = NetworkPart::Way { from: path.from.clone(), to: path.to.clone() };
        ways.entry(way.on(network)).or_default().push(path);
    }
    found.extend(ways.into_iter().map(|(way, own)| finding(way.clone(), way.to_string(), &own)));
    found
}

fn partner<'a>(path: &'a PathMtu, host: &str) -> &'a str {
    if path.from == host { &path.to } else { &path.from }
}

fn finding(subject: Subject, between: String, paths: &[&PathMtu]) -> Finding {
    let differ = paths.iter().all(|path| path.carries.is_some_and(|carries| carries >= path.receiver));
    let (says, fix) = match (differ, paths.iter().all(|path| path.carries.is_none())) {
        (true, _) => (
            format!("{between}: their interfaces have different MTUs"),
            "give all hosts of a network the same MTU (ip link set DEV mtu N, and in the configuration that survives a restart); \
             until then TCP takes the smaller one, and what can't be cut up is lost",
        ),
        (_, true) => (
            format!("{between}: no datagram is answered, so that packet sizes are not known"),
            "let UDP through between the hosts while Fathom measures, or prove the MTU by hand: ping -M do -s 8972 HOST",
        ),
        _ => (
            format!("{between}: something on the way loses packets that both interfaces send"),
            "set the MTU of every switch port, bridge, VLAN and tunnel of the way to that of the hosts, or the hosts' to that of the \
             way; until then TCP connections may hang as soon as they carry much",
        ),
    };
    let evidence = |path: &&PathMtu| {
        let carries = path.carries.map_or("nothing arrives".to_string(), |bytes| format!("{bytes} bytes arrive"));
        format!("{}→{}: {carries}; its interfaces send {} and {}", path.from, path.to, path.sender, path.receiver)
    };
    Finding {
        id: "mtu".to_string(),
        standing: Standing::Confirmed,
        subject,
        says,
        evidence: paths.iter().take(4).map(evidence).collect(),
        fix: fix.to_string(),
        risk: "a wrong MTU cuts a host off: change one host, prove it, then the next".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(hosts: usize, of: impl Fn(usize, usize) -> (u32, u32, Option<u32>)) -> Vec<PathMtu> {
        let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
        pairs
            .map(|(from, to)| {
                let (sender, receiver, carries) = of(from, to);
                PathMtu { from: format!("h{from}"), to: format!("h{to}"), network: None, sender, receiver, carries }
            })
            .collect()
    }

    fn told(paths: &[PathMtu]) -> Vec<(String, String)> {
        path_mtus(paths).into_iter().map(|finding| (finding.target(), finding.says)).collect()
    }

    #[test]
    fn whole_ways_are_no_finding() {
        assert!(told(&paths(3, |_, _| (9000, 9000, Some(9000)))).is_empty());
    }

    #[test]
    fn the_host_with_another_mtu_is_named_once() {
        let mtu = |host: usize| if host == 1 { 1500 } else { 9000 };
        let found = told(&paths(4, |from, to| (mtu(from), mtu(to), Some(mtu(from).min(mtu(to))))));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "h1");
        assert!(found[0].1.contains("different MTUs"), "{found:?}");
    }

    #[test]
    fn one_way_that_is_narrower_than_its_ends_is_named() {
        let found = told(&paths(4, |from, to| (9000, 9000, Some(if (from, to) == (0, 2) { 1500 } else { 9000 }))));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "h0→h2");
        assert!(found[0].1.contains("something on the way"), "{found:?}");
    }

    #[test]
    fn each_network_is_looked_at_by_itself() {
        let mut all = paths(3, |_, _| (9000, 9000, Some(9000)));
        let short = paths(3, |from, to| (9000, 9000, Some(if (from, to) == (0, 2) { 1500 } else { 9000 })));
        all.extend(short.into_iter().map(|path| PathMtu { network: Some("cluster".into()), ..path }));
        let found = told(&all);
        assert_eq!(found.iter().map(|(target, _)| target.as_str()).collect::<Vec<_>>(), ["h0→h2 (cluster)"]);
    }

    #[test]
    fn where_all_is_narrow_every_host_but_one_is_told() {
        let found = told(&paths(3, |_, _| (9000, 9000, None)));
        assert!(!found.is_empty() && found[0].1.contains("no datagram is answered"), "{found:?}");
    }
}
