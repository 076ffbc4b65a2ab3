//! Runs are told apart only where they differ: no alarm without a change, a change found, and the rest left alone.

use crate::made::{Made, chance, osd, pair};
use judge::{compare, measured, trends, without_findings};
use model::{Ab, Answer, Finds, Pattern, PlannedExperiment, Record};
use proptest::collection::vec;
use proptest::prelude::*;

const OSDS: u32 = 24;

fn normal(seed: &mut u64) -> f64 {
    (0..12).map(|_| chance(seed)).sum::<f64>() - 6.0
}

/// Three passes; each OSD has its own spread between passes, and the whole run one of 1 %. `slower`: of osd.0.
fn run(seed: u64, slower: f64) -> Record {
    let mut made = Made::cluster();
    let mut seed = seed * 7919 + 1;
    for id in 0..OSDS {
        let spread = [0.004, 0.01, 0.01, 0.02][id as usize % 4];
        let level = (0.01 * normal(&mut seed)).exp() * if id == 0 { slower } else { 1.0 };
        let passes: Vec<f64> = (0..3).map(|_| level * (spread * normal(&mut seed)).exp()).collect();
        made.drifting(Pattern::WriteLatency, osd(id), 2.0, &passes);
    }
    made.record.head.run = format!("run-{seed}");
    made.record
}

fn finds(before: &[Record], after: &[Record], what: Finds) -> Vec<String> {
    let found = compare(before, after);
    found.differences.iter().filter(|one| one.finds == what).map(|one| one.figure.target.clone()).collect()
}

#[test]
fn unchanged_runs_raise_no_alarm() {
    let alarms = (0..12).filter(|n| {
        let found = compare(&[run(2 * n, 1.0)], &[run(2 * n + 1, 1.0)]);
        found.differences.iter().any(|one| matches!(one.finds, Finds::Worse | Finds::Better))
    });
    assert_eq!(alarms.count(), 0);
}

/// A run on a cluster that is slower by two fifths for 12 s in every 52, as its figures see it: each slice by chance, and a third one only
/// where the first two did not agree.
fn in_bursts(seed: u64, slower: f64) -> Record {
    let mut made = Made::cluster();
    let mut seed = seed * 7919 + 5;
    for id in 0..OSDS {
        let mut slice = || {
            let hit = if chance(&mut seed) < 12.0 / 52.0 { 1.0 / 0.6 } else { 1.0 };
            hit * (0.01 * normal(&mut seed)).exp() * if id == 0 { slower } else { 1.0 }
        };
        let mut passes = vec![slice(), slice()];
        while (passes[0] / passes[1]).ln().abs() > 0.05 && passes.len() < 4 {
            passes.push(slice());
        }
        made.drifting(Pattern::WriteLatency, osd(id), 2.0, &passes);
    }
    made.record
}

/// A third of such pairs raised an alarm as long as slices that agree were taken for all that there is.
#[test]
fn unchanged_runs_raise_no_alarm_where_slow_downs_come_and_go() {
    let alarms = (0..16).filter(|n| {
        let found = compare(&[in_bursts(2 * n, 1.0)], &[in_bursts(2 * n + 1, 1.0)]);
        found.differences.iter().any(|one| matches!(one.finds, Finds::Worse | Finds::Better))
    });
    let count = alarms.count();
    assert!(count <= 1, "{count} of 16");
}

/// Runs of which each met one slow slice in five agree by chance: a third of such pairs raised an alarm as long as groups were judged
/// by what lies between their runs alone.
#[test]
fn unchanged_groups_of_runs_whose_slices_dip_raise_no_alarm() {
    let dipping = |seed: u64| {
        let mut made = Made::cluster();
        let mut seed = seed * 7919 + 9;
        for id in 0..OSDS {
            let mut slice = || {
                let hit = if chance(&mut seed) < 0.1 { 1.0 / 0.15 } else { 1.0 };
                hit * (0.01 * normal(&mut seed)).exp()
            };
            let passes: Vec<f64> = (0..5).map(|_| slice()).collect();
            made.drifting(Pattern::ReadParallel, osd(id), 100.0, &passes);
        }
        made.record.slices.iter_mut().for_each(|slice| slice.samples.truncate(20));
        made.record
    };
    let group = |from: u64| (from..from + 3).map(dipping).collect::<Vec<Record>>();
    let alarms = (0..16).filter(|n| {
        let found = compare(&group(6 * n), &group(6 * n + 3));
        found.differences.iter().any(|one| matches!(one.finds, Finds::Worse | Finds::Better))
    });
    let count = alarms.count();
    assert!(count <= 1, "{count} of 16");
}

