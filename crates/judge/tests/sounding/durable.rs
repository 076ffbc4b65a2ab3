//! Writes made durable in two ways: the worse counts, target by target, and the way of stores judges them.

use crate::made::{Made, disk, osd, target};
use judge::without_findings;
use model::{Durability, Endpoint, Figure, Layer, Pattern, Place, Replica, Report, Target};

/// A target's writes with O_DSYNC and with fdatasync.
fn both(made: &mut Made, target: Target, dsync: f64, fdatasync: f64) {
    for (way, ms) in [(Durability::Dsync, dsync), (Durability::Fdatasync, fdatasync)] {
        made.step(Pattern::WriteLatency, vec![target.clone()]).workload.durability = way;
        let step = made.record.plan.steps.last().unwrap().clone();
        for pass in 1..=2 {
            made.slice(&step, Some(0), pass, ms, 1);
        }
    }
}

fn charted<'r>(report: &'r Report, name: &str) -> &'r Figure {
    let own: Vec<&Figure> = report.figures.iter().filter(|figure| figure.chart && figure.target == name).collect();
    let [only] = own.as_slice() else { panic!("{own:?}") };
    only
}

fn near(got: f64, want: f64) {
    assert!((got / want - 1.0).abs() < 0.03, "{got} instead of {want}");
}

#[test]
fn the_worse_way_counts_for_each_target_and_tells_the_other() {
    let mut made = Made::cluster();
    both(&mut made, disk(0), 0.1, 2.0);
    both(&mut made, disk(1), 1.5, 0.5);
    let report = without_findings(&made.record);
    for (name, way, ms, other) in
        [("/dev/vd0", Durability::Fdatasync, 2.0, 0.1), ("/dev/vd1", Durability::Dsync, 1.5, 0.5)]
    {
        let figure = charted(&report, name);
        assert_eq!(figure.workload.durability, way);
        near(figure.estimate.unwrap().value, ms);
        let beside = figure.other_way.as_ref().unwrap();
        assert_ne!(beside.durability, way);
        near(beside.estimate.unwrap().value, other);
    }
    assert_eq!(report.figures.len(), 4, "both are shown");
    let cell = report.chart.iter().find(|cell| cell.layer == Layer::Device).unwrap();
    assert_eq!((cell.targets, cell.worst.as_deref()), (2, Some("/dev/vd0")));
    near(cell.estimate.unwrap().value, 1.75);
}

#[test]
fn a_drive_that_ignores_fua_judges_by_its_flush() {
    let mut made = Made::cluster();
    both(&mut made, disk(0), 0.1, 2.0);
    made.measured(Pattern::WriteLatency, osd(0), 1.0);
    let report = without_findings(&made.record);
    let osd = report.figures.iter().find(|figure| figure.layer == Layer::Osd).unwrap();
    assert!(osd.label.why().is_some_and(|why| why.contains("2.00 ms")), "{:?}", osd.label);
}

#[test]
fn an_osd_that_is_quicker_than_fua_and_not_than_a_flush_stands() {
    let mut made = Made::cluster();
    both(&mut made, disk(0), 2.0, 0.5);
    made.measured(Pattern::WriteLatency, osd(0), 1.0);
    let report = without_findings(&made.record);
    let osd = report.figures.iter().find(|figure| figure.layer == Layer::Osd).unwrap();
    assert_ne!(osd.label.name(), "implausible", "{:?}", osd.label);
    near(charted(&report, "/dev/vd0").estimate.unwrap().value, 2.0);
    // What the OSD adds cannot be less than nothing: its store flushes.
    let rows: Vec<_> = report.ledger.iter().filter(|row| row.pattern == Pattern::WriteLatency).collect();
    near(rows[0].adds.value, 0.5);
    assert!(rows[0].because.contains("by a flush"), "{}", rows[0].because);
    near(rows[1].adds.value, 0.5);
}

#[test]
fn the_ledger_takes_the_worse_way_where_the_osd_is_slower_than_both() {
    let mut made = Made::cluster();
    both(&mut made, disk(0), 0.8, 0.5);
    made.measured(Pattern::WriteLatency, osd(0), 2.0);
    let report = without_findings(&made.record);
    near(report.ledger[0].adds.value, 0.8);
    assert!(report.ledger[0].because.contains("O_DSYNC"), "{}", report.ledger[0].because);
}

#[test]
fn a_void_way_leaves_the_other() {
    let mut made = Made::cluster();
    both(&mut made, disk(0), 0.5, 2.0);
    let dead = |slice: &&mut model::Slice| slice.step.0 == 1;
    made.record.slices.iter_mut().filter(dead).for_each(|slice| slice.void = Some("EIO".into()));
    let figure = charted(&without_findings(&made.record), "/dev/vd0").clone();
    near(figure.estimate.unwrap().value, 0.5);
    let other = figure.other_way.unwrap();
    assert_eq!((other.estimate, other.label.as_str()), (None, "void"));
}

#[test]
fn what_is_asked_for_in_one_way_is_one_figure() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, disk(0), 0.5);
    let report = without_findings(&made.record);
    assert!(charted(&report, "/dev/vd0").other_way.is_none());
}

#[test]
fn the_floor_is_the_worse_way_as_well() {
    let end = |number: usize| Endpoint::new(format!("h{number}"), "10.0.0.1");
    let replica = |number| Replica { end: end(number), among: None, path: "/x".into(), listener: None };
    let place = Place::Replicas { from: end(9), replicas: (0..3).map(replica).collect() };
    let mut made = Made::cluster();
    both(&mut made, target(Layer::Floor, "3 replicas", None, place), 0.3, 0.6);
    made.measured(Pattern::WriteLatency, crate::made::pool(), 2.4);
    let report = without_findings(&made.record);
    near(charted(&report, "3 replicas").estimate.unwrap().value, 0.6);
    near(report.distances[0].times.value, 4.0);
}

#[test]
fn an_earlier_run_is_held_against_the_way_that_it_had_and_a_bare_threshold_against_the_worse() {
    let mut made = Made::cluster();
    both(&mut made, disk(0), 0.5, 2.0);
    let judged = |workload: Option<model::Workload>| {
        let mut record = made.record.clone();
        let threshold = model::Threshold {
            layer: Layer::Device,
            pattern: Pattern::WriteLatency,
            target: None,
            value: 1.0,
            kind: None,
            workload,
            beside: false,
        };
        record.plan.experiment = model::PlannedExperiment::Verdict(vec![threshold]);
        without_findings(&record).answer.verdicts().iter().map(|verdict| verdict.outcome).collect::<Vec<_>>()
    };
    assert_eq!(judged(None), [model::Outcome::Fail]);
    assert_eq!(judged(Some(made.record.plan.steps[0].workload.clone())), [model::Outcome::Pass]);
    assert_eq!(judged(Some(made.record.plan.steps[1].workload.clone())), [model::Outcome::Fail]);
}
