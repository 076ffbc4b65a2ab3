//! Links that are well one by one and not all at once: an uplink between switches, or a switch, carries less than its hosts' links.

use crate::across::mean_over;
use crate::effort::QUEUED_MOST;
use crate::entry::Entry;
use crate::links::alone;
use crate::words::quantity;
use model::pattern::Family;
use model::{Estimate, Finding, Label, Metric, NetworkPart, Place, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// All at once carry less than this share of what the hosts' links could: a ceiling. Or: streams that cross it are so much slower than
/// the others beside them.
const SHARE: f64 = 0.75;
/// Fewer say nothing of where a line runs between them.
const HOSTS_LEAST: usize = 3;

/// An ordered pair of hosts, and what each did.
type Way = (String, String);
type Ways = BTreeMap<Way, Estimate>;
/// The mean over some of the ways that were measured at once.
type Mean<'m> = dyn Fn(&[&Way]) -> Option<Estimate> + 'm;

/// What is found of the network between all hosts.
pub struct Uplink {
    /// The hosts on either side of it; empty: it is not known where it lies.
    groups: Vec<Vec<String>>,
    says: String,
    evidence: String,
    /// Seen in more than one pass.
    steady: bool,
}

/// `network`: of which of the networks between the hosts.
pub fn uplink(entries: &[Entry], network: Option<&str>) -> Option<Uplink> {
    let linear = |entry: &&Entry| {
        let Entry { figure, .. } = entry;
        figure.network.as_deref() == network && figure.layer.of_links() && figure.pattern.family() == Family::Linear
    };
    let joint: Vec<&Entry> =
        entries.iter().filter(linear).filter(|entry| !entry.step.apart && entry.step.targets.len() > 2).collect();
    let whole = joint.iter().find(|entry| entry.together())?;
    // Where the load was the limit, the network was not.
    let held_back = |entry: &&&Entry| {
        let waited = entry.figure.effort.as_ref().is_some_and(|effort| effort.queued > QUEUED_MOST);
        waited || matches!(entry.figure.label, Label::GeneratorLimited(_))
    };
    let starved: BTreeSet<Way> = ways(joint.iter().filter(held_back).copied()).into_keys().collect();
    let at_once = ways(joint.iter().copied().filter(|entry| !entry.together()));
    let alone = values(&ways(entries.iter().filter(linear).filter(|entry| alone(entry, network))));
    let mean = |of: &[&Way]| mean_over(&of.iter().filter_map(|way| at_once.get(*way).copied()).collect::<Vec<_>>());
    let steady = whole.figure.slices > 1;
    told(&values(&at_once), &mean, &alone, whole.usable().filter(|_| !held_back(&whole)), &starved)
        .map(|found| Uplink { steady, ..found })
}

impl Uplink {
    /// Does a slow link, of these ends, lie across it?
    pub fn explains(&self, ends: &BTreeSet<&str>) -> bool {
        let sides = |group: &&Vec<String>| group.iter().any(|host| ends.contains(host.as_str()));
        ends.len() == 2 && self.groups.iter().filter(sides).count() == 2
    }

    pub fn finding(self) -> Finding {
        let known = !self.groups.is_empty();
        let part = if known { NetworkPart::Uplink(self.groups) } else { NetworkPart::Whole };
        Finding {
            id: "uplink-oversubscribed".to_string(),
            // Streams that are slower all alike may be so because each is but one, where alone there were several: a hint at most.
            standing: if self.steady && known { Standing::Confirmed } else { Standing::Hint },
            subject: part.on(None),
            says: self.says,
            evidence: vec![self.evidence],
            fix: "compare the uplinks' sum (LACP: every leg of it, and how streams are spread over them) with that of the ports \
                  below them; recovery and replication cross it all at once"
                .to_string(),
            risk: "none: looking changes nothing".to_string(),
        }
    }
}

/// Those that were measured.
fn ways<'e, 'a: 'e>(entries: impl Iterator<Item = &'e Entry<'a>>) -> BTreeMap<Way, &'e Entry<'a>> {
    let way = |entry: &'e Entry<'a>| {
        let Some(Place::Pair { from, to, .. }) = entry.place() else { return None };
        let (from, to) = (from.host.clone(), to.host.clone());
        entry.usable().map(|_| (if entry.figure.pattern.writes() { (from, to) } else { (to, from) }, entry))
    };
    entries.filter_map(way).collect()
}

