//! What goes between two hosts takes long, by writes between pairs of their OSDs, and nothing else does.

use super::{link_slow, osd_connection_retransmits};
use crate::diagnose::rules::osd::by_position::LEAST;
use crate::diagnose::rules::osd::gains;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{Metric, NetworkPart, PairTime, Positions, Quantity, Standing, phrase};
use std::collections::BTreeSet;

pub static RULE: Rule = Rule {
    id: "way-between-slow",
    about: Area::Network,
    what: "What goes between two hosts, or from one to the other, is slow, and both are well with others.",
    evidence: "In writes between pairs of OSDs every pair of an OSD of the one host and one of the other takes on average at least 15 % longer than any other pair does; of at \
               least four such pairs, and as many others; and what either host writes with others takes less than 15 % longer than usual. Either in both directions, or from the one to the other alone.",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions],
    suspect,
    test: None,
    explains: &[
        Explains {
            rule: &link_slow::RULE,
            which: "that of the same two hosts",
            follows: |cause, slow, _| {
                let ends = |suspect: &Suspect| {
                    let ends = suspect.subject.part().map(|part| part.ends().into_iter().map(String::from));
                    ends.map(|ends| ends.collect::<BTreeSet<_>>())
                };
                ends(cause) == ends(slow)
            },
        },
        osd_connection_retransmits::FOLLOWS,
    ],
    fix: "compare what lies between these two hosts with what lies between others: routes (ip route get), queueing disciplines and filters (tc qdisc, tc filter), switch ports and \
          the links between switches; fathom network --hosts measures every way",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "fathom network --hosts measures the ways between hosts one at a time",
    tried: Tried::Machines,
    ..Rule::USUAL
};

/// At least this many slow pairs are needed: four given pairs are by chance the slowest of 24 in one of 10,626 cases.
const PAIRS_LEAST: usize = 4;

fn suspect(case: &Case) -> Vec<Suspect> {
    let Some(all) = case.positions else { return Vec::new() };
    let hosts: BTreeSet<&str> = all.osds.iter().map(|osd| osd.host.as_str()).collect();
    let both = |one: &str, other: &str| NetworkPart::Link { one: one.to_string(), other: other.to_string() };
    let way = |one: &str, other: &str| NetworkPart::Way { from: one.to_string(), to: other.to_string() };
    let ordered = || hosts.iter().flat_map(|one| hosts.iter().map(move |other| (*one, *other)));
    let links = ordered().filter(|(one, other)| one < other).map(|(one, other)| both(one, other));
    let ways = ordered().filter(|(one, other)| one != other).map(|(one, other)| way(one, other));
    // Where both directions are slow neither is alone slower than all others.
    links.chain(ways).filter_map(|part| apart(all, part, case)).collect()
}

/// If every pair of this part is slower than every other pair.
fn apart(all: &Positions, part: NetworkPart, case: &Case) -> Option<Suspect> {
    let host = |osd: u32| all.osds.iter().find(|one| one.osd == osd).map(|one| one.host.as_str());
    let is_of = |pair: &PairTime| match (&part, host(pair.primary), host(pair.replica)) {
        (NetworkPart::Way { from, to }, Some(a), Some(b)) => (a, b) == (from, to),
        (NetworkPart::Link { one, other }, Some(a), Some(b)) => (a, b) == (one, other) || (b, a) == (one, other),
        _ => false,
    };
    let (own, others): (Vec<&PairTime>, Vec<&PairTime>) = all.pairs.iter().partition(|pair| is_of(pair));
    let fastest = own.iter().map(|pair| pair.mean).fold(f64::INFINITY, f64::min);
    let slowest = others.iter().map(|pair| pair.mean).fold(0.0, f64::max);
    if own.len() < PAIRS_LEAST || others.len() < PAIRS_LEAST || fastest < (1.0 + LEAST) * slowest {
        return None;
    }
    // What a slow host sends to one may be slower than what it sends to another.
    let usual = median_of(&others, |_| true)?;
    let well = |name: &str| {
        let as_primary = median_of(&others, |pair| host(pair.primary) == Some(name));
        let as_replica = median_of(&others, |pair| host(pair.replica) == Some(name));
        as_primary.into_iter().chain(as_replica).all(|mean| mean < (1.0 + LEAST) * usual)
    };
    if !part.ends().into_iter().all(well) {
        return None;
    }
    let ms = |value: f64| Quantity::Value { value, metric: Metric::LatencyMean };
    let evidence = phrase!(
        "by position: each of {} pairs of their OSDs takes at least {} for a write, and none of {} others more than {}",
        own.len(),
        ms(fastest),
        others.len(),
        ms(slowest)
    );
    let subject = part.on(None);
    let words = words(&subject);
    let says = phrase!("what goes {} is slow, and both hosts are well with others", words.as_str());
    let cost = gains::of_ways(&own, &others, &words, case);
    Some(Suspect { cost, ..Suspect::new(subject, Standing::Confirmed, says, evidence) })
}

