//! What must hold for every series: scale, order, floor, and that an interval holds its value.

use crate::made::{Made, WINDOW, disk};
use judge::{Asked, SliceState, figure, slice_state, without_findings};
use model::testing;
use model::{Estimate, Figure, Goal, Latencies, OpClass, Pattern, Sample, Slice, Step, StepId};
use proptest::prelude::*;

fn slice(pass: u32, ops: &[u64], times: u64) -> Slice {
    let sample = |(window, ops): (usize, &u64)| {
        let mut service = Latencies::default();
        (0..ops * times).for_each(|_| service.record(100_000));
        let service = service.take();
        Sample {
            window: window as u32,
            span_ns: WINDOW,
            ops: ops * times,
            bytes: ops * times * 4096,
            service,
            ..Sample::default()
        }
    };
    Slice {
        target: Some(0),
        started_seconds: f64::from(pass),
        ..testing::slice(StepId(0), pass, WINDOW, ops.iter().enumerate().map(sample).collect())
    }
}

fn step() -> Step {
    Made::cluster().step(Pattern::ReadParallel, vec![disk(0)]).clone()
}

fn figure_of(slices: &[Slice]) -> Figure {
    figure(
        &step(),
        Some(0),
        OpClass::Read,
        &slices.iter().collect::<Vec<_>>(),
        &Asked::alone(&Goal::default()),
        slices.len() as u32,
    )
    .0
}

fn made(passes: &[Vec<u64>], times: u64) -> Vec<Slice> {
    (1..).zip(passes).map(|(pass, ops)| slice(pass, ops, times)).collect()
}

fn estimate(passes: &[Vec<u64>], times: u64) -> Estimate {
    figure_of(&made(passes, times)).estimate.unwrap()
}

fn series() -> impl Strategy<Value = Vec<Vec<u64>>> {
    prop::collection::vec(prop::collection::vec(1u64..60, 16..100), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_interval_holds_its_value_and_is_never_below_the_floor(passes in series()) {
        let estimate = estimate(&passes, 1);
        prop_assert!(estimate.low >= 0.0 && estimate.low < estimate.value && estimate.value < estimate.high);
        prop_assert!(estimate.high - estimate.value >= 0.0199 * estimate.value);
    }

    #[test]
    fn ten_times_the_operations_are_ten_times_the_figure(passes in series()) {
        let (one, ten) = (estimate(&passes, 1), estimate(&passes, 10));
        prop_assert!((ten.value / one.value - 10.0).abs() < 1e-6);
        prop_assert!((ten.high / one.high - 10.0).abs() < 1e-6);
    }

    #[test]
    fn the_order_of_slices_does_not_matter(passes in series(), turn in 0usize..5) {
        let mut slices = made(&passes, 1);
        let straight = figure_of(&slices);
        let by = turn % slices.len();
        slices.rotate_left(by);
        prop_assert_eq!(figure_of(&slices), straight);
    }

    #[test]
    fn a_void_slice_adds_nothing_to_the_value(passes in series()) {
        let mut slices = made(&passes, 1);
        let without = figure_of(&slices);
        slices.insert(0, Slice { void: Some("the host was lost".to_string()), pass: 0, ..slice(0, &[1_000; 90], 1) });
        let with = figure_of(&slices);
        prop_assert_eq!(with.estimate, without.estimate);
        prop_assert_eq!(with.operations, without.operations);
        prop_assert_eq!(with.label.name(), "unsettled");
    }

    #[test]
    fn percentiles_rise_and_lie_in_their_intervals(passes in series()) {
        let figure = figure_of(&made(&passes, 1));
        prop_assert!(figure.percentiles.windows(2).all(|pair| pair[0].value_ms <= pair[1].value_ms));
        for found in &figure.percentiles {
            prop_assert!(found.low_ms.is_none_or(|low| low <= found.value_ms));
            prop_assert!(found.high_ms.is_none_or(|high| high >= found.value_ms));
        }
    }

    #[test]
    fn a_slice_ends_within_three_times_its_length(ops in prop::collection::vec(0u64..2000, 240)) {
        let samples = slice(1, &[], 1).samples.into_iter().chain(slice(1, &ops, 0).samples);
        let samples: Vec<Sample> = samples.zip(&ops).map(|(sample, ops)| Sample { ops: *ops, ..sample }).collect();
        match slice_state(&samples, WINDOW, 8.0) {
            SliceState::More => prop_assert!(false, "still running at 24 s"),
            SliceState::Settled { warmup } => prop_assert!(warmup <= 108),
            SliceState::Unsettled { warmup } => prop_assert!(warmup <= 120),
        }
    }

    #[test]
    fn an_explanation_never_fails(passes in series(), pattern in 0usize..6, settled: bool, finished: bool) {
        let mut made_record = Made::cluster();
        let step = made_record.step(Pattern::ALL[pattern], vec![disk(0), disk(1)]).clone();
        let kind = if step.pattern.writes() { OpClass::Write } else { OpClass::Read };
        for slice in made(&passes, 1) {
            for target in [Some(0), Some(1), None] {
                made_record.record.slices.push(Slice { kind, target, settled, ..slice.clone() });
            }
        }
        made_record.record.finished = finished;
        let report = without_findings(&made_record.record);
        prop_assert_eq!(report.figures.len(), 3);
        prop_assert!(report.chart.iter().all(|cell| cell.estimate.is_none_or(|e| e.value.is_finite() && e.high.is_finite())));
    }
}
