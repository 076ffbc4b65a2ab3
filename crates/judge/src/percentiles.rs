//! Percentiles with intervals: exceedances per window, a design effect, inverted through the histogram (Woodruff), joined
//! with the spread from slice to slice.

use crate::batch_means::half_width;
use crate::pooled::moderated_half_width;
use model::{Percentile, Slice, Sparse};
use statrs::distribution::{Beta, ContinuousCDF};

/// Percent, and the spread of the slices' percentiles (in logarithms) that is assumed before any is seen.
const WANTED: [(f64, f64); 4] = [(50.0, 0.02), (95.0, 0.03), (99.0, 0.04), (99.9, 0.06)];
/// The same for the median of a figure whose level is seen to wander.
const WANDERING_MEDIAN: f64 = 0.03;
/// A percentile beyond p99 is shown only if so many independent operations lie above it.
const SEEN_ABOVE: f64 = 5.0;
/// An interval that has no end counts as this factor.
const NO_END: f64 = 30.0;
/// ln(high/low) to the standard error of the logarithm.
const WIDTHS_PER_ERROR: f64 = 4.2;

struct Interval {
    low: f64,
    high: Option<f64>,
    /// Independent operations that the counts are worth.
    effective: f64,
}

/// Of service time, over the counted windows of all slices. Empty where operations were not timed one by one.
pub fn percentiles(slices: &[&Slice], wandering: bool) -> Vec<Percentile> {
    let each: Vec<Sparse> =
        slices.iter().map(|slice| Sparse::merged(slice.counted().iter().map(|sample| &sample.service))).collect();
    let all = Sparse::merged(&each);
    let operations: u64 = slices.iter().flat_map(|slice| slice.counted()).map(|sample| sample.ops).sum();
    if all.count == 0 || all.count < operations {
        return Vec::new();
    }
    let mut found: Vec<Percentile> =
        WANTED.iter().filter_map(|(percent, prior)| one(slices, &each, &all, *percent, *prior, wandering)).collect();
    found.push(Percentile { percent: 100.0, value_ms: all.max_ns as f64 / 1e6, low_ms: None, high_ms: None });
    found
}

fn one(
    slices: &[&Slice],
    each: &[Sparse],
    all: &Sparse,
    percent: f64,
    prior: f64,
    wandering: bool,
) -> Option<Percentile> {
    let p = percent / 100.0;
    let value = all.quantile_ns(p)?;
    let prior = if wandering && percent == 50.0 { WANDERING_MEDIAN } else { prior };
    let inside = inside(slices, all, p, value);
    let seen = inside.as_ref().map_or(0.0, |interval| interval.effective * (1.0 - p));
    if percent > 99.0 && seen < SEEN_ABOVE {
        return None;
    }
    let (low, high) = match inside {
        Some(interval) => widest(&interval, each, p, value, prior),
        None => (None, None),
    };
    let ms = |ns: f64| ns / 1e6;
    Some(Percentile { percent, value_ms: ms(value), low_ms: low.map(ms), high_ms: high.map(ms) })
}

/// From the inside of the slices: how many windows' worth of independent exceedances there are, and where the histogram
/// has the quantiles that they leave possible.
fn inside(slices: &[&Slice], all: &Sparse, p: f64, value: f64) -> Option<Interval> {
    let mut exceedances = Vec::new();
    let mut windows = 0.0;
    for slice in slices {
        let start = exceedances.len();
        for sample in slice.counted() {
            let n = sample.service.count as f64;
            exceedances.push(sample.service.above(value) - (1.0 - p) * n);
            windows += 1.0;
        }
        let centre = crate::series::mean(&exceedances[start..]);
        exceedances[start..].iter_mut().for_each(|excess| *excess -= centre);
    }
    let n = all.count as f64;
    let error = half_width(&exceedances)? / 1.96 / (n / windows);
    let effective = n.min(p * (1.0 - p) / error.powi(2).max(1e-18));
    let (low, high) = clopper_pearson(p, effective);
    let open = high >= 1.0 - 0.5 / n || (1.0 - high) * effective < 0.05;
    Some(Interval {
        low: all.quantile_ns(low)?.min(value),
        high: if open { None } else { all.quantile_ns(high).map(|high| high.max(value)) },
        effective,
    })
}

/// Exact binomial 95 % interval of a share `p` seen in `n` (not necessarily whole) trials.
fn clopper_pearson(p: f64, n: f64) -> (f64, f64) {
    let successes = p * n;
    let quantile = |a: f64, b: f64, at: f64| Beta::new(a, b).map(|beta| beta.inverse_cdf(at));
    let low = quantile(successes, n - successes + 1.0, 0.025).unwrap_or(0.0);
    let high = quantile(successes + 1.0, (n - successes).max(1e-9), 0.975).unwrap_or(1.0);
    (low, high)
}

/// The wider of the inside's interval and of what the slices' own percentiles say (moderated t on logarithms).
fn widest(inside: &Interval, each: &[Sparse], p: f64, value: f64, prior: f64) -> (Option<f64>, Option<f64>) {
    let own: Vec<f64> = each.iter().filter_map(|slice| slice.quantile_ns(p)).map(|own| (own / value).ln()).collect();
    let count = own.len() as f64;
    let ceiling = inside.high.unwrap_or(f64::INFINITY).min(value * NO_END);
    let floor = inside.low.max(value / NO_END);
    let within = ((ceiling / floor).ln() / WIDTHS_PER_ERROR).powi(2) * count;
    let between = own.iter().map(|log| log * log).sum::<f64>() / (count - 1.0).max(1.0);
    let factor = moderated_half_width(prior * prior + within, between, count).exp();
    (Some(inside.low.min(value / factor)), inside.high.map(|high| high.max(value * factor)))
}