fn median_of(pairs: &[&PairTime], of: impl Fn(&PairTime) -> bool) -> Option<f64> {
    let means: Vec<f64> = pairs.iter().filter(|pair| of(pair)).map(|pair| pair.mean).collect();
    (!means.is_empty()).then(|| judge::median(&means))
}

fn words(subject: &model::Subject) -> String {
    match subject.part() {
        Some(NetworkPart::Way { from, to }) => format!("from {from} to {to}"),
        Some(NetworkPart::Link { one, other }) => format!("between {one} and {other}"),
        _ => subject.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::{NOTHING, positions, told_of};

    /// Every pair of OSDs of different ones of three hosts; what it takes, by its hosts' numbers.
    fn told(mean: impl Fn(u32, u32, usize) -> f64) -> Vec<String> {
        let pairs = (0..6).flat_map(|a| (0..6).map(move |b| (a, b))).filter(|(a, b)| a % 3 != b % 3);
        let pair = |(at, (primary, replica)): (usize, (u32, u32))| PairTime {
            primary,
            replica,
            mean: mean(primary % 3 + 1, replica % 3 + 1, at),
            beyond: 0.0,
        };
        let all = Positions { pairs: pairs.enumerate().map(pair).collect(), ..positions(|_| NOTHING) };
        let told = told_of(&RULE, &all);
        assert!(told.iter().all(|(standing, _)| *standing == Standing::Confirmed));
        told.into_iter().map(|(_, says)| says).collect()
    }

    #[test]
    fn what_goes_between_two_hosts_is_told_from_one_way_alone() {
        let both = told(|a, b, at| if (a, b) == (3, 2) || (a, b) == (2, 3) { 1.7 + 0.02 * at as f64 } else { 1.1 });
        assert_eq!(both, ["what goes between host2 and host3 is slow, and both hosts are well with others"]);
        let way = told(|a, b, _| if (a, b) == (3, 2) { 1.7 } else { 1.1 });
        assert_eq!(way, ["what goes from host3 to host2 is slow, and both hosts are well with others"]);
    }

    #[test]
    fn a_slow_host_equal_ways_and_one_fast_pair_of_a_slow_way_are_none() {
        assert!(told(|a, _, _| if a == 2 { 3.0 } else { 1.1 }).is_empty());
        assert!(told(|a, b, _| if a == 2 || b == 2 { 3.0 } else { 1.1 }).is_empty());
        let unequally = |a, b, _| if a == 2 { 2.5 + f64::from(b) } else { 1.1 };
        assert!(told(unequally).is_empty());
        assert!(told(|_, _, at| 1.1 + 0.01 * (at % 7) as f64).is_empty());
        assert!(told(|a, b, at| if (a, b) == (3, 2) && at % 2 == 0 { 1.7 } else { 1.1 }).is_empty());
    }

    #[test]
    fn nobody_is_suspected_without_pairs() {
        assert!(told_of(&RULE, &positions(|_| NOTHING)).is_empty());
    }
}
