//! A network of the OSDs' own that carries far less than the one that clients use: every write crosses it, more than once.

use crate::entry::Entry;
use crate::links::alone;
use crate::words::quantity;
use model::pattern::Family;
use model::{Estimate, Finding, Label, Metric, NetworkPart, Place, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// Less than so much of what the same hosts do on the public network.
const NARROW: f64 = 0.5;
/// The network on which OSDs talk to each other, as targets name it.
const CLUSTER: &str = "cluster";

type Ways = BTreeMap<(String, String), Estimate>;

/// If it holds for every way that was measured on both; of a single slow host or way its own finding speaks. Where the load was the limit
/// of what the cluster network carried, that may be more.
pub fn narrow_cluster_network(entries: &[Entry]) -> Option<Finding> {
    let starved = |entry: &Entry| matches!(entry.figure.label, Label::GeneratorLimited(_));
    if of_network(entries, Some(CLUSTER)).any(starved) {
        return None;
    }
    let (public, own) = (ways(entries, None), ways(entries, Some(CLUSTER)));
    let both: Vec<(Estimate, Estimate)> = own.iter().filter_map(|(way, own)| Some((*own, *public.get(way)?))).collect();
    let narrow = |(own, public): &(Estimate, Estimate)| own.high < NARROW * public.low;
    if both.is_empty() || both.len() < own.len() || !both.iter().all(narrow) {
        return None;
    }
    let fastest = |of: fn(&(Estimate, Estimate)) -> f64| both.iter().map(of).fold(0.0, f64::max);
    let (carries, beside) = (fastest(|(own, _)| own.value), fastest(|(_, public)| public.value));
    let hosts: BTreeSet<&String> = own.keys().flat_map(|(from, to)| [from, to]).collect();
    let rate = |value: f64| quantity(value, Metric::Bandwidth);
    Some(Finding {
        id: "cluster-network-narrow".to_string(),
        // That it is narrow is measured; that it holds anything back is not.
        standing: Standing::Hint,
        subject: NetworkPart::Whole.on(Some(CLUSTER)),
        says: format!(
            "the OSDs' own network carries {} between two hosts at most, the public one {}: copies of writes and recovery pass the \
             narrow one",
            rate(carries),
            rate(beside)
        ),
        evidence: vec![format!(
            "each of {} ways between {} hosts carries less than half of what it does on the public network",
            both.len(),
            hosts.len()
        )],
        fix: "compare the ports and links of the cluster network with those of the public one (ethtool); without it the OSDs use the \
              public network"
            .to_string(),
        risk: "taking `cluster_network` out restarts every OSD".to_string(),
    })
}

/// Streams of one pair of hosts at a time.
fn of_network<'e, 'a>(entries: &'e [Entry<'a>], network: Option<&'e str>) -> impl Iterator<Item = &'e Entry<'a>> {
    entries.iter().filter(move |entry| {
        entry.figure.layer.of_links() && entry.figure.pattern.family() == Family::Linear && alone(entry, network)
    })
}

fn ways(entries: &[Entry], network: Option<&str>) -> Ways {
    let mut ways = Ways::new();
    for entry in of_network(entries, network) {
        let (Some(Place::Pair { from, to, .. }), Some(value)) = (entry.place(), entry.usable()) else { continue };
        let (from, to) = (from.host.clone(), to.host.clone());
        let way = if entry.figure.pattern.writes() { (from, to) } else { (to, from) };
        let known = ways.entry(way).or_insert(value);
        if value.value > known.value {
            *known = value;
        }
    }
    ways
}
