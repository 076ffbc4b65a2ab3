//! Links that are well one by one and not all at once: an uplink between switches, or a switch, carries less than its hosts' links.

use super::{link_slow, osd_connection_retransmits, segments_sent_again};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect};
use judge::{Entry, QUEUED_MOST, mean_over};
use model::pattern::Family;
use model::{Estimate, Label, Metric, NetworkPart, Phrase, Quantity, Standing, Subject, phrase};
use std::collections::{BTreeMap, BTreeSet};

pub static RULE: Rule = Rule {
    id: "uplink-oversubscribed",
    about: Area::Network,
    what: "The network between hosts carries less than the hosts' own links: an uplink between switches, or a switch, is oversubscribed.",
    evidence: "All pairs of at least three hosts are well one by one. At once, streams inside groups of hosts are faster than those between groups by more than a quarter, \
               intervals counted; or all together carry less than 75 % of the sum of the hosts' best ways: then it is not known where, and a hint. Confirmed if the groups \
               are known and it was seen in more than one pass. Streams of which the load was the limit count only where they are the fast ones.",
    sources: &["docs/method.md, \"Between hosts\""],
    needs: &[Source::Figures],
    suspect,
    test: None,
    explains: &[
        Explains {
            rule: &link_slow::RULE,
            which: "those of links between its groups: pairs measured in the same round meet on it",
            follows: crosses,
        },
        segments_sent_again::FOLLOWS,
        osd_connection_retransmits::FOLLOWS,
    ],
    fix: "compare the uplinks' sum (LACP: every leg of it, and how streams are spread over them) with that of the ports below \
          them; recovery and replication cross it all at once",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "measure all pairs of hosts at once again (fathom network --hosts LIST): streams between the groups stay below those inside them",
    ..Rule::USUAL
};

/// There is a ceiling if all streams at once carry less than this share of what the hosts' links could, or if streams that cross the
/// uplink carry less than this share of what the others beside them do.
const SHARE: f64 = 0.75;
/// With fewer hosts nothing can be said of where a line runs between them.
const HOSTS_LEAST: usize = 3;

/// An ordered pair of hosts, and what each did.
type Way = (String, String);
type Ways = BTreeMap<Way, Estimate>;
/// The mean over some of the ways that were measured at once.
type Mean<'m> = dyn Fn(&[&Way]) -> Option<Estimate> + 'm;

/// What is found of the network between all hosts.
struct Uplink {
    /// The hosts on either side of it; empty: it is not known where it lies.
    groups: Vec<Vec<String>>,
    says: Phrase,
    evidence: Phrase,
}

fn suspect(case: &Case) -> Vec<Suspect> {
    case.networks().into_iter().filter_map(|network| of_network(case.entries, network)).collect()
}

fn of_network(entries: &[Entry], network: Option<&str>) -> Option<Suspect> {
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
    let alone = values(&ways(entries.iter().filter(linear).filter(|entry| entry.figure.alone_on(network))));
    let mean = |of: &[&Way]| mean_over(&of.iter().filter_map(|way| at_once.get(*way).copied()).collect::<Vec<_>>());
    let steady = whole.figure.slices > 1;
    let whole = whole.usable().filter(|_| !held_back(&whole));
    Some(told(&values(&at_once), &mean, &alone, whole, &starved)?.suspect(network, steady))
}

impl Uplink {
    /// `steady`: seen in more than one pass.
    fn suspect(self, network: Option<&str>, steady: bool) -> Suspect {
        let known = !self.groups.is_empty();
        let part = if known { NetworkPart::Uplink(self.groups) } else { NetworkPart::Whole };
        // Streams that are slower all alike may be so because each is but one, where alone there were several: a hint at most.
        let standing = if steady && known { Standing::Confirmed } else { Standing::Hint };
        Suspect::new(part.on(network), standing, self.says, self.evidence)
    }
}

/// Does a slow link lie across it?
fn crosses(uplink: &Suspect, link: &Suspect, _: &Case) -> bool {
    let (Some(NetworkPart::Uplink(groups)), Some(part)) = (uplink.subject.part(), link.subject.part()) else {
        return false;
    };
    let ends = part.ends();
    let at_end = |group: &&Vec<String>| group.iter().any(|host| ends.contains(host.as_str()));
    let across = ends.len() == 2 && groups.iter().filter(at_end).count() == 2;
    across && part.is_link() && uplink.subject.network() == link.subject.network()
}

