//! The test of a part of the network: its slowest way again, in turns with ways that do not touch it.

use crate::diagnose::peers::{answer, in_turns};
use crate::diagnose::{Case, RuleTest, Suspect};
use judge::{Entry, nearest_to_median};
use model::NetworkPart;
use model::pattern::Family;
use std::collections::BTreeSet;

pub const MEASURE_WAYS_AGAIN: RuleTest = RuleTest {
    asks: "is it slower than other ways when both are measured again, one at a time and in turns?",
    steps,
    answer,
};

fn steps(suspect: &Suspect, case: &Case) -> Vec<model::Step> {
    let Some(part) = suspect.subject.part() else { return Vec::new() };
    let of = |family: Family| ways(case, suspect.subject.network(), family);
    // A stream says which way is slow; a round trip is what there is where no streams were measured.
    let all = Some(of(Family::Linear)).filter(|found| !found.is_empty()).unwrap_or_else(|| of(Family::Latency));
    let (own, others): (Vec<&Entry>, Vec<&Entry>) = all.into_iter().partition(|entry| touches(part, entry));
    let slowest = own.into_iter().max_by(|a, b| slowness(a).total_cmp(&slowness(b)));
    match (slowest, nearest_to_median(others)) {
        (Some(own), Some(others)) => in_turns(own, &others),
        _ => Vec::new(),
    }
}

/// Figures of single ways on this network.
fn ways<'c>(case: &Case<'c>, network: Option<&str>, family: Family) -> Vec<&'c Entry<'c>> {
    let of_family = |entry: &&Entry| entry.figure.layer.of_links() && entry.figure.pattern.family() == family;
    let known =
        |entry: &&Entry| entry.figure.alone_on(network) && entry.usable().is_some() && entry.figure.way.is_some();
    case.entries.iter().filter(of_family).filter(known).collect()
}

/// Is it a way of this host, or the link itself?
fn touches(part: &NetworkPart, entry: &Entry) -> bool {
    let Some((from, to)) = &entry.figure.way else { return false };
    let (ends, own) = (part.ends(), BTreeSet::from([from.as_str(), to.as_str()]));
    if part.is_link() { own == ends } else { !own.is_disjoint(&ends) }
}

fn slowness(entry: &Entry) -> f64 {
    let value = entry.usable().map_or(f64::NAN, |estimate| estimate.value);
    if entry.figure.metric.lower_is_better() { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::ways as measured;
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
        assert!(asked[0].contains("h1") && !asked[1..].iter().any(|name| name.contains("h1")), "{asked:?}");
    }

    #[test]
    fn alike_ways_ask_for_nothing() {
        assert!(asked(4, |_, _| 1250.0).is_empty());
    }
}
