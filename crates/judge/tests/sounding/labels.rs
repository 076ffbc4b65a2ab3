//! Which label a figure gets, with its reason, and what the next pass is told.

use crate::made::{Made, WINDOW, chance, disk};
use judge::{Asked, Next, figure};
use model::testing;
use model::{Goal, OpClass, Pattern, Sample, Slice, Step, StepId};

fn noisy(level: f64, n: usize, seed: u64) -> Vec<f64> {
    let mut seed = seed;
    (0..n).map(|_| level * (0.95 + 0.1 * chance(&mut seed))).collect()
}

fn slice(pass: u32, kind: OpClass, ops: &[f64]) -> Slice {
    let sample = |(window, ops): (usize, &f64)| Sample {
        window: window as u32,
        span_ns: WINDOW,
        ops: ops.round() as u64,
        bytes: ops.round() as u64 * 4096,
        ..Sample::default()
    };
    Slice {
        target: Some(0),
        kind,
        started_seconds: f64::from(pass) * 60.0,
        ..testing::slice(StepId(0), pass, WINDOW, ops.iter().enumerate().map(sample).collect())
    }
}

fn step(kind: OpClass) -> Step {
    let pattern = if kind == OpClass::Write { Pattern::WriteParallel } else { Pattern::ReadParallel };
    Made::cluster().step(pattern, vec![disk(0)]).clone()
}

/// Name of the label, its reason, and what comes next after the last of these slices.
fn labelled(slices: &[Slice], goal: &Goal) -> (&'static str, String, Next) {
    let kind = slices.first().map_or(OpClass::Read, |slice| slice.kind);
    let passes = slices.last().map_or(0, |slice| slice.pass);
    let (figure, next) =
        figure(&step(kind), Some(0), kind, &slices.iter().collect::<Vec<_>>(), &Asked::alone(goal), passes);
    assert_eq!(figure.estimate.is_none(), figure.label.name() == "void");
    (figure.label.name(), figure.label.why().unwrap_or_default().to_string(), next)
}

fn passes(kind: OpClass, levels: &[f64]) -> Vec<Slice> {
    (1..).zip(levels).map(|(pass, level)| slice(pass, kind, &noisy(*level, 90, u64::from(pass)))).collect()
}

#[test]
fn two_agreeing_passes_are_precise_and_one_is_not() {
    let slices = passes(OpClass::Read, &[1000.0, 1005.0]);
    let (label, why, next) = labelled(&slices, &Goal::default());
    assert_eq!((label, next), ("brief", Next::Enough));
    assert_eq!(
        why,
        "speaks of 69.0 s; slower events that come less often than once in 6.0 s may have been missed; if they take 55 % of it while they last, they could take up to 22 % of the whole"
    );
    let (label, why, next) = labelled(&slices[..1], &Goal::default());
    assert_eq!((label, next), ("imprecise", Next::Another));
    assert_eq!(why, "±8.8 % after 1 pass (9.0 s); ±5.0 % was asked for");
}

#[test]
fn one_pass_is_enough_for_a_quick_run_and_out_of_time_for_a_narrower_goal() {
    let goal = Goal::quick(1);
    let (label, _, next) = labelled(&passes(OpClass::Read, &[1000.0]), &goal);
    assert_eq!((label, next), ("brief", Next::Enough));
    let narrow = Goal { settle: 0.05, ..goal };
    let (label, _, next) = labelled(&passes(OpClass::Read, &[1000.0]), &narrow);
    assert_eq!((label, next), ("imprecise", Next::OutOfTime));
}

/// A first slice and short ones of 0.9 s, `apart` seconds from one to the next.
fn spread(levels: &[f64], apart: f64) -> Vec<Slice> {
    let short = |(pass, level): (u32, &f64)| {
        let (windows, warmup) = if pass == 1 { (55, 0) } else { (9, 3) };
        let made = slice(pass, OpClass::Read, &noisy(*level, windows, u64::from(pass)));
        Slice { started_seconds: f64::from(pass) * apart, warmup, settled: true, ..made }
    };
    (1..).zip(levels).map(short).collect()
}

fn usual() -> Goal {
    Goal::usual(0.10, 60.0, 1)
}

#[test]
fn slices_at_fifteen_moments_over_five_minutes_settle() {
    let level = [1000.0; 14];
    assert_eq!(labelled(&spread(&level, 30.0), &usual()), ("settled", String::new(), Next::Enough));
    let (label, why, next) = labelled(&spread(&level, 5.0), &usual());
    assert_eq!((label, next), ("brief", Next::Enough));
    assert!(why.starts_with("speaks of 65.9 s;"), "{why}");
    let (label, why, next) = labelled(&spread(&level[..12], 30.0), &usual());
    assert_eq!((label, next), ("imprecise", Next::Another), "{why}");
}

