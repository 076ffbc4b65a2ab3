//! What a figure's slices looked like over time, as plain arrays: operations and mean latency per window.

use model::{Sample, Slice};
use schemars::JsonSchema;
use serde::Serialize;

/// One slice. All arrays have one entry per point; a point is `join` windows.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SliceSeries {
    pub pass: u32,
    pub started_seconds: f64,
    pub window_ms: f64,
    /// Windows pooled into one point: left out where each is a point, unless the run is so large that the page would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub join: Option<u32>,
    /// Points at the front that are warm-up; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup: Option<u32>,
    /// It did not settle; left out where it did.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub moving: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub ops: Vec<u64>,
    /// Mean service time, four significant digits; null where no operation ended.
    pub mean_ns: Vec<Option<u64>>,
    /// Left out where every operation moved exactly one block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Vec<u64>>,
    /// Over which time a point's operations count; left out where it is the length of its windows, and they are as many for each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_ms: Option<Vec<f64>>,
    /// Left out where there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<u64>>,
    /// Stretches in which RocksDB wrote tables; left out where that was not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Vec<[f64; 2]>>,
}

pub fn series(slice: &Slice, block: u64, join: usize) -> SliceSeries {
    let join = join.max(1);
    let warmup = (slice.warmup as usize).min(slice.samples.len());
    let (front, rest) = slice.samples.split_at(warmup);
    let points: Vec<&[Sample]> = front.chunks(join).chain(rest.chunks(join)).collect();
    let sums = |of: fn(&Sample) -> u64| -> Vec<u64> { points.iter().map(|p| p.iter().map(of).sum()).collect() };
    let ops = sums(|sample| sample.ops);
    let bytes = sums(|sample| sample.bytes);
    let errors = sums(|sample| sample.errors);
    let spans = sums(|sample| sample.span_ns);
    let plain_span = spans.iter().all(|span| *span == slice.window_ns * join as u64);
    let plain_bytes = ops.iter().zip(&bytes).all(|(n, moved)| n * block == *moved);
    let milliseconds = spans.iter().map(|ns| *ns as f64 / 1e6).collect();
    let warm = front.chunks(join).len() as u32;
    SliceSeries {
        pass: slice.pass,
        started_seconds: slice.started_seconds,
        window_ms: slice.window_ns as f64 / 1e6,
        join: (join > 1).then_some(join as u32),
        warmup: (warm > 0).then_some(warm),
        moving: !slice.settled,
        void: slice.void.clone(),
        error: slice.error.clone(),
        mean_ns: points.iter().map(|point| mean_ns(point)).collect(),
        bytes: (!plain_bytes).then_some(bytes),
        span_ms: (!plain_span).then_some(milliseconds),
        errors: errors.iter().any(|n| *n > 0).then_some(errors),
        ops,
        compaction: None,
    }
}

/// As the figure's value: in an open loop from when operations were due.
fn mean_ns(point: &[Sample]) -> Option<u64> {
    let times = || point.iter().map(Sample::response_time);
    let (count, sum) = (times().map(|time| time.count).sum::<u64>(), times().map(|time| time.sum_ns).sum::<u64>());
    (count > 0).then(|| four_digits(sum as f64 / count as f64))
}

/// Four significant digits: a window's own noise is larger by far, and the page stays small.
fn four_digits(ns: f64) -> u64 {
    if ns < 10_000.0 {
        return ns.round() as u64;
    }
    let step = 10f64.powi(ns.log10().floor() as i32 - 3);
    ((ns / step).round() * step) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use model::{Latencies, OpClass, StepId};

    fn slice(windows: u32, warmup: u32) -> Slice {
        let samples = (0..windows).map(|window| {
            let mut counted = Latencies::default();
            counted.record(1_000_000 + u64::from(window));
            Sample { window, span_ns: 100_000_000, ops: 1, bytes: 4096, service: counted.take(), ..Sample::default() }
        });
        Slice { kind: OpClass::Write, warmup, ..testing::slice(StepId(0), 1, 100_000_000, samples.collect()) }
    }

    #[test]
    fn pooling_keeps_warmup_apart_and_loses_no_operation() {
        let pooled = series(&slice(23, 5), 4096, 4);
        assert_eq!(pooled.ops, [4, 1, 4, 4, 4, 4, 2]);
        assert_eq!((pooled.join, pooled.warmup), (Some(4), Some(2)));
        assert_eq!(pooled.span_ms.as_ref().map(|spans| spans[1]), Some(100.0));
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        let plain = series(&slice(10, 0), 4096, 1);
        assert_eq!((plain.bytes, plain.span_ms, plain.errors), (None, None, None));
        assert_eq!((plain.join, plain.warmup, plain.moving), (None, None, false));
        assert_eq!(series(&slice(12, 0), 4096, 4).span_ms, None, "three points of four windows each");
        assert_eq!(series(&slice(10, 0), 512, 1).bytes, Some(vec![4096; 10]));
    }

    #[test]
    fn four_digits_are_kept() {
        assert_eq!([9_876.4, 12_344.9, 123_456_789.0].map(four_digits), [9_876, 12_340, 123_500_000]);
    }
}
