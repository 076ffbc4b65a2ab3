//! A gateway that holds back the end of an answer until its beginning was acknowledged.

use crate::diagnose::facts::prelude::*;
use crate::diagnose::{RuleTest, Suspect, TestResult, peers};
use judge::{Entry, retested};
use model::{Bytes, Cost, Metric, Percentile, Standing, Step};
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "rgw-nagle",
    about: Area::Rgw,
    what: "A gateway, or a proxy before it, holds back the end of each answer until its beginning was acknowledged (Nagle's algorithm): TCP_NODELAY is off there.",
    why: "Receivers acknowledge a single packet up to 40 ms later (delayed acknowledgements), and a GET on a connection that is kept open takes so much longer where what follows the \
          head of its answer fits one packet: objects below 1.4 KB with packets of 1,500 bytes, below 9 KB with jumbo frames, and more within one machine. Beast, the gateway's \
          frontend, leaves tcp_nodelay off unless it is set.",
    evidence: "Of small objects (at most 8 KiB, which one flight of packets holds): half of them begin to arrive at least 20 ms before they have arrived. Confirmed \
               where they take less than half as long when what arrives is acknowledged at once (TCP_QUICKACK on the client): nothing else of the way to the gateway and back differs.",
    sources: &[
        "Ceph's documentation, \"HTTP Frontends\": tcp_nodelay of beast, 0 by default",
        "RFC 896 (Nagle), RFC 1122 4.2.3.2 (delayed acknowledgements); Linux: TCP_DELACK_MIN is 40 ms",
    ],
    needs: &[Source::Figures],
    suspect,
    test: Some(RuleTest {
        asks: "do small objects arrive sooner when what arrives is acknowledged at once, in turns with the usual way?",
        steps: with_and_without,
        answer: is_faster_with_it,
        cost: |_, entries, _| cost(entries),
    }),
    fix: "add tcp_nodelay=1 to the gateway's frontend, as in ceph config set client.rgw.NAME rgw_frontends \"beast port=PORT tcp_nodelay=1\" (ceph config dump, or its section of ceph.conf, has \
          what is set there), and restart that gateway; a proxy: HAProxy's option http-no-delay, nginx's tcp_nodelay on",
    risk: "a restart of that gateway; more small packets",
    confirm: "fathom diagnose --layers object --s3-url URL; or fathom object --s3-url URL --patterns read-latency, with --option quickack=on and without",
    ..Rule::USUAL
};

/// Linux sends ten segments at once, 14 KB on Ethernet (RFC 6928): no window is what an answer of this size waits for.
const SMALL: Bytes = 8 << 10;
/// Half of what Linux delays an acknowledgement by at least.
const HELD_BACK_MS: f64 = 20.0;
/// With acknowledgements at once it takes less than half.
const CLEARLY: f64 = 0.5;

/// Reads of small objects through one gateway; of each gateway those with the fewest requests at a time.
fn suspect(case: &Case) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for entry in by_depth(case) {
        let suspect = held_back(entry).map(|(first, last)| suspected(entry, first, last));
        match suspect {
            Some(suspect) if !found.iter().any(|known| known.subject == suspect.subject) => found.push(suspect),
            _ => {}
        }
    }
    found
}

fn by_depth<'c>(case: &Case<'c>) -> Vec<&'c Entry<'c>> {
    let mut all: Vec<&Entry> = case.entries.iter().collect();
    all.sort_by_key(|entry| entry.step.workload.depth);
    all
}

/// The medians of the times to the first and to the last byte, if they are that far apart.
fn held_back(entry: &Entry) -> Option<(f64, f64)> {
    let (figure, load) = (&entry.figure, &entry.step.workload);
    let small = load.block <= SMALL && load.rate.is_none() && load.options.is_empty();
    let own = figure.layer.of_buckets() && !figure.kind.changes() && !figure.pattern.is_metadata() && small;
    if !own || entry.usable().is_none() || entry.only_target().is_none() {
        return None;
    }
    let median = |all: &[Percentile]| all.iter().find(|one| one.percent == 50.0).map(|one| one.value_ms);
    let (first, last) = (median(&figure.first_byte)?, median(&figure.percentiles)?);
    (last - first >= HELD_BACK_MS).then_some((first, last))
}

fn suspected(entry: &Entry, first: f64, last: f64) -> Suspect {
    let subject = gateway(entry);
    let ms = |value: f64| Quantity::Value { value, metric: Metric::LatencyMean };
    let says = phrase!(
        "{}: the end of each answer comes late, as if it waited until its beginning was acknowledged",
        subject.clone()
    );
    let evidence = phrase!(
        "{}: half of the objects begin to arrive within {}, and have arrived only after {}",
        entry.figure.pattern.name(),
        ms(first),
        ms(last)
    );
    Suspect::new(subject, Standing::Hint, says, evidence)
}

/// Of several hosts that load one, that one.
fn gateway(entry: &Entry) -> Subject {
    let (layer, own) = (entry.figure.layer, &entry.figure.target);
    let client = entry.only_target().and_then(|target| target.client.as_ref());
    Subject::Thing { layer, name: client.map_or(own, |client| &client.of).clone() }
}

