//! The test of a part of the network: its ways again, in turns with ways that do not touch it.

use crate::diagnose::peers::{answer, cost, in_turns, nothing};
use crate::diagnose::{Case, RuleTest, Suspect, TestResult};
use judge::{Entry, nearest_to_median};
use model::pattern::Family;
use model::{Cost, NetworkPart};
use std::collections::BTreeSet;

pub const MEASURE_WAYS_AGAIN: RuleTest = RuleTest {
    asks: "is it slower than other ways when both are measured again, one at a time and in turns?",
    steps,
    answer: of_ways,
    cost: cost_of_ways,
};

fn steps(suspect: &Suspect, case: &Case) -> Vec<model::Step> {
    let Some(part) = suspect.subject.part() else { return Vec::new() };
    let all = ways(case, suspect.subject.network(), family(part));
    let (mut own, others): (Vec<&Entry>, Vec<&Entry>) = all.into_iter().partition(|entry| touches(part, entry));
    own.sort_by(|a, b| slowness(b).total_cmp(&slowness(a)));
    let Some(others) = nearest_to_median(others) else { return Vec::new() };
    // Of a host its fastest way as well: if that is well, it is not the host.
    let fastest = own.last().copied().filter(|_| !part.is_link() && own.len() > 1);
    let peers: Vec<&Entry> = fastest.into_iter().chain(others).collect();
    own.first().map_or(Vec::new(), |slowest| in_turns(slowest, &peers))
}

/// What raised the suspicion: a stream says which way is slow, and a round trip does not.
fn family(part: &NetworkPart) -> Family {
    match part {
        NetworkPart::Link { .. } | NetworkPart::Host { sends: false, receives: false, .. } => Family::Latency,
        _ => Family::Linear,
    }
}

/// Every way of the part has to be slower than the others; one that is not speaks for it.
fn of_ways(suspect: &Suspect, entries: &[&Entry]) -> TestResult {
    let Some(part) = suspect.subject.part() else { return nothing() };
    let (own, others): (Vec<&Entry>, Vec<&Entry>) = entries.iter().copied().partition(|entry| touches(part, entry));
    let found: Vec<TestResult> = own.iter().map(|entry| answer(entry, &others)).collect();
    let refuted = found.iter().find(|one| matches!(one, TestResult::Refuted(_)));
    let open = found.iter().find(|one| matches!(one, TestResult::Open(_)));
    refuted.or(open).or(found.first()).cloned().unwrap_or_else(nothing)
}

fn cost_of_ways(suspect: &Suspect, entries: &[&Entry], _: &Case) -> Option<Cost> {
    let part = suspect.subject.part()?;
    let (own, others): (Vec<&Entry>, Vec<&Entry>) = entries.iter().copied().partition(|entry| touches(part, entry));
    cost(own.into_iter().map(|own| (own, &others[..])), "it is as fast as other ways")
}

/// Figures of single ways on this network.
fn ways<'c>(case: &Case<'c>, network: Option<&str>, family: Family) -> Vec<&'c Entry<'c>> {
    let of_family = |entry: &&Entry| entry.figure.layer.of_links() && entry.figure.pattern.family() == family;
    let known =
        |entry: &&Entry| entry.figure.alone_on(network) && entry.usable().is_some() && entry.figure.way.is_some();
    case.entries.iter().filter(of_family).filter(known).collect()
}

/// Is it the way itself, or one of this host's in a direction that is suspected?
fn touches(part: &NetworkPart, entry: &Entry) -> bool {
    let Some((from, to)) = &entry.figure.way else { return false };
    match part {
        NetworkPart::Way { from: a, to: b } => (from, to) == (a, b),
        NetworkPart::Host { name, sends: true, receives: false } => from == name,
        NetworkPart::Host { name, sends: false, receives: true } => to == name,
        NetworkPart::Host { name, .. } => from == name || to == name,
        _ => part.ends() == BTreeSet::from([from.as_str(), to.as_str()]),
    }
}

fn slowness(entry: &Entry) -> f64 {
    let value = entry.usable().map_or(f64::NAN, |estimate| estimate.value);
    if entry.figure.metric.lower_is_better() { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::{round_trips, ways as measured};
    use crate::diagnose::untested;
    use judge::assess;

    /// The targets that are measured for the first suspect, the suspect's first.
    fn asked(hosts: usize, mbs: impl Fn(usize, usize) -> f64) -> Vec<String> {
        let mut made = Made::cluster();
        measured(&mut made, hosts, None, |from, to| Some(mbs(from, to)));
        // Seen once, nobody is certain.
        made.record.slices.retain(|slice| slice.pass == 1);
        let assessed = assess(&made.record);
        let steps = untested(&Case::of(&assessed)).map(|(_, _, steps)| steps).unwrap_or_default();
        steps.iter().map(|step| step.targets[0].name.clone()).collect()
    }

    #[test]
    fn a_slow_way_is_measured_in_turns_with_four_others() {
        let asked = asked(4, |from, to| if (from, to) == (0, 2) { 117.0 } else { 1250.0 });
        assert_eq!((asked.len(), asked[0].as_str()), (5, "h0→h2"));
        assert!(!asked[1..].iter().any(|name| name == "h2→h0"), "{asked:?}");
    }

    #[test]
    fn a_slow_host_is_measured_beside_ways_of_other_hosts() {
        let asked = asked(4, |from, to| if from == 1 || to == 1 { 117.0 } else { 1250.0 });
        // Its slowest way and its fastest, then others'.
        let own = |name: &String| name.contains("h1");
        assert!(asked[..2].iter().all(own) && !asked[2..].iter().any(own), "{asked:?}");
    }

    #[test]
    fn alike_ways_ask_for_nothing() {
        assert!(asked(4, |_, _| 1250.0).is_empty());
    }

    #[test]
    fn slow_round_trips_are_tested_with_round_trips() {
        let mut made = Made::cluster();
        measured(&mut made, 4, None, |_, _| Some(1250.0));
        round_trips(&mut made, 4, |from, to| if (from, to) == (1, 2) { 0.4 } else { 0.1 });
        made.record.slices.retain(|slice| slice.pass == 1);
        let assessed = assess(&made.record);
        let (_, suspect, steps) = untested(&Case::of(&assessed)).unwrap();
        assert_eq!(suspect.subject.to_string(), "h1↔h2");
        assert!(steps.iter().all(|step| step.pattern.family() == Family::Latency), "{steps:?}");
    }
}
