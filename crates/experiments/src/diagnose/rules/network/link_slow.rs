//! A way between two hosts that is slow, while its two hosts are well with others.

use super::{again, matrix, osd_connection_retransmits, segments_sent_again};
use crate::diagnose::peers::slow_targets;
use crate::diagnose::{Area, Case, Rule, Source, Suspect};
use model::{NetworkPart, TargetKind};

pub static RULE: Rule = Rule {
    id: "link-slow",
    about: Area::Network,
    what: "The way from one host to another is slow, and its two hosts are not with others.",
    evidence: "Of at least three hosts: the way does less than 75 % of what the better quarter of all pairs does (by the better end of its interval), and no host explains it. \
               Where pairs of hosts show nothing so: it is slower than its peers as any other target is (docs/method.md, \"The slow one\"). Confirmed if all pairs were \
               measured in more than one pass and none was held back by the load, if both hosts are known to be well with others, and if it was not always measured beside \
               another slow way.",
    sources: &[
        "docs/method.md, \"Between hosts\": a host's own load moves a pair by some percent, a lower negotiated speed by half and more",
    ],
    needs: &[Source::Figures],
    suspect,
    test: Some(again::MEASURE_WAYS_AGAIN),
    explains: &[segments_sent_again::FOLLOWS, osd_connection_retransmits::FOLLOWS],
    fix: FIX,
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    ..Rule::USUAL
};

pub const FIX: &str = "compare cable, negotiated speed and duplex (ethtool), MTU, and error and drop counters of its ends and of \
                       the switch's ports with the others'";

/// Of pairs of hosts all of them together tell more than each beside its peers.
fn suspect(case: &Case) -> Vec<Suspect> {
    let pairs = matrix::slow_parts(case);
    if pairs.is_empty() {
        return slow_targets(case, TargetKind::Link);
    }
    pairs.into_iter().filter(|suspect| suspect.subject.part().is_some_and(NetworkPart::is_link)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::{findings, one, round_trips, suspects, text, told, way, ways};
    use model::{Pattern, Standing, StepId};

    fn with(mbs: impl Fn(usize, usize) -> f64) -> Made {
        let mut made = Made::cluster();
        ways(&mut made, 4, None, |from, to| Some(mbs(from, to)));
        made
    }

    #[test]
    fn a_slow_way_is_named_with_its_round_trips() {
        let mut made = with(|from, to| if (from, to) == (0, 2) { 117.0 } else { 1250.0 });
        round_trips(&mut made, 4, |from, to| if (from, to) == (0, 2) { 0.4 } else { 0.1 });
        assert_eq!(told(&made.record), [one("link-slow", "h0→h2")]);
        let found = &findings(&made.record)[0];
        assert_eq!(text(&found.says), "h0→h2 is slow, and its two hosts are not with others");
        assert!(text(&found.evidence[1]).starts_with("h0↔h2: round trips: 75 % slower"), "{:?}", found.evidence);
        assert_eq!(found.standing, Standing::Confirmed);
    }

    #[test]
    fn of_two_slow_ways_that_were_measured_together_neither_is_certain() {
        let slow = |from, to| (from, to) == (0, 3) || (from, to) == (1, 2);
        let mut made = with(|from, to| if slow(from, to) { 600.0 } else { 1250.0 });
        let found = findings(&made.record);
        assert!(found.iter().all(|found| found.standing == Standing::Hint), "{found:?}");
        assert_eq!(
            text(&found[0].evidence[1]),
            "measured only at the same time as h1→h2, which was slow as well: it may be what they share"
        );
        // The second one later.
        let steps: Vec<StepId> =
            made.record.plan.steps.iter().filter(|step| step.targets[0].name == "h1→h2").map(|step| step.id).collect();
        made.record
            .slices
            .iter_mut()
            .filter(|slice| steps.contains(&slice.step))
            .for_each(|slice| slice.started_seconds += 50.0);
        let found = findings(&made.record);
        assert!(found.iter().all(|found| found.standing == Standing::Confirmed), "{found:?}");
    }

    /// Of three hosts, 0 and 1 send slowly to 2; the threads of one of the two waited for processors.
    fn starved(mbs: f64, busy: f64, queued: f64) -> Vec<String> {
        let mut made = Made::cluster();
        for (from, to) in [(0, 2), (0, 1), (1, 0), (2, 0), (2, 1), (1, 2)] {
            let rate = if to == 2 { mbs } else { 2900.0 };
            made.delivers(Pattern::WriteLinear, way(from, to, None), rate / 4.194304);
        }
        made.with_threads(busy, queued);
        findings(&made.record).iter().map(|found| text(&found.says)).collect()
    }

    #[test]
    fn waiting_for_processors_explains_a_slow_way_only_as_far_as_it_took_time() {
        let whole = "h2: all that it receives is slow, and the other pairs are not";
        assert_eq!(starved(94.0, 0.02, 0.15), [whole]);
        let way = "h0→h2 is slow; whether its two hosts are so with others is not known";
        assert_eq!(starved(1500.0, 0.3, 0.3), [way]);
    }

    #[test]
    fn where_pairs_of_hosts_show_nothing_a_way_is_one_among_its_peers() {
        let made = with(|from, to| if (from, to) == (0, 2) { 1000.0 } else { 1250.0 });
        let found = suspects(&RULE, &made.record);
        assert_eq!(found.iter().map(|one| text(&one.says)).collect::<Vec<_>>(), ["h0→h2 is slower than its peers"]);
        let slower = with(|from, to| match (from, to) {
            (0, 2) => 117.0,
            (1, 3) => 1000.0,
            _ => 1250.0,
        });
        assert_eq!(told(&slower.record), [one("link-slow", "h0→h2")]);
    }

    #[test]
    fn alike_ways_and_those_of_a_slow_host_are_not_named() {
        assert_eq!(told(&with(|_, _| 1250.0).record), []);
        let host = with(|from, to| if from == 1 || to == 1 { 117.0 } else { 1250.0 });
        assert_eq!(suspects(&RULE, &host.record), []);
        let mut unknown = with(|from, to| if (from, to) == (0, 2) { 117.0 } else { 1250.0 }).record;
        unknown.slices.retain(|slice| slice.step.0 != 1);
        assert_eq!(told(&unknown), []);
    }
}
