//! What the page carries besides the run's document: per figure its slices over time and its latencies, kept small.

use super::bins::Bins;
use super::series::{self, SliceSeries};
use crate::slices::slices_of;
use model::{Figure, Record, Report, Slice, Sparse};
use serde::Serialize;

/// Above this, neighbouring windows are pooled: 60 figures × 6 slices × 120 windows are shown as recorded.
const POINTS_MAX: usize = 60_000;
/// Filled bins of one figure's histogram, and of all together.
const BINS_MAX: usize = 400;
const BINS_TOTAL: usize = 60_000;

#[derive(Serialize)]
struct Detail {
    slices: Vec<SliceSeries>,
    latencies: Bins,
}

/// One entry for each figure of the report, in its order.
pub fn details(report: &Report, record: &Record) -> String {
    let join = windows(report, record).div_ceil(POINTS_MAX).max(1);
    let bins = (BINS_TOTAL / report.figures.len().max(1)).clamp(48, BINS_MAX);
    let details: Vec<Detail> = report.figures.iter().map(|figure| detail(figure, record, join, bins)).collect();
    match serde_json::to_string(&details) {
        Ok(json) => json,
        Err(error) => unreachable!("plain arrays of numbers and text always serialize: {error}"),
    }
}

fn windows(report: &Report, record: &Record) -> usize {
    let of = |figure| slices_of(figure, record).iter().map(|slice| slice.samples.len()).sum::<usize>();
    report.figures.iter().map(of).sum()
}

fn detail(figure: &Figure, record: &Record, join: usize, bins: usize) -> Detail {
    let slices = slices_of(figure, record);
    let usable = slices.iter().filter(|slice| slice.void.is_none());
    let counted = usable.flat_map(|slice: &&Slice| slice.counted().iter().map(|sample| &sample.service));
    Detail {
        latencies: Bins::of(&Sparse::merged(counted), bins),
        slices: slices.iter().map(|slice| series::series(slice, figure.workload.block, join)).collect(),
    }
}
