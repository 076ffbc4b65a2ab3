//! Recorded series through the whole procedure: slices, passes, stopping rule, label.

use judge::{Asked, Next, SliceState, figure, slice_state};
use model::testing;
use model::{Figure, Goal, Layer, Metric, OpClass, Pattern, Sample, Slice, Step};

use crate::made::{Made, WINDOW, disk};

fn series(name: &str) -> Vec<Sample> {
    let path = format!("{}/../../fixtures/series/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let field = |line: &str, at: usize| line.split(',').nth(at).unwrap().parse::<u64>().unwrap();
    let sample = |line: &str| Sample {
        span_ns: field(line, 1) * 1_000_000,
        ops: field(line, 2),
        bytes: field(line, 2) * 4096,
        ..Sample::default()
    };
    text.lines().skip(1).map(sample).collect()
}

/// One slice from window `start` on, as long as it takes.
fn slice(series: &[Sample], start: usize, pass: u32, kind: OpClass, seconds: f64) -> Slice {
    let mut samples = Vec::new();
    let (mut warmup, mut settled) = (0, false);
    for sample in &series[start..] {
        samples.push(sample.clone());
        match slice_state(&samples, WINDOW, seconds) {
            SliceState::More => {}
            SliceState::Settled { warmup: front } => {
                (warmup, settled) = (front, true);
                break;
            }
            SliceState::Unsettled { warmup: front } => {
                warmup = front;
                break;
            }
        }
    }
    let started_seconds = f64::from(pass) * 100.0;
    let (step, target) = (model::StepId(0), Some(0));
    Slice { target, kind, started_seconds, warmup, settled, ..testing::slice(step, pass, WINDOW, samples) }
}

fn step_for(kind: OpClass) -> Step {
    let pattern = if kind == OpClass::Write { Pattern::WriteParallel } else { Pattern::ReadParallel };
    let step = Made::cluster().step(pattern, vec![disk(0)]).clone();
    assert_eq!((step.layer, step.metric), (Layer::Device, Metric::Iops));
    step
}

/// Passes twenty seconds apart from `start` on, with wrap-around, until the judge has enough.
fn sounded(name: &str, kind: OpClass, start: usize, goal: &Goal) -> (Figure, Next, u32) {
    let (series, step) = (series(name), step_for(kind));
    let mut slices: Vec<Slice> = Vec::new();
    for pass in 1.. {
        let at = (start + 200 * (pass as usize - 1)) % (series.len() - 130);
        slices.push(slice(&series, at, pass, kind, goal.slice_seconds(&step)));
        let seen: Vec<&Slice> = slices.iter().collect();
        let (figure, next) = figure(&step, Some(0), kind, &seen, &Asked::alone(goal), pass);
        if next != Next::Another {
            return (figure, next, pass);
        }
    }
    unreachable!("passes are limited")
}

fn eight_seconds() -> Goal {
    Goal { write_slice_seconds: 8.0, ..Goal::default() }
}

#[test]
fn a_steady_disk_settles_in_two_passes() {
    for (name, kind) in [("sr1m_q4", OpClass::Read), ("rr4k_poisson10k", OpClass::Read)] {
        for start in [0, 100, 250] {
            let (figure, next, passes) = sounded(name, kind, start, &eight_seconds());
            assert_eq!((next, passes, figure.label.name()), (Next::Enough, 2, "brief"), "{name} from {start}");
            assert!(figure.estimate.unwrap().relative() <= 0.05);
        }
    }
}

#[test]
fn a_restless_disk_is_never_called_settled() {
    for name in ["rw4k_q1", "rw4k_q1_fs"] {
        for start in [0, 100, 250] {
            let (figure, next, _) = sounded(name, OpClass::Write, start, &eight_seconds());
            assert_eq!(next, Next::OutOfTime, "{name} from {start}");
            assert_ne!(figure.label.name(), "settled");
            assert!(figure.estimate.unwrap().relative() > 0.2);
            assert!(figure.label.why().unwrap().len() > 20);
            assert!(figure.seconds <= Goal::default().seconds_max + 24.0);
        }
    }
}

#[test]
fn a_disk_with_two_levels_or_stalls_is_not_settled() {
    let labels = |name| [0, 100, 250].map(|start| sounded(name, OpClass::Write, start, &eight_seconds()).0.label);
    for label in labels("sw1m_q4").iter().chain(&labels("buf_sw1m")) {
        assert_ne!(label.name(), "settled", "{label:?}");
    }
}

/// What a stated interval promises: the mean of ten minutes lies in it, wherever the passes began.
#[test]
fn intervals_hold_the_truth_of_ten_minutes() {
    for (name, kind) in [("sw1m_q4_600", OpClass::Write), ("rr4k_q1_600", OpClass::Read)] {
        let all = series(name);
        let ops: u64 = all.iter().map(|sample| sample.ops).sum();
        let truth = ops as f64 * 1e9 / all.iter().map(|sample| sample.span_ns).sum::<u64>() as f64;
        let step = step_for(kind);
        let held = (0..40).filter(|turn| {
            let at = |pass: usize| (turn * 140 + pass * 1700) % (all.len() - 400);
            let slices: Vec<Slice> = (0..3).map(|pass| slice(&all, at(pass), pass as u32 + 1, kind, 8.0)).collect();
            let seen: Vec<&Slice> = slices.iter().collect();
            let (figure, _) = figure(&step, Some(0), kind, &seen, &Asked::alone(&Goal::default()), 3);
            let estimate = figure.estimate.unwrap();
            (estimate.low..=estimate.high).contains(&truth)
        });
        let held = held.count();
        assert!(held >= 36, "{name}: {held} of 40");
    }
}

#[test]
fn quiet_series_are_as_precise_as_they_are() {
    for (name, kind) in
        [("quiet_rr4k_q32", OpClass::Read), ("rr64k_q8", OpClass::Read), ("quiet_rw4k_q32", OpClass::Write)]
    {
        let (figure, next, passes) = sounded(name, kind, 0, &eight_seconds());
        let all = series(name);
        let truth =
            all.iter().map(|s| s.ops).sum::<u64>() as f64 * 1e9 / all.iter().map(|s| s.span_ns).sum::<u64>() as f64;
        let estimate = figure.estimate.unwrap();
        assert!((estimate.low..=estimate.high).contains(&truth), "{name}: {truth} is not in {estimate:?}");
        assert!(next == Next::Enough && passes <= 6, "{name}: {next:?} after {passes}");
    }
}