#[test]
fn what_short_slices_met_or_may_have_missed_is_in_the_interval() {
    let seen = |levels: &[f64]| {
        let (slices, kind) = (spread(levels, 30.0), OpClass::Read);
        figure(&step(kind), Some(0), kind, &slices.iter().collect::<Vec<_>>(), &Asked::alone(&usual()), 14).0
    };
    let quiet = seen(&[1000.0; 14]);
    let unseen = quiet.unseen.unwrap();
    assert_eq!((unseen.looks, unseen.in_interval), (15, true));
    assert!((unseen.stretch_seconds - 390.9).abs() < 1e-6, "{unseen:?}");
    assert!((quiet.estimate.unwrap().relative() - 0.10).abs() < 1e-9);
    let mut levels = [1000.0; 14];
    levels[5] = 300.0;
    let met = seen(&levels);
    assert!(met.estimate.unwrap().relative() > 0.15, "{:?}", met.estimate);
    assert_ne!(met.label.name(), "settled");
}

#[test]
fn two_levels_of_short_slices_and_one_that_moves_never_settle() {
    let levels: Vec<f64> = (0..60).map(|n| if n % 3 == 0 { 900.0 } else { 1050.0 }).collect();
    let (label, why, next) = labelled(&spread(&levels, 10.0), &usual());
    assert_eq!((label, next), ("two levels", Next::Another), "{why}");
    let falls: Vec<f64> = (0..30).map(|n| 1000.0 - 4.0 * f64::from(n)).collect();
    let (label, why, next) = labelled(&spread(&falls, 20.0), &usual());
    assert_eq!((label, next), ("wandering", Next::Another));
    assert!(why.starts_with("fell by 1"), "{why}");
}

#[test]
fn seconds_and_passes_end_what_does_not_settle() {
    let slices = passes(OpClass::Read, &[1000.0, 1150.0, 900.0, 1100.0, 1000.0, 1080.0]);
    let next = |n: usize, goal: &Goal| labelled(&slices[..n], goal).2;
    assert_eq!(next(4, &Goal::default()), Next::Another);
    assert_eq!(next(6, &Goal::default()), Next::OutOfTime);
    assert_eq!(next(4, &Goal { seconds_max: 43.0, ..Goal::default() }), Next::OutOfTime);
    assert_eq!(next(3, &Goal { passes_max: 3, ..Goal::default() }), Next::OutOfTime);
}

#[test]
fn a_level_that_differs_from_pass_to_pass_wanders() {
    let (label, why, _) = labelled(&passes(OpClass::Read, &[1000.0, 1100.0, 900.0]), &Goal::default());
    assert_eq!(label, "wandering");
    assert!(why.contains("10 %") && why.contains("IOPS"), "{why}");
}

#[test]
fn a_write_that_falls_and_stays_down_is_a_burst() {
    let (label, why, _) = labelled(&passes(OpClass::Write, &[1000.0, 990.0, 600.0]), &Goal::default());
    assert_eq!(label, "burst");
    assert!(why.contains("39 % from pass 2 to pass 3") && why.contains("MiB"), "{why}");
    assert_eq!(labelled(&passes(OpClass::Write, &[1000.0, 600.0, 990.0]), &Goal::default()).0, "two levels");
    assert_eq!(labelled(&passes(OpClass::Read, &[1000.0, 990.0, 600.0]), &Goal::default()).0, "wandering");
}

#[test]
fn a_write_that_falls_within_a_slice_is_a_burst() {
    let mut slices = passes(OpClass::Write, &[1000.0, 1000.0]);
    let cliff = [noisy(1000.0, 100, 5), noisy(400.0, 140, 6)].concat();
    slices[1] = slice(2, OpClass::Write, &cliff);
    slices[1].settled = false;
    let (label, why, next) = labelled(&slices, &Goal::default());
    assert_eq!((label, next), ("burst", Next::Another));
    assert!(why.contains("within pass 2"), "{why}");
}

#[test]
fn a_write_of_which_nothing_ends_any_more_stood_still() {
    let mut slices = passes(OpClass::Write, &[1000.0, 1000.0]);
    slices[1] = slice(2, OpClass::Write, &[noisy(1000.0, 50, 5), vec![0.0; 80]].concat());
    slices[1].settled = false;
    let (label, why, _) = labelled(&slices, &Goal::default());
    assert_eq!(label, "unsettled");
    assert!(why.starts_with("nothing ended in the last 8.0 s of pass 2"), "{why}");
    // Half a second may be chance.
    slices[1] = slice(2, OpClass::Write, &[noisy(1000.0, 50, 5), noisy(400.0, 75, 6), vec![0.0; 5]].concat());
    slices[1].settled = false;
    assert_eq!(labelled(&slices, &Goal::default()).0, "burst");
}

