//! Of all ordered pairs of hosts: is it one link that is slow, or one host, or what a host sends or receives?

use crate::diagnose::{Case, Suspect};
use judge::Entry;
use model::pattern::Family;
use model::{Estimate, Figure, Label, NetworkPart, Phrase, Quantity, Slice, Standing, Subject, phrase};
use std::collections::{BTreeMap, BTreeSet};

/// A way is slow below this share of what the better quarter of the pairs does: a host's own load slows a pair by some percent, and a
/// link that negotiated a lower speed by half and more.
const SLOW: f64 = 0.75;
/// Below this share of it a way is slow even if all ways were held back by the hosts' processors.
const FAR_BELOW: f64 = 0.2;
/// With two hosts a slow link and a slow host are the same.
const HOSTS_LEAST: usize = 3;

/// Speed by way: from, to.
type Matrix = BTreeMap<(String, String), f64>;

/// And which of their ways.
type SlowHosts = BTreeMap<String, BTreeSet<Way>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Sends,
    Receives,
}

/// Links and hosts of every network, each with what shows it: streams, or round trips, which do not know which way is slow. What both show
/// is one suspect.
pub fn slow_parts(case: &Case) -> Vec<Suspect> {
    case.networks().into_iter().flat_map(|network| of_network(case, network)).collect()
}

fn of_network(case: &Case, network: Option<&str>) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for family in [Family::Linear, Family::Latency] {
        let own = case.entries.iter().filter(|entry| {
            let of_links = entry.figure.layer.of_links() && entry.figure.pattern.family() == family;
            of_links && entry.is(entry.figure.layer, entry.figure.pattern) && entry.figure.alone_on(network)
        });
        let usable = own.filter(|entry| entry.usable().is_some());
        let figures: Vec<Pair> = usable.flat_map(|entry| pairs(entry, family)).collect();
        for suspect in told(family, &figures, network) {
            match found.iter_mut().find(|known| same_ends(known, &suspect)) {
                Some(known) => known.evidence.extend(shown_by(&suspect)),
                None => found.push(suspect),
            }
        }
    }
    found
}

/// `h0↔h1: round trips: 75 % slower than the better quarter of the pairs`
fn shown_by(suspect: &Suspect) -> Option<Phrase> {
    Some(phrase!("{}: {}", suspect.subject.clone(), suspect.evidence.first()?.clone()))
}

/// The two directions between two hosts are two parts, each with a test of its own.
fn same_ends(one: &Suspect, other: &Suspect) -> bool {
    match (one.subject.part(), other.subject.part()) {
        (Some(one @ NetworkPart::Way { .. }), Some(other @ NetworkPart::Way { .. })) => one == other,
        (Some(one), Some(other)) => one.ends() == other.ends(),
        _ => false,
    }
}

/// A figure, and the way that it speaks of.
struct Pair<'a> {
    figure: &'a Figure,
    slices: &'a [&'a Slice],
    way: (String, String),
}

impl Pair<'_> {
    fn starved(&self) -> bool {
        matches!(self.figure.label, Label::GeneratorLimited(_))
    }

    /// How many times as fast the way may be as it was measured. Time in which the load's threads ran or waited for a processor may be the
    /// load's alone; nobody keeps account of the other end's threads, which may take as much.
    fn may_be_faster(&self) -> f64 {
        let own = self.figure.effort.map_or(1.0, |effort| 2.0 * (effort.busy + effort.queued));
        if own < 1.0 { 1.0 / (1.0 - own) } else { f64::INFINITY }
    }

    /// Was the other one measured at the same time, whenever this one was?
    fn always_beside(&self, other: &Pair) -> bool {
        let overlap =
            |a: &Slice, b: &Slice| a.started_seconds < b.ended_seconds() && b.started_seconds < a.ended_seconds();
        self.slices.iter().all(|own| other.slices.iter().any(|slice| overlap(own, slice)))
    }

    fn shares_a_host(&self, (from, to): &(String, String)) -> bool {
        [from, to].iter().any(|host| **host == self.way.0 || **host == self.way.1)
    }
}

/// A round trip goes both ways.
fn pairs<'a>(entry: &'a Entry, family: Family) -> Vec<Pair<'a>> {
    let Some((from, to)) = entry.figure.way.clone().filter(|(from, to)| from != to) else { return Vec::new() };
    let pair = |from: &String, to: &String| Pair {
        figure: &entry.figure,
        slices: &entry.slices,
        way: (from.clone(), to.clone()),
    };
    match family {
        Family::Latency => vec![pair(&from, &to), pair(&to, &from)],
        _ => vec![pair(&from, &to)],
    }
}