fn values(ways: &BTreeMap<Way, &Entry>) -> Ways {
    ways.iter().filter_map(|(way, entry)| Some((way.clone(), entry.usable()?))).collect()
}

/// `starved`: ways of which the load was the limit. Those inside a group would only be faster still without that.
fn told(at_once: &Ways, mean: &Mean, alone: &Ways, whole: Option<Estimate>, starved: &BTreeSet<Way>) -> Option<Uplink> {
    let hosts: BTreeSet<&String> = at_once.keys().flat_map(|(from, to)| [from, to]).collect();
    let fast = alone.values().map(|one| one.value).fold(0.0, f64::max);
    let all = hosts.len() * (hosts.len() - 1);
    if hosts.len() < HOSTS_LEAST || at_once.len() < all || alone.len() < all {
        return None;
    }
    // A link or a host that is slow alone is slow at once as well, which says nothing more; but pairs that are measured in the same
    // round may meet on the uplink.
    let slow: Vec<&Way> = alone.iter().filter(|(_, one)| one.high <= SHARE * fast).map(|(way, _)| way).collect();
    let rate = |value: f64| quantity(value, Metric::Bandwidth);
    if let Some((groups, across, within)) = line(at_once, mean, &hosts)
        && !slow.iter().any(|way| within_one(&groups, way))
        && starved.iter().all(|way| within_one(&groups, way))
    {
        let names: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
        let says = format!(
            "the way between {} carries less than the hosts' own links: an uplink is oversubscribed",
            names.join(" and ")
        );
        let evidence = format!(
            "all at once: a stream across it {}, one beside it {}; alone each pair did {} and more",
            rate(across.value),
            rate(within.value),
            rate(alone.values().map(|one| one.value).fold(f64::INFINITY, f64::min))
        );
        return Some(Uplink { groups, says, evidence, steady: false });
    }
    let whole = whole.filter(|_| slow.is_empty() && starved.is_empty())?;
    // Each host's link carries no more than the best that it sent alone.
    let of = |host: &&String| {
        alone.iter().filter(|((from, _), _)| from == *host).map(|(_, one)| one.low).fold(0.0, f64::max)
    };
    let links: f64 = hosts.iter().map(of).sum();
    (whole.high < SHARE * links).then(|| {
        let says = format!(
            "all {} hosts together send less than their links carry one by one: the network between them is oversubscribed",
            hosts.len()
        );
        let evidence = format!("{} at once, {} as the sum of the hosts' links", rate(whole.value), rate(links));
        Uplink { groups: Vec::new(), says, evidence, steady: false }
    })
}

/// Do slow streams run between groups, and fast ones inside them? The groups, and the means across and within. What a pass has in
/// common for all streams does not shrink with their number.
fn line(at_once: &Ways, mean: &Mean, hosts: &BTreeSet<&String>) -> Option<(Vec<Vec<String>>, Estimate, Estimate)> {
    let best = at_once.values().map(|one| one.value).fold(0.0, f64::max);
    let value = |a: &String, b: &String| at_once.get(&(a.clone(), b.clone())).map_or(0.0, |one| one.value);
    let near = |a: &String, b: &String| value(a, b).min(value(b, a)) > SHARE * best;
    let mut groups: Vec<Vec<String>> = Vec::new();
    for host in hosts {
        match groups.iter_mut().find(|group| group.iter().any(|other| near(host, other))) {
            Some(group) => group.push((*host).clone()),
            None => groups.push(vec![(*host).clone()]),
        }
    }
    // One host apart from the others is a slow host.
    if groups.len() < 2 || groups.iter().any(|group| group.len() < 2) {
        return None;
    }
    let of = |inside: bool| -> Vec<&Way> { at_once.keys().filter(|way| within_one(&groups, way) == inside).collect() };
    let (across, within) = (mean(&of(false))?, mean(&of(true))?);
    (across.high < SHARE * within.low).then_some((groups, across, within))
}