/// Each run saw its figures for a minute, of levels that last for minutes: half of such pairs raised an alarm when runs were taken to differ
/// by 2 % however long they were.
#[test]
fn a_level_that_lasts_for_minutes_is_no_difference_of_runs_of_a_minute() {
    let run = |level: f64, apart: f64| {
        let mut made = Made::cluster();
        made.drifting(Pattern::WriteLatency, osd(0), 2.0 * level, &[1.0, 1.01, 0.99, 1.0]);
        made.record.slices.iter_mut().for_each(|slice| slice.started_seconds = f64::from(slice.pass) * apart);
        made.record
    };
    let found = |apart: f64, slower: f64| {
        let found = compare(&[run(1.0, apart)], &[run(slower, apart)]);
        (found.differences[0].finds, found.run_spread)
    };
    assert_eq!(found(15.0, 1.25), (Finds::Undecided, Some(0.18)));
    assert_eq!(found(15.0, 2.0), (Finds::Worse, Some(0.18)));
    assert_eq!(found(150.0, 1.25), (Finds::Worse, Some(0.02)));
}

/// A run of reads with many in flight, which do this often their usual rate of 900 IOPS in each slice.
fn rates(times: &[f64]) -> Record {
    let mut made = Made::cluster();
    let slower: Vec<f64> = times.iter().map(|times| 1.0 / times).collect();
    let depth = model::Workload::canonical(Pattern::ReadParallel, 1, 1).depth;
    made.drifting(Pattern::ReadParallel, osd(0), f64::from(depth) * 1000.0 / 900.0, &slower);
    made.record
}