/// What is slow, the hosts before single links.
fn told(family: Family, figures: &[Pair], network: Option<&str>) -> Vec<Suspect> {
    let speed = |figure: &Figure, of: fn(&Estimate) -> f64| {
        let value = of(figure.estimate.as_ref()?);
        Some(if figure.metric.lower_is_better() { 1.0 / value } else { value })
    };
    let likely = |pair: &Pair| speed(pair.figure, |estimate| estimate.value);
    // The best that each may be, so that what is not known is not called slow.
    let best = |pair: &Pair| match pair.figure.metric.lower_is_better() {
        true => speed(pair.figure, |estimate| estimate.low.max(f64::MIN_POSITIVE)),
        false => speed(pair.figure, |estimate| estimate.high),
    };
    let best = |pair: &Pair| Some(best(pair)? * if pair.starved() { pair.may_be_faster() } else { 1.0 });
    let speeds = matrix(figures, &likely);
    let Some(good) = good(&speeds) else { return Vec::new() };
    // Where all loads waited for processors alike, who is far below the others is so for another reason.
    let starved_alike = figures.iter().all(Pair::starved);
    let far_below = |pair: &Pair| starved_alike && likely(pair).is_some_and(|value| value < FAR_BELOW * good);
    let best = |pair: &Pair| if far_below(pair) { likely(pair) } else { best(pair) };
    let (whole, single) = apart(&matrix(figures, &|pair| Some(best(pair)? / good)));
    // Seen once, it may have been a neighbour's moment.
    let sure = |pair: &Pair| pair.figure.slices > 1 && !pair.starved();
    let standing = if figures.iter().all(sure) { Standing::Confirmed } else { Standing::Hint };
    let suspect = |subject: Subject, what: Phrase, of: &dyn Fn(&(String, String)) -> bool| {
        let own: Vec<f64> = speeds.iter().filter(|(way, _)| of(way)).map(|(_, speed)| speed / good).collect();
        let slower = Quantity::Share(1.0 - own.iter().sum::<f64>() / own.len().max(1) as f64);
        let loads = if family == Family::Latency { "round trips" } else { "streams" };
        let evidence = phrase!("{}: {} slower than the better quarter of the pairs", loads, slower);
        let suspect = Suspect::new(subject.clone(), standing, phrase!("{}{}", subject, what), evidence);
        // Explained by one of its hosts, it does not say that its hosts are well.
        let in_short = shown_by(&suspect).filter(|_| suspect.subject.part().is_some_and(NetworkPart::is_link));
        Suspect { in_short, ..suspect }
    };
    let mut all = Vec::new();
    for (name, ways) in whole {
        let (sends, receives) = (ways.contains(&Way::Sends), ways.contains(&Way::Receives));
        let what = match (family, sends, receives) {
            (Family::Latency, ..) => ": all its round trips are slow, and the other pairs are not",
            (_, true, true) => ": all that it sends and receives is slow, and the other pairs are not",
            (_, true, false) => ": all that it sends is slow, and the other pairs are not",
            _ => ": all that it receives is slow, and the other pairs are not",
        };
        // A round trip does not know which way is slow.
        let streams = family == Family::Linear;
        let part = NetworkPart::Host { name: name.clone(), sends: sends && streams, receives: receives && streams };
        let own = |(from, to): &(String, String)| (sends && *from == name) || (receives && *to == name);
        all.push(suspect(part.on(network), what.into(), &own));
    }
    for (from, to) in single.iter().filter(|(from, to)| family == Family::Linear || from < to) {
        let part = match family {
            Family::Latency => NetworkPart::Link { one: from.clone(), other: to.clone() },
            _ => NetworkPart::Way { from: from.clone(), to: to.clone() },
        };
        let way = (from.clone(), to.clone());
        let known = hosts_are_well(&speeds, good, &way);
        let what = match known {
            true => " is slow, and its two hosts are not with others",
            false => " is slow; whether its two hosts are so with others is not known",
        };
        let mut found = suspect(part.on(network), what.into(), &|other| *other == way);
        let beside = slow_beside(figures, &single, &way);
        if !known || !beside.is_empty() {
            found.standing = Standing::Hint;
        }
        if let Some((a, b)) = beside.first() {
            let other = phrase!(
                "measured only at the same time as {}→{}, which was slow as well: it may be what they share",
                a.clone(),
                b.clone()
            );
            found.evidence.push(other);
        }
        all.push(found);
    }
    all
}

/// Does its sender send well to another host, and its receiver receive well from another?
fn hosts_are_well(speeds: &Matrix, good: f64, way: &(String, String)) -> bool {
    let mut well =
        speeds.iter().filter(|(other, speed)| *other != way && **speed >= SLOW * good).map(|(other, _)| other);
    let (mut sends, mut receives) = (false, false);
    well.any(|other| {
        sends |= other.0 == way.0;
        receives |= other.1 == way.1;
        sends && receives
    })
}

/// Other slow ways, between other hosts, that were measured whenever this one was: in the same round they may meet on an uplink.
fn slow_beside<'p>(
    figures: &'p [Pair],
    slow: &[(String, String)],
    way: &(String, String),
) -> Vec<&'p (String, String)> {
    let own: Vec<&Pair> = figures.iter().filter(|pair| pair.way == *way).collect();
    let beside = |other: &&Pair| own.iter().all(|pair| !pair.shares_a_host(&other.way) && pair.always_beside(other));
    figures.iter().filter(|other| slow.contains(&other.way)).filter(beside).map(|other| &other.way).collect()
}

