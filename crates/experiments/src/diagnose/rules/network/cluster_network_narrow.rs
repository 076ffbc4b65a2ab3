//! A network of the OSDs' own that carries far less than the one that clients use: every write crosses it, more than once.

use super::{osd_connection_retransmits, segments_sent_again};
use crate::diagnose::{Area, Case, Rule, Source, Suspect};
use judge::Entry;
use model::pattern::Family;
use model::{Estimate, Label, Metric, NetworkPart, Quantity, Standing, phrase};
use std::collections::{BTreeMap, BTreeSet};

pub static RULE: Rule = Rule {
    id: "cluster-network-narrow",
    about: Area::Network,
    what: "The OSDs' own network carries far less than the public one; copies of writes, and recovery, pass it.",
    evidence: "Each way that was measured on both networks carries less than half of what it does on the public one (upper end of the interval against the lower end), \
               and the load was the limit of none. A hint: that it is narrow is measured, that it holds anything back is not.",
    sources: &["docs/method.md, \"Between hosts\""],
    needs: &[Source::Figures],
    suspect,
    test: None,
    explains: &[segments_sent_again::FOLLOWS, osd_connection_retransmits::FOLLOWS],
    fix: "compare the ports and links of the cluster network with those of the public one (ethtool); without it the OSDs use the \
          public network",
    special_fixes: &[],
    risk: "taking `cluster_network` out restarts every OSD",
    confirm: "compare writes to a pool of three copies with writes to one of one copy: the narrow network holds back only the first (fathom run)",
    ..Rule::USUAL
};

/// The cluster network is narrow below this share of what the same hosts do on the public network.
const NARROW: f64 = 0.5;
/// The network on which OSDs talk to each other, as targets name it.
const CLUSTER: &str = "cluster";

type Ways = BTreeMap<(String, String), Estimate>;

/// If it holds for every way that was measured on both; of a single slow host or way its own rule speaks. Where the load was the limit
/// of what the cluster network carried, that may be more.
fn suspect(case: &Case) -> Vec<Suspect> {
    let starved = |entry: &Entry| matches!(entry.figure.label, Label::GeneratorLimited(_));
    if of_network(case.entries, Some(CLUSTER)).any(starved) {
        return Vec::new();
    }
    let (public, own) = (ways(case.entries, None), ways(case.entries, Some(CLUSTER)));
    let both: Vec<(Estimate, Estimate)> = own.iter().filter_map(|(way, own)| Some((*own, *public.get(way)?))).collect();
    let narrow = |(own, public): &(Estimate, Estimate)| own.high < NARROW * public.low;
    if both.len() < own.len() || !both.iter().all(narrow) {
        return Vec::new();
    }
    let fastest = |of: fn(&(Estimate, Estimate)) -> Estimate| {
        let estimate = both.iter().map(of).max_by(|a, b| a.value.total_cmp(&b.value))?;
        Some(Quantity::Measured { estimate, metric: Metric::Bandwidth })
    };
    let Some((carries, beside)) = fastest(|(own, _)| *own).zip(fastest(|(_, public)| *public)) else {
        return Vec::new();
    };
    let hosts: BTreeSet<&String> = own.keys().flat_map(|(from, to)| [from, to]).collect();
    let says = phrase!(
        "the OSDs' own network carries {} between two hosts at most, the public one {}: copies of writes and recovery pass the narrow one",
        carries,
        beside
    );
    let evidence = phrase!(
        "each of {} ways between {} hosts carries less than half of what it does on the public network",
        both.len(),
        hosts.len()
    );
    vec![Suspect::new(NetworkPart::Whole.on(Some(CLUSTER)), Standing::Hint, says, evidence)]
}

/// Streams of one pair of hosts at a time.
fn of_network<'e, 'a>(entries: &'e [Entry<'a>], network: Option<&'e str>) -> impl Iterator<Item = &'e Entry<'a>> {
    entries.iter().filter(move |entry| {
        entry.figure.layer.of_links()
            && entry.figure.pattern.family() == Family::Linear
            && entry.figure.alone_on(network)
    })
}

fn ways(entries: &[Entry], network: Option<&str>) -> Ways {
    let mut ways = Ways::new();
    for entry in of_network(entries, network) {
        let (Some(way), Some(value)) = (entry.figure.way.clone(), entry.usable()) else { continue };
        let known = ways.entry(way).or_insert(value);
        if value.value > known.value {
            *known = value;
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::{findings, one, text, told, way, ways};
    use model::{Pattern, Standing};

    fn with(cluster: impl Fn(usize, usize) -> Option<f64>) -> Made {
        let mut made = Made::cluster();
        ways(&mut made, 3, None, |_, _| Some(1250.0));
        ways(&mut made, 3, Some("cluster"), cluster);
        made
    }

    #[test]
    fn a_cluster_network_that_is_narrower_than_the_public_one_is_a_hint() {
        let record = with(|_, _| Some(117.0)).record;
        assert_eq!(told(&record), [one("cluster-network-narrow", "network.* (cluster)")]);
        let found = &findings(&record)[0];
        let (says, evidence) = (text(&found.says), text(&found.evidence[0]));
        assert!(says.starts_with("the OSDs' own network carries 11") && says.contains("the public one 1,2"), "{says}");
        assert!(evidence.starts_with("each of 6 ways between 3 hosts carries less than half"), "{evidence}");
        assert_eq!(found.standing, Standing::Hint);
    }

    #[test]
    fn a_network_that_is_as_wide_one_slow_host_and_unknown_ways_are_another_thing() {
        assert_eq!(told(&with(|_, _| Some(1200.0)).record), []);
        assert_eq!(told(&with(|_, _| None).record), []);
        let host = with(|from, _| Some(if from == 1 { 117.0 } else { 1250.0 }));
        assert_eq!(told(&host.record), [one("host-network-slow", "h1 (cluster)")]);
    }

    #[test]
    fn what_the_load_held_back_may_be_wide() {
        let mut made = with(|_, _| None);
        for (from, to) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let target = way(from, to, Some("cluster"));
            made.delivers(Pattern::WriteLinear, target, 117.0 / 4.194304).with_threads(0.5, 0.5);
            made.record.plan.steps.last_mut().unwrap().chart = false;
        }
        assert_eq!(told(&made.record), []);
    }
}