#[test]
fn a_slice_that_never_settled_makes_the_figure_unsettled() {
    let mut slices = passes(OpClass::Read, &[1000.0, 1000.0]);
    let rising: Vec<f64> = (0..240).map(|i| 800.0 + 2.0 * f64::from(i)).collect();
    slices[0] = slice(1, OpClass::Read, &rising);
    slices[0].settled = false;
    let (label, why, next) = labelled(&slices, &Goal::default());
    assert_eq!((label, next), ("unsettled", Next::Another));
    assert!(why.contains("24.0 s of pass 1") && why.contains(" to "), "{why}");
}

#[test]
fn rare_dips_that_matter_are_few_events() {
    let mut ops = noisy(1000.0, 90, 1);
    ops[40..52].iter_mut().for_each(|ops| *ops = 300.0);
    let slices = vec![slice(1, OpClass::Write, &ops), slice(2, OpClass::Write, &noisy(1000.0, 90, 2))];
    let (label, why, _) = labelled(&slices, &Goal::default());
    assert_eq!(label, "few events");
    assert!(why.starts_with("1 dip took"), "{why}");
}

#[test]
fn long_dwells_at_two_levels_are_two_levels() {
    let level = |i: usize| if (i / 25).is_multiple_of(2) { 1000.0 } else { 500.0 };
    let ops = |shift: usize| (0..120).map(|i| level(i + shift)).collect::<Vec<_>>();
    let slices = vec![slice(1, OpClass::Read, &ops(0)), slice(2, OpClass::Read, &ops(10))];
    let (label, why, _) = labelled(&slices, &Goal::default());
    assert_eq!(label, "two levels");
    assert!(why.contains("5,000 IOPS") && why.contains("10,000"), "{why}");
    // In the unit of the figure's cell: 4 KiB each, one in flight.
    for (pattern, low, high) in
        [(Pattern::ReadLinear, "20.5 MB/s", "41.0 MB/s"), (Pattern::ReadLatency, "0.200 ms", "0.100 ms")]
    {
        let step = Made::cluster().step(pattern, vec![disk(0)]).clone();
        let slices: Vec<&Slice> = slices.iter().collect();
        let (figure, _) = figure(&step, Some(0), OpClass::Read, &slices, &Asked::alone(&Goal::default()), 2);
        let why = figure.label.why().unwrap_or_default();
        assert!(why.contains(low) && why.contains(high), "{pattern:?}: {why}");
    }
}

#[test]
fn a_slow_target_is_told_how_long_it_takes() {
    let mut seed = 4;
    let mut ops = || (0..90).map(|_| 3.0 * f64::from(u8::from(chance(&mut seed) < 0.5))).collect::<Vec<_>>();
    let slices = vec![slice(1, OpClass::Read, &ops()), slice(2, OpClass::Read, &ops())];
    let (label, why, _) = labelled(&slices, &Goal::default());
    assert_eq!(label, "imprecise");
    assert!(why.contains("at so few operations a second it takes"), "{why}");
}

#[test]
fn nothing_measured_is_void_with_the_reason() {
    let nothing = slice(1, OpClass::Read, &[0.0; 90]);
    assert_eq!(labelled(std::slice::from_ref(&nothing), &Goal::default()).1, "no operation completed in 9.0 s");
    let mut failing = nothing.clone();
    failing.samples.iter_mut().for_each(|sample| sample.errors = 2);
    failing.error = Some("read of 4096 bytes at 0: Input/output error".to_string());
    let (label, why, next) = labelled(&[failing], &Goal::default());
    assert_eq!((label, next), ("void", Next::Another));
    assert_eq!(why, "all 180 operations failed: read of 4096 bytes at 0: Input/output error");
    assert_eq!(labelled(&[], &Goal::default()).1, "not measured");
    let few = slice(1, OpClass::Read, &[5.0; 3]);
    assert_eq!(
        labelled(&[few], &Goal::default()).1,
        "3 windows with operations, about 50.0 IOPS: too few for an interval"
    );
}

#[test]
fn a_target_that_died_makes_its_figure_void_and_one_that_came_back_unsettled() {
    let mut slices = passes(OpClass::Read, &[1000.0, 1000.0, 1000.0]);
    slices[1].void = Some("osd.2 went down".to_string());
    let (label, why, next) = labelled(&slices[..2], &Goal::default());
    assert_eq!((label, next), ("void", Next::Another));
    assert!(why.starts_with("osd.2 went down (pass 2; 1 good pass before it"), "{why}");
    let (label, why, next) = labelled(&slices, &Goal::default());
    assert_eq!((label, next), ("unsettled", Next::Another));
    assert!(why.contains("pass 2") && why.contains("osd.2 went down"), "{why}");
    slices[2].void = slices[1].void.clone();
    assert_eq!(labelled(&slices, &Goal::default()).2, Next::OutOfTime, "dead twice in a row");
}