/// Those that were measured.
fn ways<'e, 'a: 'e>(entries: impl Iterator<Item = &'e Entry<'a>>) -> BTreeMap<Way, &'e Entry<'a>> {
    entries
        .filter(|entry| entry.usable().is_some())
        .filter_map(|entry| Some((entry.figure.way.clone()?, entry)))
        .collect()
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
    let rate = |estimate: Estimate| Quantity::Measured { estimate, metric: Metric::Bandwidth };
    if let Some((groups, across, within)) = line(at_once, mean, &hosts)
        && !slow.iter().any(|way| within_one(&groups, way))
        && starved.iter().all(|way| within_one(&groups, way))
    {
        let hosts = |group: &Vec<String>| {
            Phrase::joined(group.iter().map(|host| Phrase::from(Subject::Host(host.clone()))), ", ")
        };
        let says = phrase!(
            "the way between {} carries less than the hosts' own links: an uplink is oversubscribed",
            Phrase::joined(groups.iter().map(hosts), " and ")
        );
        let slowest = alone.values().min_by(|a, b| a.value.total_cmp(&b.value));
        let evidence = phrase!(
            "all at once: a stream across it {}, one beside it {}; alone each pair did {} and more",
            rate(across),
            rate(within),
            slowest.map(|slowest| Phrase::from(rate(*slowest))).unwrap_or_default()
        );
        return Some(Uplink { groups, says, evidence });
    }
    let whole = whole.filter(|_| slow.is_empty() && starved.is_empty())?;
    // Each host's link carries no more than the best that it sent alone.
    let of = |host: &&String| {
        alone.iter().filter(|((from, _), _)| from == *host).map(|(_, one)| one.low).fold(0.0, f64::max)
    };
    let links: f64 = hosts.iter().map(of).sum();
    (whole.high < SHARE * links).then(|| {
        let says = phrase!(
            "all {} hosts together send less than their links carry one by one: the network between them is oversubscribed",
            hosts.len()
        );
        let links = Quantity::Value { value: links, metric: Metric::Bandwidth };
        let evidence = phrase!("{} at once, {} as the sum of the hosts' links", rate(whole), links);
        Uplink { groups: Vec::new(), says, evidence }
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
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::{findings, text, told as all_told, way as target, ways};
    use model::{Pattern, Record};

    fn made(hosts: usize, speed: impl Fn(usize, usize) -> f64) -> Ways {
        let name = |number: usize| format!("h{number}");
        let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
        pairs
            .map(|(from, to)| ((name(from), name(to)), Estimate::new(speed(from, to), 0.03 * speed(from, to))))
            .collect()
    }

    fn mean(ways: &Ways) -> impl Fn(&[&Way]) -> Option<Estimate> {
        |of| {
            let sum: f64 = of.iter().map(|way| ways[*way].value).sum();
            let (n, mean) = (of.len() as f64, sum / of.len() as f64);
            Some(Estimate::new(mean, 0.03 * mean / n.sqrt()))
        }
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
        uplink_of(hosts, at_once, alone).map(|uplink| uplink.suspect(None, false).subject.to_string())
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
        let found = |starved| {
            told(&at_once, &mean(&at_once), &alone, whole, &starved)
                .map(|one| one.suspect(None, false).subject.to_string())
        };
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
        let line = uplink_of(4, uplink, met).unwrap().suspect(None, true);
        let anywhere = uplink_of(4, |_, _| 15.0, |_, _| 100.0).unwrap().suspect(None, true);
        assert_eq!((line.standing, anywhere.standing), (Standing::Confirmed, Standing::Hint));
        let record = Record::default();
        let case = Case { record: &record, entries: &[], tests: &[], outliers: &[], host_loads: &[], positions: None };
        let explains = |by: &Suspect, from: &str, to: &str| {
            let link = NetworkPart::Way { from: from.into(), to: to.into() }.on(None);
            crosses(by, &Suspect { subject: link, ..line.clone() }, &case)
        };
        assert!(explains(&line, "h0", "h2") && explains(&line, "h1", "h3"));
        assert!(!explains(&line, "h0", "h1") && !explains(&line, "h0", "h9") && !explains(&anywhere, "h0", "h2"));
        assert!(!crosses(&line, &Suspect { subject: NetworkPart::of_host("h0").on(None), ..line.clone() }, &case));
    }

    /// Four hosts on two switches: what a pass does to all streams, and how much slower those across are. Where one of three passes found all
    /// streams an eighth slower, twelve streams know no better than one how fast any of them is.
    fn record(by: &[f64], across: f64) -> Record {
        let mut made = Made::cluster();
        ways(&mut made, 4, None, |_, _| Some(1000.0));
        let pairs: Vec<(usize, usize)> =
            (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
        let targets = pairs.iter().map(|(a, b)| target(*a, *b, None)).collect();
        let step = made.step(Pattern::WriteLinear, targets).clone();
        let depth = step.workload.depth;
        let alone = f64::from(depth) * 4.194304;
        for (pass, by) in (1..).zip(by) {
            for (index, (a, b)) in (0..).zip(&pairs) {
                let slower = if (*a < 2) != (*b < 2) { across } else { 1.0 };
                made.slice(&step, Some(index), pass, alone * by * slower, depth);
            }
            made.slice(&step, None, pass, alone * by * (1.0 + 2.0 * across) / 3.0 / 12.0, depth);
        }
        made.record
    }

    #[test]
    fn it_is_told_only_beyond_what_passes_do_to_all_streams() {
        let found = &findings(&record(&[1.0, 1.0, 1.0], 1.5))[0];
        assert_eq!((found.id.as_str(), found.target().as_str()), ("uplink-oversubscribed", "h0, h1 ↔ h2, h3"));
        let evidence = text(&found.evidence[0]);
        assert!(
            evidence.starts_with("all at once: a stream across it 66") && evidence.contains(" MB/s ±"),
            "{evidence}"
        );
        let all = all_told(&record(&[1.0, 1.12, 0.98], 1.5));
        assert!(all.iter().all(|(_, subject)| subject == "network.*"), "{all:?}");
    }

    #[test]
    fn it_is_not_told_of_one_switch_nor_without_all_at_once() {
        assert_eq!(all_told(&record(&[1.0, 1.0, 1.0], 1.0)), []);
        assert_eq!(all_told(&record(&[], 1.5)), []);
    }
}
