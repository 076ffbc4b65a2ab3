//! How many windows at the front are warm-up: MSER-5, but only if the series really starts off its level.

use crate::series::{mad, mean, median};

const BATCH: usize = 5;
/// The cut is moved back by this factor: MSER finds the end of the slope, not of its foot.
const EXTRA: f64 = 1.3;
/// The first second must be off by this share of the level, or by three robust deviations of a second's mean.
const GAP: f64 = 0.10;

/// Windows to drop at the front. A dip in the middle is not warm-up; an ungated cut takes it away as if it were.
pub fn warmup(rates: &[f64], windows_per_second: usize) -> usize {
    let cut = mser(rates);
    if cut == 0 || !starts_off_level(rates, cut, windows_per_second) {
        return 0;
    }
    ((cut as f64 * EXTRA) as usize).min(rates.len())
}

/// The truncation point, at most half of the series, at which the standard error of what is left is smallest.
fn mser(rates: &[f64]) -> usize {
    let batches: Vec<f64> = rates.chunks_exact(BATCH).map(mean).collect();
    if batches.len() < 6 {
        return 0;
    }
    let (mut sum, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, 0));
    for (index, batch) in batches.iter().enumerate().rev() {
        sum += batch;
        squares += batch * batch;
        let left = (batches.len() - index) as f64;
        let error = (squares - sum * sum / left) / (left * left);
        if index <= batches.len() / 2 && error <= best.0 {
            best = (error, index);
        }
    }
    best.1 * BATCH
}

fn starts_off_level(rates: &[f64], cut: usize, windows_per_second: usize) -> bool {
    let rest = &rates[cut..];
    let level = median(rest);
    if level <= 0.0 {
        return false;
    }
    let seconds: Vec<f64> = rest.chunks_exact(windows_per_second.max(1)).map(mean).collect();
    let spread = if seconds.len() >= 3 { mad(&seconds) } else { mad(rest) };
    let start = mean(&rates[..windows_per_second.clamp(1, cut)]);
    (start - level).abs() > (GAP * level).max(3.0 * spread)
}
