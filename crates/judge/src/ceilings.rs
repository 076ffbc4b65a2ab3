//! Disks that do less together than one by one share something: a controller, a bus, an IOMMU, processors.

use crate::entry::Entry;
use crate::words::quantity;
use model::{Estimate, Finding, Label, Standing, Subject};

/// Less than this share of the sum is a ceiling; some percent are the processors' and the clock's.
const SHARE: f64 = 0.80;

pub fn ceilings(entries: &[Entry]) -> Vec<Finding> {
    let joint = entries.iter().filter(|entry| entry.figure.layer.of_disks() && entry.together());
    let mut found: Vec<Finding> = Vec::new();
    for (entry, sum, steady) in joint.filter_map(|entry| ceiling(entry, entries)) {
        let subject = Subject::Several { name: entry.figure.target.clone() };
        let evidence = evidence(entry, &sum);
        // What one host's disks share is also in the sum of all hosts.
        let within =
            |finding: &Finding| finding.id == ID && finding.subject != subject && entry.step.only_host().is_none();
        match found.iter().position(|finding| finding.subject == subject) {
            Some(at) => found[at].evidence.push(evidence),
            None if found.iter().any(within) => {}
            None => found.push(finding(entry, subject, steady, evidence)),
        }
    }
    found
}

const ID: &str = "disks-share-a-ceiling";

/// The figure of several disks at once, what they would do if they shared nothing, and whether that is sure.
fn ceiling<'e, 'a>(entry: &'e Entry<'a>, entries: &[Entry]) -> Option<(&'e Entry<'a>, Estimate, bool)> {
    let together = entry.usable()?;
    let mut parts = Vec::new();
    for target in &entry.step.targets {
        let own = entries.iter().find(|other| {
            let it = other.only_target().is_some_and(|only| only.name == target.name);
            it && other.figure.at_once == 1
                && (other.figure.pattern, other.figure.kind) == (entry.figure.pattern, entry.figure.kind)
        })?;
        parts.push((own.usable()?, own.figure.slices));
    }
    let sum = |of: fn(&Estimate) -> f64| parts.iter().map(|(estimate, _)| of(estimate)).sum::<f64>();
    let sum = Estimate { value: sum(|e| e.value), low: sum(|e| e.low), high: sum(|e| e.high) };
    // Where the load was the limit, the disks were not.
    let starved = matches!(entry.figure.label, Label::GeneratorLimited(_));
    let steady = entry.figure.slices > 1 && parts.iter().all(|(_, slices)| *slices > 1);
    let higher_is_better = !entry.figure.metric.lower_is_better();
    (higher_is_better && !starved && together.high < SHARE * sum.low).then_some((entry, sum, steady))
}

fn evidence(entry: &Entry, sum: &Estimate) -> String {
    let (figure, value) = (&entry.figure, entry.figure.estimate.map_or(f64::NAN, |estimate| estimate.value));
    format!(
        "{}: {} at once, {} as the sum of each alone: {:.0} % less",
        figure.pattern.name(),
        quantity(value, figure.metric),
        quantity(sum.value, figure.metric),
        100.0 * (1.0 - value / sum.value)
    )
}

fn finding(entry: &Entry, subject: Subject, steady: bool, evidence: String) -> Finding {
    let disks = entry.step.targets.len();
    let (says, fix) = match entry.step.only_host() {
        Some(host) => (
            format!("the {disks} disks of {host} share a ceiling: together they do less than one by one"),
            "compare the link of their controller with what the disks need (lspci -vv: LnkSta), the expander's lanes, the slots' \
             processor (NUMA), and IOMMU and power settings; spread the disks over more controllers",
        ),
        None => (
            format!("{disks} disks of several hosts share a ceiling: together they do less than one by one"),
            "hosts that share a machine, an enclosure or a storage network share its limit: put them, or their disks, apart",
        ),
    };
    Finding {
        id: ID.to_string(),
        standing: if steady { Standing::Confirmed } else { Standing::Hint },
        subject,
        says,
        evidence: vec![evidence],
        fix: fix.to_string(),
        risk: "none: looking changes nothing".to_string(),
    }
}
