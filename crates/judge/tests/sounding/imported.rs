//! What another tool tells as a total has a value and no interval; repeated, it has the one by which it differs.

use crate::made::{Made, disk};
use judge::{compare, without_findings};
use model::testing;
use model::{Imported, Label, Pattern, Record, Sample, Slice, StepId};

const SECOND: u64 = 1_000_000_000;

/// A step of the disk with a slice of these operations a second for each number, each a single window of ten seconds.
fn totals(operations: &[u64]) -> Record {
    let mut made = Made::cluster();
    made.step(Pattern::ReadParallel, vec![disk(0)]);
    let slice = |(pass, ops): (u32, u64)| Slice {
        target: Some(0),
        started_seconds: 10.0 * f64::from(pass),
        ..testing::slice(
            StepId(0),
            pass,
            10 * SECOND,
            vec![Sample { span_ns: 10 * SECOND, ops: 10 * ops, bytes: 40_960 * ops, ..Sample::default() }],
        )
    };
    made.record.slices = (1..).zip(operations.iter().copied()).map(slice).collect();
    made.record.head.imported = Some(Imported { tool: "fio-3.33".into(), file: "x.json".into() });
    made.record
}

#[test]
fn one_total_has_no_interval() {
    let report = without_findings(&totals(&[5000]));
    let figure = &report.figures[0];
    let estimate = figure.estimate.unwrap();
    assert_eq!((estimate.value, estimate.low, estimate.high), (5000.0, 0.0, f64::INFINITY));
    assert!(matches!(&figure.label, Label::Imprecise(why) if why.contains("no interval")), "{:?}", figure.label);
    // The same of Fathom's own would be too little for a figure.
    let mut own = totals(&[5000]);
    own.head.imported = None;
    assert!(matches!(without_findings(&own).figures[0].label, Label::Void(_)));
}

#[test]
fn several_totals_have_the_interval_by_which_they_differ() {
    let half = |operations: &[u64]| without_findings(&totals(operations)).figures[0].estimate.unwrap().half_width();
    let (alike, apart) = (half(&[5000, 5010, 4990]), half(&[5000, 6000, 4000]));
    assert!(alike.is_finite() && alike > 50.0 && apart > 5.0 * alike, "{alike} {apart}");
    assert!(matches!(without_findings(&totals(&[5000; 6])).figures[0].label, Label::Imprecise(_)));
}

#[test]
fn what_one_side_leaves_open_is_no_difference() {
    let pairs = |change: &dyn Fn(&mut Record)| {
        let mut other = totals(&[5000]);
        change(&mut other);
        compare(&[totals(&[5000])], &[other]).differences.len()
    };
    assert_eq!(pairs(&|_| {}), 1);
    assert_eq!(pairs(&|record| record.plan.steps[0].workload.span = 0), 1);
    assert_eq!(pairs(&|record| record.plan.steps[0].workload.engine = Some("psync".into())), 1);
    assert_eq!(pairs(&|record| record.plan.steps[0].workload.span = 4096), 0);
    assert_eq!(pairs(&|record| record.plan.steps[0].workload.depth = 1), 0);
}