/// The same reads from the same host, as they are and with acknowledgements at once.
fn with_and_without(suspect: &Suspect, case: &Case) -> Vec<Step> {
    let own = |entry: &&Entry| gateway(entry) == suspect.subject && held_back(entry).is_some();
    let Some(entry) = by_depth(case).into_iter().find(own) else { return Vec::new() };
    let Some(target) = entry.only_target() else { return Vec::new() };
    let usual = Step { targets: vec![target.clone()], chart: false, apart: false, ..entry.step.clone() };
    let mut at_once = usual.clone();
    at_once.workload.options = BTreeMap::from([("quickack".to_string(), "on".to_string())]);
    vec![usual, at_once]
}

fn is_faster_with_it(_: &Suspect, entries: &[&Entry]) -> TestResult {
    let [usual, at_once @ ..] = entries else { return peers::nothing() };
    let Some(found) = retested(usual, at_once) else {
        return TestResult::Open("one of the figures has no value".into());
    };
    let said = phrase!(
        "as it is {}, with acknowledgements at once {}",
        Quantity::Measured { estimate: found.own, metric: found.metric },
        Quantity::Measured { estimate: found.others, metric: found.metric }
    );
    match () {
        () if found.slower_by.low > CLEARLY => TestResult::Confirmed(said),
        () if found.slower_by.high < CLEARLY => TestResult::Refuted(said),
        () => TestResult::Open(said),
    }
}

fn cost(entries: &[&Entry]) -> Option<Cost> {
    let [usual, at_once @ ..] = entries else { return None };
    let gain = peers::gain(usual, &retested(usual, at_once)?)?;
    Some(Cost { gains: vec![gain], until: "no answer waits for an acknowledgement".into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::{Made, target};
    use crate::diagnose::testing::{suspects, text};
    use judge::assess;
    use model::{Latencies, Pattern, Place, testing};

    fn bucket() -> model::Target {
        let gateway = testing::gateway("http://g:80");
        let place = Place::Bucket { gateway, bucket: "fathom-x".into(), prefix: "fathom.x.".into() };
        target(testing::buckets(), "gateway g:80", None, place)
    }

    /// Reads of which the last byte comes after `last` ms, and the first one after `first`.
    fn reads(first: f64, last: f64) -> Made {
        let mut made = Made::cluster();
        made.measured(Pattern::ReadLatency, bucket(), last);
        for slice in &mut made.record.slices {
            for sample in &mut slice.samples {
                let mut begun = Latencies::default();
                (0..sample.ops).for_each(|_| begun.record((first * 1e6) as u64));
                sample.first_byte = Some(begun.take());
            }
        }
        made
    }

    #[test]
    fn an_answer_whose_end_comes_late_is_suspected_and_no_other() {
        let found = suspects(&RULE, &reads(2.2, 44.0).record);
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!(one.standing, Standing::Hint);
        assert!(text(&one.says).starts_with("gateway g:80: the end of each answer comes late"), "{}", text(&one.says));
        assert!(text(&one.evidence[0]).contains("have arrived only after"), "{}", text(&one.evidence[0]));
        // Slow from the first byte on; quick; and none of that known.
        assert!(suspects(&RULE, &reads(43.0, 44.0).record).is_empty());
        assert!(suspects(&RULE, &reads(1.2, 1.4).record).is_empty());
        let mut unknown = reads(2.2, 44.0);
        let slices = unknown.record.slices.iter_mut().flat_map(|slice| &mut slice.samples);
        slices.for_each(|sample| sample.first_byte = None);
        assert!(suspects(&RULE, &unknown.record).is_empty());
        // Of large objects the rest may wait for the network.
        let mut large = reads(2.2, 44.0);
        large.record.plan.steps.iter_mut().for_each(|step| step.workload.block = 4 << 20);
        assert!(suspects(&RULE, &large.record).is_empty());
    }

    #[test]
    fn it_is_tested_with_acknowledgements_at_once_and_told_by_the_result() {
        let made = reads(2.2, 44.0);
        let assessed = assess(&made.record);
        let case = Case::of(&assessed);
        let suspect = &suspects(&RULE, &made.record)[0];
        let steps = with_and_without(suspect, &case);
        assert_eq!(steps.iter().map(|step| step.workload.options.len()).collect::<Vec<_>>(), [0, 1]);
        for (at_once, wanted) in [(1.4, "confirmed"), (43.0, "refuted")] {
            let mut tested = Made::cluster();
            tested.measured(Pattern::ReadLatency, bucket(), 44.0);
            tested.measured(Pattern::ReadLatency, bucket(), at_once);
            let assessed = assess(&tested.record);
            let entries: Vec<&Entry> = assessed.entries.iter().collect();
            let told = match is_faster_with_it(suspect, &entries) {
                TestResult::Confirmed(_) => "confirmed",
                TestResult::Refuted(_) => "refuted",
                TestResult::Open(_) => "open",
            };
            assert_eq!(told, wanted);
            assert_eq!(cost(&entries).is_some_and(|cost| cost.gains[0].to.value < 2.0), at_once < 2.0);
        }
    }
}
