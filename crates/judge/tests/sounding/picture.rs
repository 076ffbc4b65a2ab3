//! The report as a whole: nothing measured yet, the middle of a run, its end; and the depth chart.

use crate::made::{Made, disk, osd, store};
use judge::without_findings;
use model::{Layer, OsdScope, Pattern, Record};

#[test]
fn nothing_measured_is_an_empty_report() {
    let report = without_findings(&Record::default());
    assert!(report.figures.is_empty() && report.chart.is_empty() && report.ledger.is_empty());
    assert_eq!((report.passes, report.finished()), (0, false));
}

#[test]
fn a_step_without_its_turn_is_missing_while_the_run_goes_on_and_void_once_it_is_over() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, osd(0), 1.0);
    made.step(Pattern::ReadLatency, vec![osd(0), osd(1)]);
    assert_eq!(without_findings(&made.record).figures.len(), 1);
    made.record.finished = true;
    let report = without_findings(&made.record);
    let missing: Vec<&str> = report.figures[1..].iter().filter_map(|figure| figure.label.why()).collect();
    assert_eq!(missing, ["not measured: the run ended before its turn"; 2]);
    let cell = report.chart.iter().find(|cell| cell.pattern == Pattern::ReadLatency).unwrap();
    assert_eq!((cell.estimate, cell.label.as_str(), cell.targets), (None, "void", 0));
}

#[test]
fn a_cell_is_the_mean_of_its_targets_with_the_worst_one_named() {
    let mut made = Made::cluster();
    for (id, ms) in [(0, 1.0), (1, 2.0), (2, 3.0)] {
        made.measured(Pattern::WriteLatency, osd(id), ms);
    }
    let report = without_findings(&made.record);
    let cell = &report.chart[0];
    let estimate = cell.estimate.unwrap();
    assert!((estimate.value - 2.0).abs() < 0.01 && cell.targets == 3);
    assert_eq!((cell.layer, cell.worst.as_deref(), cell.label.as_str()), (Layer::Osd, Some("osd.2"), "brief"));
    let widest = report.figures.iter().map(|figure| figure.estimate.unwrap().half_width()).fold(0.0, f64::max);
    assert!(estimate.half_width() < widest && estimate.relative() >= 0.0199);
}

#[test]
fn of_a_throughput_the_smallest_is_the_worst() {
    let mut made = Made::cluster();
    made.delivers(Pattern::ReadParallel, disk(0), 9000.0).delivers(Pattern::ReadParallel, disk(1), 7000.0);
    assert_eq!(without_findings(&made.record).chart[0].worst.as_deref(), Some("/dev/vd1"));
}

#[test]
fn targets_measured_at_once_count_each_and_the_sum_stands_beside() {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteParallel, (0..3).map(osd).collect(), &[900.0, 1000.0, 1100.0]);
    let report = without_findings(&made.record);
    let names: Vec<(&str, bool)> = report.figures.iter().map(|figure| (figure.target.as_str(), figure.chart)).collect();
    assert_eq!(names, [("osd.0", true), ("osd.1", true), ("osd.2", true), ("osd.*", false)]);
    assert!((report.figures[3].estimate.unwrap().value / 3000.0 - 1.0).abs() < 0.02);
    assert!((report.chart[0].estimate.unwrap().value / 1000.0 - 1.0).abs() < 0.02);
    assert!(report.figures.iter().all(|figure| figure.at_once == 3));
}

#[test]
fn a_figure_alone_is_preferred_to_the_same_beside_others() {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteParallel, (0..2).map(osd).collect(), &[500.0, 500.0]);
    for id in 0..2 {
        made.delivers(Pattern::WriteParallel, osd(id), 900.0);
    }
    let report = without_findings(&made.record);
    assert!((report.chart[0].estimate.unwrap().value / 900.0 - 1.0).abs() < 0.02);
    assert_eq!(report.chart[0].targets, 2);
}

#[test]
fn a_dead_target_is_left_out_of_the_mean_and_told() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, osd(0), 1.0).measured(Pattern::WriteLatency, osd(1), 1.0);
    for slice in made.record.slices.iter_mut().filter(|slice| slice.step.0 == 1) {
        slice.void = Some("osd.1 went down".to_string());
    }
    let cell = without_findings(&made.record).chart[0].clone();
    assert_eq!((cell.targets, cell.label.as_str(), cell.worst), (1, "void", None));
    assert_eq!(cell.why.as_deref(), Some("osd.1: osd.1 went down"));
}

