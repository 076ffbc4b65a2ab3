//! Several gateways: what is told of them is no more than is known.

use crate::sample::{SampleRun, run};
use model::testing::buckets;
use model::{ChartCell, Estimate, GatewayPair, Multiple, OpClass, Pattern, Report};
use report::markdown;

/// Reads and writes in one load, by two gateways of which the second is slower.
fn with_pairs(label: &str, apart: bool) -> String {
    let SampleRun { mut report, record } = run();
    let pattern = Pattern::WriteLatency;
    let metric = pattern.metric(buckets());
    let pair = |kind: OpClass, quick: f64, slow: f64| GatewayPair {
        pattern,
        kind,
        metric,
        slow: "gateway b:80".into(),
        quick: "gateway a:80".into(),
        of_slow: Estimate::new(slow, slow / 20.0),
        of_quick: Estimate::new(quick, quick / 20.0),
        times: Multiple { value: slow / quick, low: 0.9 * slow / quick, high: Some(1.1 * slow / quick) },
        apart,
    };
    report.gateways = vec![pair(OpClass::Read, 1.0, 9.0), pair(OpClass::Write, 2.0, 64.0)];
    let estimate = Some(Estimate::new(33.0, 3.0));
    let cell = ChartCell {
        layer: buckets(),
        door: None,
        only: Vec::new(),
        pattern,
        estimate,
        targets: 2,
        worst: None,
        label: label.into(),
        why: None,
    };
    report.chart = vec![cell];
    report.ledger.clear();
    markdown::page(&Report { figures: Vec::new(), ..report }, &record)
}

#[test]
fn the_first_lines_have_both_ends_of_what_the_pattern_is_about_and_their_label() {
    let text = with_pairs("settled", true);
    let ends = "one at a time: 2.00 ms ±0.10 (gateway a:80) to 64.0 ms ±3.2 (gateway b:80).";
    assert!(text.contains(ends), "{text}");
    assert!(text.contains("gateway b:80 is ×32.0 (28.8–35.2) slower than gateway a:80"), "{text}");
    assert!(with_pairs("unsettled", true).contains("(gateway b:80) (unsettled)."), "{text}");
}

#[test]
fn where_none_is_known_to_be_slower_they_are_not_said_to_be_alike() {
    let text = with_pairs("generator-limited", false);
    assert!(text.contains("None is known to be slower") && !text.contains("slower than gateway"), "{text}");
}
