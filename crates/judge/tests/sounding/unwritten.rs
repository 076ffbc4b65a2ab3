//! Reads of what was never written: such a figure is labelled, and nothing is explained with it.

use crate::made::{Made, disk, osd};
use judge::{compare, without_findings};
use model::{EmptyPages, Figure, Layer, Observation, PagesRead, Pattern, Record, Report, Step, StepId};
use std::collections::BTreeMap;

fn seen(step: StepId, pass: u32, empty: u64) -> PagesRead {
    PagesRead { step, pass, targets: BTreeMap::from([(0, EmptyPages { looked_at: 1000, empty })]) }
}

fn of(report: &Report, layer: Layer) -> &Figure {
    report.figures.iter().find(|figure| figure.layer == layer).unwrap()
}

/// A disk's reads below an OSD's.
fn record(empty: &[u64]) -> Record {
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, disk(0), 0.1);
    made.measured(Pattern::ReadLatency, osd(0), 1.0);
    let step = made.record.plan.steps.iter().find(|step: &&Step| step.layer == Layer::Device).unwrap().id;
    made.record.observations =
        (1..).zip(empty).map(|(pass, empty)| Observation::PagesRead(seen(step, pass, *empty))).collect();
    made.record
}

#[test]
fn a_figure_of_reads_of_nothing_is_used_nowhere_and_says_how_many() {
    let told = without_findings(&record(&[300, 460]));
    let figure = of(&told, Layer::Device);
    assert_eq!(figure.label.name(), "unwritten");
    assert!(
        figure.label.why().unwrap().starts_with("38 % of what was read holds no data (760 of 2,000"),
        "{:?}",
        figure.label
    );
    assert!(figure.estimate.is_some(), "what was seen is shown");
    let cell = told.chart.iter().find(|cell| cell.layer == Layer::Device).unwrap();
    assert_eq!((cell.estimate, cell.label.as_str()), (None, "unwritten"));
    // What a disk explains of the latency above it, one that was not asked does not.
    let rows = |report: &Report| report.ledger.iter().filter(|row| row.layer == Layer::Device).count();
    let good = without_findings(&record(&[0, 40]));
    assert!(rows(&good) > 0);
    assert_eq!(rows(&told), 0);
    let figure = of(&good, Layer::Device);
    assert!(figure.label.name() != "unwritten");
    assert_eq!(figure.empty_pages, Some(EmptyPages { looked_at: 2000, empty: 40 }));
}

#[test]
fn nobody_looked_and_other_steps_pages_say_nothing() {
    let mut record = record(&[]);
    assert_eq!(of(&without_findings(&record), Layer::Device).empty_pages, None);
    let other = of(&without_findings(&record), Layer::Osd).step;
    record.observations = [1, 9].map(|pass| Observation::PagesRead(seen(other, pass, 1000))).to_vec();
    let report = without_findings(&record);
    assert_eq!(of(&report, Layer::Osd).empty_pages, Some(EmptyPages { looked_at: 1000, empty: 1000 }));
    assert_eq!(of(&report, Layer::Device).empty_pages, None);
}

#[test]
fn two_runs_are_not_compared_by_reads_of_nothing() {
    let (good, empty) = (record(&[0, 0]), record(&[1000, 1000]));
    let found = compare(&[good], &[empty]);
    assert!(found.differences.iter().all(|one| one.figure.layer == Layer::Osd), "{:?}", found.differences);
    assert!(found.lost[0].contains("holds no data"), "{:?}", found.lost);
}