fn within_one(groups: &[Vec<String>], (a, b): &Way) -> bool {
    groups.iter().any(|group| group.contains(a) && group.contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(hosts: usize, speed: impl Fn(usize, usize) -> f64) -> Ways {
        let name = |number: usize| format!("h{number}");
        let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
        pairs
            .map(|(from, to)| ((name(from), name(to)), Estimate::new(speed(from, to), 0.03 * speed(from, to))))
            .collect()
    }

    fn mean(ways: &Ways) -> impl Fn(&[&Way]) -> Option<Estimate> {
        |of| crate::chart::mean_of(&of.iter().map(|way| ways[*way]).collect::<Vec<_>>())
    }

    fn uplink_of(
        hosts: usize,
        at_once: impl Fn(usize, usize) -> f64,
        alone: impl Fn(usize, usize) -> f64,
    ) -> Option<Uplink> {
        let at_once = made(hosts, at_once);
        let sum: f64 = at_once.values().map(|one| one.value).sum();
        let whole = Some(Estimate::new(sum, 0.03 * sum));
        told(&at_once, &mean(&at_once), &made(hosts, alone), whole, &BTreeSet::new())
    }

    fn found(
        hosts: usize,
        at_once: impl Fn(usize, usize) -> f64,
        alone: impl Fn(usize, usize) -> f64,
    ) -> Option<String> {
        uplink_of(hosts, at_once, alone).map(|uplink| uplink.finding().target())
    }

    #[test]
    fn the_line_between_two_switches_is_found() {
        let noise = |a: usize, b: usize| 1.0 + 0.03 * ((a * 7 + b * 3) % 4) as f64;
        for hosts in [4, 5, 8] {
            let each = 100.0 / (hosts - 1) as f64;
            let alone = |a, b| 100.0 * noise(a, b);
            assert_eq!(found(hosts, |a, b| each * noise(a, b), alone), None, "{hosts} hosts on one switch");
            let across = |a: usize, b: usize| (a < 2) != (b < 2);
            let uplink = |a, b| each * noise(a, b) * if across(a, b) { 0.4 } else { 1.3 };
            let target = found(hosts, uplink, alone).unwrap();
            assert!(target.starts_with("h0, h1 ↔ h2, h3"), "{hosts} hosts: {target}");
            // Every stream is slower: the switch itself.
            assert_eq!(
                found(hosts, |a, b| 0.5 * each * noise(a, b), alone).as_deref(),
                Some("network.*"),
                "{hosts} hosts"
            );
        }
    }

    #[test]
    fn starved_streams_speak_only_where_they_are_the_fast_ones() {
        let across = |a: usize, b: usize| (a < 2) != (b < 2);
        let at_once = made(4, |a, b| 33.0 * if across(a, b) { 0.4 } else { 1.3 });
        let whole = Some(Estimate::new(300.0, 9.0));
        let one = |a: usize, b: usize| BTreeSet::from([(format!("h{a}"), format!("h{b}"))]);
        let alone = made(4, |_, _| 100.0);
        let found =
            |starved| told(&at_once, &mean(&at_once), &alone, whole, &starved).map(|one| one.finding().target());
        assert_eq!(found(one(2, 3)).as_deref(), Some("h0, h1 ↔ h2, h3"));
        assert_eq!(found(one(0, 3)), None);
    }

    #[test]
    fn what_is_slow_alone_is_no_uplink() {
        let slow_host = |a: usize, b: usize| if a == 1 || b == 1 { 20.0 } else { 100.0 };
        assert_eq!(found(4, |a, b| slow_host(a, b) / 3.0, slow_host), None);
        let one_apart = |a: usize, b: usize| if a == 1 || b == 1 { 25.0 } else { 36.0 };
        assert_eq!(found(4, one_apart, |_, _| 100.0), None, "one host is no group");
        assert_eq!(found(2, |_, _| 10.0, |_, _| 100.0), None, "two hosts have one link");
        // Two pairs met on the uplink in their round: it explains them.
        let across = |a: usize, b: usize| (a < 2) != (b < 2);
        let met = |a: usize, b: usize| if (a, b) == (0, 2) || (a, b) == (1, 3) { 50.0 } else { 100.0 };
        let uplink = |a, b| 33.0 * if across(a, b) { 0.4 } else { 1.3 };
        let line = uplink_of(4, uplink, met).unwrap();
        let explains = |ends: &[&str]| line.explains(&ends.iter().copied().collect());
        assert!(explains(&["h0", "h2"]) && explains(&["h1", "h3"]));
        assert!(!explains(&["h0", "h1"]) && !explains(&["h0"]) && !explains(&["h0", "h9"]));
        let anywhere = uplink_of(4, |_, _| 15.0, |_, _| 100.0).unwrap();
        assert!(!anywhere.explains(&["h0", "h2"].into()));
        assert_eq!(Uplink { steady: true, ..anywhere }.finding().standing, Standing::Hint);
        assert_eq!(Uplink { steady: true, ..line }.finding().standing, Standing::Confirmed);
    }
}