/// An OSD's bench ends now here, now there: in no window do all of them speak, and still the sum is theirs.
#[test]
fn told_figures_add_up_where_their_windows_do_not() {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteParallel, (0..3).map(store).collect(), &[1000.0, 1000.0, 1000.0]);
    for slice in &mut made.record.slices {
        let turn = slice.target.unwrap_or(0);
        for sample in slice.samples.iter_mut().filter(|sample| sample.window % 3 != turn) {
            *sample = model::Sample { window: sample.window, ..model::Sample::default() };
        }
        if slice.target.is_none() {
            slice.samples.iter_mut().for_each(|sample| sample.ops /= 3);
        }
    }
    let report = without_findings(&made.record);
    let all = report.figures.iter().find(|figure| figure.target == "store.*").unwrap();
    let estimate = all.estimate.unwrap();
    assert!((estimate.value / 3000.0 - 1.0).abs() < 0.03, "{estimate:?}");
    // Each wrote in a third of the time: on one disk all three might together do no more than one.
    assert!((all.overlap.unwrap() - 1.0 / 3.0).abs() < 0.02, "{:?}", all.overlap);
    assert!((800.0..=1000.0).contains(&estimate.low) && estimate.high > 3000.0, "{estimate:?}");
    let alone = report.figures.iter().find(|figure| figure.target == "osd.0").unwrap();
    assert!(alone.overlap.is_none() && alone.estimate.unwrap().low > 800.0);
    assert!(all.percentiles.is_empty());
}

#[test]
fn what_went_wrong_and_what_was_changed_is_passed_on() {
    let mut made = Made::cluster();
    made.record.errors.push("osd.1 went down".to_string());
    made.record.seconds = 12.5;
    made.measured(Pattern::WriteLatency, osd(0), 1.0);
    let report = without_findings(&made.record);
    assert_eq!((report.errors.len(), report.seconds, report.passes), (1, 12.5, 2));
    assert_eq!(report.figures[0].label.name(), "brief");
}

/// Ten OSDs, each measured alone in three passes, of which one found the whole cluster a fifth slower: for ten it is no better known how
/// fast the cluster is than for one, and what they supply is not either.
#[test]
fn what_a_pass_does_to_all_targets_does_not_shrink_with_their_number() {
    let wide = |count: u32, by: &[f64]| {
        let mut made = Made::cluster();
        made.record.scope.osds =
            (0..count).map(|id| OsdScope { id, up: true, inside: true, ..OsdScope::default() }).collect();
        for id in 0..count {
            made.drifting(Pattern::WriteLatency, osd(id), 2.0, by);
        }
        let report = judge::without_findings(&made.record);
        let cell = report.chart.iter().find(|cell| cell.layer == Layer::Osd).unwrap().estimate.unwrap();
        let row = report.ledger.iter().find(|row| row.layer == Layer::Osd);
        (cell.relative(), row.map(|row| row.adds.relative()))
    };
    let passes = [1.0, 1.2, 0.98];
    let (one, ten) = (wide(1, &passes), wide(10, &passes));
    assert!(one.0 > 0.10 && ten.0 > 0.9 * one.0, "{one:?} {ten:?}");
    assert!(ten.1.is_some_and(|row| row > 0.9 * one.0), "{ten:?}");
    // Where passes agree, the insides of ten say more than that of one.
    let level = wide(10, &[1.0, 1.0, 1.0]);
    assert!(level.0 < wide(1, &[1.0, 1.0, 1.0]).0 + 1e-9, "{level:?}");
}

/// Else a cell with ±4 % would carry the mark of the one target with ±13 %.
#[test]
fn a_mean_is_imprecise_by_its_own_interval_and_not_by_that_of_one_of_its_targets() {
    let mut made = Made::cluster();
    for id in 0..9 {
        made.measured(Pattern::WriteLatency, osd(id), 2.0);
    }
    // Of one hardly anything is known.
    for slice in made.record.slices.iter_mut().filter(|slice| slice.step.0 == 0) {
        slice.samples.truncate(3);
    }
    let mut labels = |settle: f64| {
        made.record.plan.goal.settle = settle;
        let report = without_findings(&made.record);
        let one = report.figures.iter().find(|figure| figure.target == "osd.0").unwrap();
        (one.label.name(), report.chart[0].label.clone())
    };
    assert_eq!(labels(0.5), ("imprecise", "settled".to_string()));
    assert_eq!(labels(0.001), ("imprecise", "imprecise".to_string()));
}