/// The change was that of the slices' logarithms, and the values were means: 900 and 938 IOPS were told as 21 % worse.
#[test]
fn the_change_is_that_of_the_values_beside_it() {
    let usual = || rates(&[1.0; 4]);
    let dips = || rates(&[1200.0 / 900.0, 1200.0 / 900.0, 1200.0 / 900.0, 150.0 / 900.0]);
    let less = || rates(&[1050.0 / 900.0, 1050.0 / 900.0, 1050.0 / 900.0, 500.0 / 900.0]);
    let group = |of: &dyn Fn() -> Record| vec![of(), of(), of()];
    for (before, after) in [
        (vec![usual()], vec![less()]),
        (vec![usual()], vec![dips()]),
        (group(&usual), group(&dips)),
        (group(&usual), vec![dips()]),
    ] {
        let one = compare(&before, &after).differences.remove(0);
        let ratio = one.after.value / one.before.value - 1.0;
        assert!(ratio > 0.0 && (one.change.value - ratio).abs() < 1e-9, "{one:?}");
        assert!(!matches!(one.finds, Finds::Worse), "{one:?}");
        assert!(one.before.low < one.before.value && one.before.value < one.before.high, "{one:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn the_change_is_that_of_the_values_whatever_the_slices(
        before in vec(vec(0.1f64..3.0, 1..5), 1..4), after in vec(vec(0.1f64..3.0, 1..5), 1..4)
    ) {
        let side = |runs: &[Vec<f64>]| runs.iter().map(|run| rates(run)).collect::<Vec<Record>>();
        for one in compare(&side(&before), &side(&after)).differences {
            let ratio = one.after.value / one.before.value - 1.0;
            prop_assert!((one.change.value - ratio).abs() < 1e-9, "{:?}", one);
            prop_assert!(one.change.low <= ratio && ratio <= one.change.high, "{:?}", one);
        }
    }
}

/// Each was held against all of the other run: ten thousand took minutes.
#[test]
fn ten_thousand_figures_on_each_side_are_compared() {
    let one = |seed: u64| {
        let mut small = Made::cluster();
        small.measured(Pattern::WriteLatency, osd(0), 2.0 + 1e-4 * seed as f64);
        small.record.slices.iter_mut().for_each(|slice| slice.samples.truncate(20));
        let (step, slices) = (small.record.plan.steps[0].clone(), small.record.slices.clone());
        let mut made = Made::cluster();
        for id in 0..200u32 {
            let targets = (0..50).map(|number| osd(id * 50 + number)).collect();
            let step = model::Step { id: model::StepId(id), targets, apart: true, ..step.clone() };
            for slice in &slices {
                let of = |target| model::Slice { target: Some(target), step: step.id, ..slice.clone() };
                made.record.slices.extend((0..50).map(of));
            }
            made.record.plan.steps.push(step);
        }
        made.record
    };
    let (before, after) = (one(1), one(2));
    let found = compare(std::slice::from_ref(&before), std::slice::from_ref(&after));
    assert_eq!((found.differences.len(), found.only_before.len()), (10_000, 0));
}

#[test]
fn what_became_a_fifth_slower_is_found_and_nothing_else() {
    for n in 0..6 {
        let (before, after) = ([run(100 + 2 * n, 1.0)], [run(101 + 2 * n, 1.25)]);
        assert_eq!(finds(&before, &after, Finds::Worse), ["osd.0"]);
        assert_eq!(finds(&after, &before, Finds::Better), ["osd.0"]);
    }
}

#[test]
fn groups_of_runs_find_a_tenth() {
    let group = |from: u64, slower| (from..from + 4).map(|n| run(n, slower)).collect::<Vec<Record>>();
    let found = compare(&group(300, 1.0), &group(310, 1.1));
    assert_eq!(found.run_spread, None);
    let worse: Vec<&str> = found
        .differences
        .iter()
        .filter(|one| one.finds == Finds::Worse)
        .map(|one| one.figure.target.as_str())
        .collect();
    assert_eq!(worse, ["osd.0"]);
    let change = found.differences[0].change;
    assert!(change.low < 0.1 && 0.1 < change.high, "{change:?}");
    assert!(finds(&group(300, 1.0), &group(320, 1.0), Finds::Worse).is_empty());
}

/// What one run alone has takes nothing from what groups of runs know of the others.
#[test]
fn one_figure_that_a_single_run_has_leaves_the_others_to_their_groups() {
    let group = |from: u64| (from..from + 3).map(|n| run(n, 1.0)).collect::<Vec<Record>>();
    let (before, mut after) = (group(340), group(350));
    let whole = compare(&before, &after);
    for record in &mut after[1..] {
        record.slices.retain(|slice| slice.step != model::StepId(3));
    }
    let part = compare(&before, &after);
    assert_eq!((whole.run_spread, part.run_spread), (None, Some(0.02)));
    let width =
        |found: &model::Comparison, n: usize| found.differences[n].change.high - found.differences[n].change.low;
    assert_eq!(part.differences.len(), OSDS as usize);
    for n in (0..OSDS as usize).filter(|n| *n != 3) {
        // The spread that all figures lend each other is learnt of one figure less.
        let (one, two) = (width(&whole, n), width(&part, n));
        assert!((one / two - 1.0).abs() < 0.05, "figure {n}: {one} and {two}");
    }
}

#[test]
fn what_only_one_side_has_is_named_and_other_workloads_are_not_compared() {
    let (before, mut after) = (run(400, 1.0), run(401, 1.0));
    after.plan.steps[3].workload.block = 8192;
    after.plan.steps[4].workload.seed = 99;
    let found = compare(&[before], &[after]);
    assert_eq!(found.differences.len(), OSDS as usize - 1);
    assert_eq!(
        (found.only_before, found.only_after),
        (vec!["osd osd.3 write-latency".into()], vec!["osd osd.3 write-latency".into()])
    );
}

#[test]
fn what_came_to_nothing_after_is_named_with_its_reason() {
    let (before, mut after) = (run(400, 1.0), run(401, 1.0));
    let gone = |slice: &&mut model::Slice| slice.step == model::StepId(3);
    after.slices.iter_mut().filter(gone).for_each(|slice| slice.void = Some("OSD 3 went down".into()));
    let found = compare(std::slice::from_ref(&before), std::slice::from_ref(&after));
    assert_eq!(found.differences.len(), OSDS as usize - 1);
    assert_eq!(found.lost, ["osd osd.3 write-latency (OSD 3 went down)"]);
    assert!(found.only_before.is_empty() && found.only_after.is_empty());
    // What another run after could measure is not lost; nor is what only the run before could not.
    assert!(compare(std::slice::from_ref(&before), &[after.clone(), run(402, 1.0)]).lost.is_empty());
    assert!(compare(&[after], &[before]).lost.is_empty());
}

/// Its one slice says nothing of how slices differ: the comparison is not surer than the figure.
#[test]
fn a_single_slice_that_was_not_level_is_compared_with_its_own_interval() {
    let one = |seed, settled| {
        let mut record = run(seed, 1.0);
        record.slices.retain(|slice| slice.pass == 1);
        record.slices.iter_mut().for_each(|slice| slice.settled = settled);
        record
    };
    let width = |settled| {
        let found = compare(&[one(600, true)], &[one(601, settled)]);
        let change = found.differences[0].change;
        change.high - change.low
    };
    let own = measured(&one(601, false))[0].estimate;
    let own = (own.high - own.low) / own.value;
    assert!(width(false) > 0.9 * own && width(false) >= width(true), "{} {} {own}", width(false), width(true));
}

#[test]
fn a_series_of_runs_shows_where_it_changed() {
    let runs: Vec<_> =
        (0..12u64).map(|n| (format!("run-{n}"), measured(&run(500 + n, if n < 8 { 1.0 } else { 1.2 })))).collect();
    let trends = trends(&runs);
    assert_eq!(trends.len(), OSDS as usize);
    let first = &trends[0];
    assert_eq!((first.finds, first.levels.len(), first.levels[1].begins), (Finds::Worse, 2, 8), "{:?}", first.levels);
    let others: Vec<Finds> = trends[1..].iter().map(|trend| trend.finds).collect();
    assert!(others.iter().all(|finds| *finds == Finds::Same), "{others:?}");
}

/// After a rise that is long past, a newest run that fell is worse, not better.
#[test]
fn the_newest_run_is_held_against_its_level_although_there_were_others_before() {
    let finds = |newest: f64| {
        let factor = |n: u64| if n < 10 { 1.2 } else { 1.0 };
        let mut runs: Vec<_> = (0..20u64).map(|n| (format!("run-{n}"), measured(&run(800 + n, factor(n))))).collect();
        runs.push(("newest".into(), measured(&run(830, newest))));
        let first = &trends(&runs)[0];
        (first.finds, first.change)
    };
    // `slower` of 1.2 for ten runs, then ten without: a rate that rose by a fifth.
    assert!(matches!(finds(1.0).0, Finds::Same | Finds::Better));
    let (fell, change) = finds(1.12);
    assert_eq!(fell, Finds::Worse, "by {change}");
}

#[test]
fn figures_under_other_options_or_by_more_clients_are_others() {
    let with = |change: fn(&mut model::Workload)| {
        let mut record = run(700, 1.0);
        record.plan.steps.iter_mut().take(1).for_each(|step| change(&mut step.workload));
        record
    };
    let compared = |a, b| compare(&[a], &[b]).differences.len() as u32;
    let set = |value: &str, of: &mut model::Workload| of.settings.insert("osd/x".into(), value.into());
    let (one, two) = (with(|of| drop(of.settings.insert("osd/x".into(), "1".into()))), with(|_| ()));
    assert_eq!(compared(one.clone(), one.clone()), OSDS);
    assert_eq!(compared(one.clone(), two.clone()), OSDS - 1);
    let mut three = one.clone();
    set("2", &mut three.plan.steps[0].workload);
    assert_eq!(compared(one, three), OSDS - 1);
    assert_eq!(compared(with(|of| of.clients = 2), two), OSDS - 1);
}

/// Earlier releases sent the block both ways: that takes longer, and the network is the same.
#[test]
fn round_trips_of_two_definitions_are_not_compared_and_the_reason_is_told() {
    let run = |short_answers, ms| {
        let mut made = Made::cluster();
        made.drifting(Pattern::WriteLatency, pair(0), ms, &[1.0; 3]).measured(Pattern::WriteLatency, osd(0), 2.0);
        made.record.head.short_answers = short_answers;
        made.record
    };
    let network = |found: &model::Comparison| {
        let own = found.differences.iter().filter(|one| one.figure.layer == model::Layer::Network);
        own.map(|one| one.finds).collect::<Vec<_>>()
    };
    let found = compare(&[run(false, 0.30)], &[run(true, 0.20)]);
    assert_eq!((network(&found).len(), found.differences.len()), (0, 1), "{found:?}");
    assert!(
        found.only_before[0].contains("host-0 write-latency (its round trip carries the block both ways"),
        "{found:?}"
    );
    assert_eq!(found.only_after, ["network here→host-0 write-latency"]);
    for both in [false, true] {
        assert_eq!(network(&compare(&[run(both, 0.30)], &[run(both, 0.20)])), [Finds::Better]);
    }
}

/// Of three passes the last is a block of its own, which counts as much as the two before it.
#[test]
fn the_change_of_a_setting_is_that_of_the_values_beside_it() {
    let mut made = Made::cluster();
    made.drifting(Pattern::WriteLatency, osd(0), 2.0, &[1.0, 1.5, 0.4]);
    made.drifting(Pattern::WriteLatency, osd(0), 2.2, &[0.3, 1.2, 1.0]);
    let (a, b) = (made.record.plan.steps[0].id, made.record.plan.steps[1].id);
    let plan = Ab { what: "depth".to_string(), pairs: vec![(a, b)], ..Ab::default() };
    made.record.plan.experiment = PlannedExperiment::PairedComparison(plan);
    let report = without_findings(&made.record);
    let Answer::PairedComparison(found) = &report.answer else { panic!("{:?}", report.answer) };
    let one = &found.comparison.differences[0];
    let ratio = one.after.value / one.before.value - 1.0;
    assert!((one.change.value - ratio).abs() < 1e-9, "{one:?}");
    assert!(one.before.low < one.before.value && one.before.value < one.before.high, "{one:?}");
}

/// One slice of each side tells no spread between slices: the change is known no better than both of them are.
#[test]
fn one_pair_tells_no_more_than_its_two_slices() {
    let mut made = Made::cluster();
    made.drifting(Pattern::WriteLatency, osd(0), 2.0, &[1.0]).drifting(Pattern::WriteLatency, osd(0), 2.2, &[1.0]);
    let (a, b) = (made.record.plan.steps[0].id, made.record.plan.steps[1].id);
    let plan = Ab { what: "depth".to_string(), pairs: vec![(a, b)], ..Ab::default() };
    made.record.plan.experiment = PlannedExperiment::PairedComparison(plan);
    let report = without_findings(&made.record);
    let Answer::PairedComparison(found) = &report.answer else { panic!("{:?}", report.answer) };
    let [change] = &found.comparison.differences[..] else { panic!("{:?}", found.comparison) };
    for figure in &report.figures {
        let estimate = figure.estimate.unwrap();
        let (own, all) = (estimate.high / estimate.value, (1.0 + change.change.high) / (1.0 + change.change.value));
        assert!(own > 1.0 && all > own, "{own} of {estimate:?}, {all} of {:?}", change.change);
    }
}
