//! Causes that the figures themselves show: a target slower than its peers, dips that come with compactions.

use crate::background::blamed;
use crate::bonds::bad_bonds;
use crate::ceilings::ceilings;
use crate::cluster_network::narrow_cluster_network;
use crate::entry::Entry;
use crate::links::links;
use crate::uplink::{Uplink, uplink};
use model::{Finding, Layer, NetworkPart, Outlier, Record, Standing, Subject, TargetKind};
use std::collections::BTreeSet;

pub fn findings(outliers: &[Outlier], entries: &[Entry], record: &Record) -> Vec<Finding> {
    let between = between_hosts(entries, record);
    let mut found = slow_targets(outliers);
    name_the_store(&mut found, outliers);
    found.extend(narrow_cluster_network(entries));
    // Of pairs of hosts the matrix knows more than each pair beside its peers.
    found.retain(|finding| between.is_empty() || !is_link(finding));
    found.extend(between);
    found.extend(ceilings(entries));
    found.extend(compactions(entries));
    found
}

/// Of each network between hosts: its slow links and hosts, and what all of them at once show.
fn between_hosts(entries: &[Entry], record: &Record) -> Vec<Finding> {
    let networks: BTreeSet<Option<&str>> =
        entries.iter().map(|entry| entry.figure.network.as_deref()).chain([None]).collect();
    let of = |network: Option<&str>| {
        let uplink = uplink(entries, network);
        let mut links = links(entries, network);
        let explained = |link: &Finding| {
            link.subject.part().zip(uplink.as_ref()).is_some_and(|(part, uplink)| uplink.explains(&part.ends()))
        };
        links.retain(|link| !is_link(link) || !explained(link));
        let mut bonds = bad_bonds(record, network);
        links.retain(|link| !bonds.iter_mut().any(|bond| bond.explains(link)));
        links.extend(bonds.into_iter().map(|bond| bond.finding));
        links.extend(uplink.map(Uplink::finding));
        links.into_iter().map(|found| on(network, found)).collect::<Vec<_>>()
    };
    networks.into_iter().flat_map(of).collect()
}

fn on(network: Option<&str>, found: Finding) -> Finding {
    let (Some(_), Some(part)) = (network, found.subject.part().cloned()) else { return found };
    // `host2 (cluster)` in place of `host2`, with which what is said begins.
    let (own, subject) = (found.subject.to_string(), part.on(network));
    let says = found.says.replacen(&own, &subject.to_string(), 1);
    Finding { subject, says, ..found }
}

/// Is it about the way between two hosts?
fn is_link(finding: &Finding) -> bool {
    finding.subject.part().is_some_and(NetworkPart::is_link)
}

/// One for all figures that dip or slow down with compactions: the cause is the same.
fn compactions(entries: &[Entry]) -> Option<Finding> {
    let named = |entry: &Entry| {
        let figure = &entry.figure;
        Some(format!("{} {}: {}", figure.target, figure.pattern.name(), blamed(figure.background.as_ref()?)?))
    };
    let evidence: Vec<String> = entries.iter().filter_map(named).collect();
    (!evidence.is_empty()).then(|| Finding {
        id: "compaction-dips".to_string(),
        standing: Standing::Hint,
        subject: Subject::Several { name: "osd.*".to_string() },
        says: "operations slow down while RocksDB compacts".to_string(),
        evidence,
        fix: "put block.db on a faster device, give it room for the next level, or spread the omap load over more OSDs; what \
              is in step need not be the cause: compare with fathom run --ab of an option"
            .to_string(),
        risk: "an OSD whose block.db is moved is down meanwhile".to_string(),
    })
}

/// An OSD whose store is slow by itself, by its own bench: neither the network nor a client has part in that.
fn name_the_store(found: &mut [Finding], outliers: &[Outlier]) {
    let by_itself = |finding: &Finding| {
        let own = |outlier: &&Outlier| outlier.subject == finding.subject && outlier.layer == Layer::Store;
        finding.id == "osd-slow" && outliers.iter().any(|outlier| own(&outlier))
    };
    for finding in found.iter_mut().filter(|finding| by_itself(finding)) {
        let as_osd = |outlier: &Outlier| outlier.subject == finding.subject && outlier.layer != Layer::Store;
        let below = "the disk under it, or what keeps that busy, not the network";
        finding.says = match outliers.iter().any(as_osd) {
            true => format!("{}, and so is its object store alone: {below}", finding.says),
            false => format!("{}'s object store alone is slower than its peers': {below}", finding.subject),
        };
    }
}

/// One for each slow target, with every pattern in which it is slow as evidence.
fn slow_targets(outliers: &[Outlier]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for outlier in outliers {
        let Some((id, fix)) = remedy(outlier.layer) else { continue };
        match found.iter_mut().find(|finding| finding.id == id && finding.subject == outlier.subject) {
            Some(finding) => {
                finding.evidence.push(evidence(outlier));
                if outlier.standing == Standing::Confirmed {
                    finding.standing = Standing::Confirmed;
                }
            }
            None => found.push(Finding {
                id: id.to_string(),
                standing: outlier.standing,
                subject: outlier.subject.clone(),
                says: format!("{} is slower than its peers", outlier.target),
                evidence: vec![evidence(outlier)],
                fix: fix.to_string(),
                risk: "none: looking changes nothing".to_string(),
            }),
        }
    }
    found
}

fn evidence(outlier: &Outlier) -> String {
    format!("{}: {}", outlier.pattern.name(), outlier.says)
}

fn remedy(layer: Layer) -> Option<(&'static str, &'static str)> {
    match layer.spec().target {
        TargetKind::Path => {
            Some(("device-slow", "compare its SMART data, firmware, link speed and temperature with its peers'"))
        }
        TargetKind::Link => Some((
            "link-slow",
            "compare cable, port speed, MTU and error counters of its two ends with the other links'",
        )),
        TargetKind::Osd => Some((
            "osd-slow",
            "measure its disk alone; if that is fast, compare the OSD's options, memory and host with its peers'",
        )),
        TargetKind::Replicas | TargetKind::Pool => None,
    }
}