/// By way; of several figures of one way the best.
fn matrix(figures: &[Pair], of: &dyn Fn(&Pair) -> Option<f64>) -> Matrix {
    let mut matrix = Matrix::new();
    for pair in figures {
        let Some(value) = of(pair) else { continue };
        let known = matrix.entry(pair.way.clone()).or_insert(value);
        *known = known.max(value);
    }
    matrix
}

/// The upper quartile: one slow host of three makes two thirds of all pairs slow.
fn good(matrix: &Matrix) -> Option<f64> {
    let mut speeds: Vec<f64> = matrix.values().copied().collect();
    speeds.sort_by(f64::total_cmp);
    speeds.get(speeds.len() * 3 / 4).copied().filter(|good| *good > 0.0)
}

/// Hosts of which all pairs of one way are slow, and slow pairs that no such host explains.
fn apart(shares: &Matrix) -> (SlowHosts, Vec<(String, String)>) {
    let hosts: BTreeSet<&String> = shares.keys().flat_map(|(from, to)| [from, to]).collect();
    if hosts.len() < HOSTS_LEAST {
        return Default::default();
    }
    let slow: BTreeSet<&(String, String)> =
        shares.iter().filter(|(_, share)| **share < SLOW).map(|(pair, _)| pair).collect();
    let of = |host: &String, way: Way, pair: &(String, String)| match way {
        Way::Sends => pair.0 == *host,
        Way::Receives => pair.1 == *host,
    };
    let mut whole = SlowHosts::new();
    let mut left = slow.clone();
    // Who has most slow pairs first: a slow host makes its partners' ways look slow, too.
    loop {
        let all_slow = |host: &String, way: Way| {
            let own: Vec<_> = shares.keys().filter(|pair| of(host, way, pair)).collect();
            let unexplained = own.iter().filter(|pair| left.contains(**pair)).count();
            (own.len() > 1 && own.iter().all(|pair| slow.contains(*pair))).then_some(unexplained).filter(|n| *n > 1)
        };
        let candidates = hosts.iter().flat_map(|host| [Way::Sends, Way::Receives].map(|way| (*host, way)));
        let worst =
            candidates.filter_map(|(host, way)| Some((all_slow(host, way)?, host, way))).max_by_key(|one| one.0);
        let Some((_, host, way)) = worst else { break };
        whole.entry(host.clone()).or_default().insert(way);
        left.retain(|pair| !of(host, way, pair));
    }
    (whole, left.into_iter().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `hosts` hosts; `speed` by numbers of both ends.
    fn made(hosts: usize, speed: impl Fn(usize, usize) -> f64) -> Matrix {
        let name = |number: usize| format!("h{number}");
        let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
        pairs.map(|(from, to)| ((name(from), name(to)), speed(from, to))).collect()
    }

    fn found(hosts: usize, speed: impl Fn(usize, usize) -> f64) -> (Vec<String>, Vec<String>) {
        let matrix = made(hosts, speed);
        let good = good(&matrix).unwrap();
        let (whole, single) = apart(&matrix.into_iter().map(|(pair, speed)| (pair, speed / good)).collect());
        let ways = |(host, ways): (String, BTreeSet<Way>)| format!("{host} {ways:?}");
        (whole.into_iter().map(ways).collect(), single.into_iter().map(|(from, to)| format!("{from}→{to}")).collect())
    }

    #[test]
    fn link_host_and_way_are_told_apart() {
        for hosts in [3, 4, 7, 20] {
            let noise = |from: usize, to: usize| 1.0 + 0.04 * ((from * 7 + to * 3) % 5) as f64;
            assert_eq!(found(hosts, noise), (vec![], vec![]), "{hosts} hosts, nothing");
            let link = |from, to| noise(from, to) * if (from, to) == (0, 2) { 0.1 } else { 1.0 };
            assert_eq!(found(hosts, link), (vec![], vec!["h0→h2".to_string()]), "{hosts} hosts, a link");
            let receives = |from, to| noise(from, to) * if to == 1 { 0.3 } else { 1.0 };
            assert_eq!(found(hosts, receives), (vec!["h1 {Receives}".to_string()], vec![]), "{hosts} hosts, a way");
            let host = |from, to| noise(from, to) * if to == 1 || from == 1 { 0.3 } else { 1.0 };
            let (whole, single) = found(hosts, host);
            assert_eq!((whole, single), (vec!["h1 {Sends, Receives}".to_string()], vec![]), "{hosts} hosts, a host");
        }
    }

    #[test]
    fn two_hosts_say_nothing_of_each_other() {
        assert_eq!(found(2, |from, _| if from == 0 { 1.0 } else { 0.1 }), (vec![], vec![]));
    }
}
