//! Ways between hosts that carry smaller packets than their sender's interface sends.

use crate::diagnose::{Area, Case, Fix, Rule, Source, Suspect};
use model::{NetworkPart, PathMtu, Phrase, Quantity, Standing, Subject, phrase};
use std::collections::{BTreeMap, BTreeSet};

pub static RULE: Rule = Rule {
    id: "mtu",
    about: Area::Network,
    what: "Packets that a host's interface sends do not arrive whole at another host: interfaces differ, or something on the way carries less.",
    evidence: "Of datagrams that nobody may cut up, the largest that the sender's interface sends does not arrive; the largest that does is found by bisection. Of more than two \
               hosts, the one that all others reach badly is named; else each way. Where no datagram is answered, whatever its size, it is a hint: UDP \
               may be held back.",
    sources: &["docs/method.md, \"Between hosts\""],
    needs: &[Source::PathMtus],
    suspect,
    test: None,
    explains: &[],
    fix: "set the MTU of every switch port, bridge, VLAN and tunnel of the way to that of the hosts, or the hosts' to that of the \
          way; until then TCP connections may hang as soon as they carry much",
    special_fixes: &[&INTERFACES_DIFFER, &NO_ANSWER],
    risk: "a wrong MTU cuts a host off: change one host, prove it, then the next",
    confirm: "ping -M do -s 8972 HOST (for an MTU of 9000) does not arrive",
    ..Rule::USUAL
};

static INTERFACES_DIFFER: Fix = Fix {
    when: "all that fits the receiver's interface arrives",
    what: "give all hosts of a network the same MTU (ip link set DEV mtu N, and in the configuration that survives a restart); \
           until then TCP takes the smaller one, and what can't be cut up is lost",
};

static NO_ANSWER: Fix = Fix {
    when: "nothing arrives",
    what: "let UDP through between the hosts while Fathom measures, or prove the MTU by hand: ping -M do -s 8972 HOST",
};

/// At most this many ways are named.
const TOLD: usize = 4;

/// In each network between hosts: one suspect for each host that all others reach badly, or that reaches all others badly; else one for
/// each way.
fn suspect(case: &Case) -> Vec<Suspect> {
    let paths = case.record.path_mtus();
    let networks: BTreeSet<Option<&str>> = paths.iter().map(|path| path.network.as_deref()).collect();
    let own = |network: Option<&str>| paths.iter().filter(|path| path.network.as_deref() == network).collect();
    networks.into_iter().flat_map(|network| of_network(network, own(network))).collect()
}

fn of_network(network: Option<&str>, paths: Vec<&PathMtu>) -> Vec<Suspect> {
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
        found.push(made(NetworkPart::of_host(worst).on(network), " and all others", &own));
    }
    let mut ways: BTreeMap<Subject, Vec<&PathMtu>> = BTreeMap::new();
    for path in left {
        let way = NetworkPart::Way { from: path.from.clone(), to: path.to.clone() };
        ways.entry(way.on(network)).or_default().push(path);
    }
    found.extend(ways.into_iter().map(|(way, own)| made(way, "", &own)));
    found
}

fn partner<'a>(path: &'a PathMtu, host: &str) -> &'a str {
    if path.from == host { &path.to } else { &path.from }
}

fn made(subject: Subject, and: &str, paths: &[&PathMtu]) -> Suspect {
    let differ = paths.iter().all(|path| path.carries.is_some_and(|carries| carries >= path.receiver));
    let (what, fix, standing) = match (differ, paths.iter().all(|path| path.carries.is_none())) {
        (true, _) => (": their interfaces have different MTUs", Some(INTERFACES_DIFFER.what), Standing::Confirmed),
        (_, true) => (
            ": no datagram is answered, perhaps because UDP is held back: packet sizes are not known",
            Some(NO_ANSWER.what),
            Standing::Hint,
        ),
        _ => (": something on the way loses packets that both interfaces send", None, Standing::Confirmed),
    };
    let says = phrase!("{}{}{}", subject.clone(), and, what);
    let evidence = paths.iter().take(TOLD).map(|path| evidence(path)).collect();
    Suspect { evidence, fix: fix.map(String::from), ..Suspect::new(subject, standing, says, Phrase::default()) }
}

fn evidence(path: &PathMtu) -> Phrase {
    let arrives = path.carries.map(|bytes| phrase!("{} bytes arrive", Quantity::Packet(bytes)));
    phrase!(
        "{}: {}; its interfaces send {} and {}",
        NetworkPart::Way { from: path.from.clone(), to: path.to.clone() }.on(None),
        arrives.unwrap_or_else(|| "nothing arrives".into()),
        Quantity::Packet(path.sender),
        Quantity::Packet(path.receiver)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::{findings, text};
    use model::Record;

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
        let record = Record::default().with(model::Observation::PathMtus(paths.to_vec()));
        findings(&record).into_iter().map(|finding| (finding.target(), text(&finding.says))).collect()
    }

    #[test]
    fn whole_ways_are_no_finding_and_neither_are_unknown_ones() {
        assert!(told(&[]).is_empty());
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
    fn where_nothing_is_answered_it_is_a_hint() {
        let all = paths(3, |_, _| (9000, 9000, None));
        let found = told(&all);
        assert!(!found.is_empty() && found[0].1.contains("no datagram is answered"), "{found:?}");
        let sure = |paths: Vec<PathMtu>| {
            let found = findings(&Record::default().with(model::Observation::PathMtus(paths)));
            found.iter().all(|finding| finding.standing == Standing::Confirmed)
        };
        assert!(!sure(all) && sure(paths(3, |_, _| (9000, 9000, Some(1500)))));
    }
}
