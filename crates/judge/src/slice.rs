//! When a slice may end: enough settled windows after the warm-up, or three times the wanted length.

use crate::series::{MAD_TO_SD, median, rate, speaks};
use crate::warmup::warmup;
use model::clock::SECOND;
use model::{Nanos, Sample};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceState {
    /// Keep the load running.
    More,
    /// It may end; so many samples at the front are warm-up.
    Settled { warmup: u32 },
    /// Three times the wanted length is over and the level still moves.
    Unsettled { warmup: u32 },
}

/// A slice may grow to this multiple of what is wanted.
const LONGEST: usize = 3;
/// More than this share of warm-up: the truncation point still runs with the data.
const WARMUP_MOST: f64 = 0.45;

/// `samples`: all of one target and kind so far, one per window, warm-up included. `seconds_wanted`: settled data.
///
/// Looks only at fixed lengths (the wanted one plus a second, then every two seconds), so that calling it after every
/// window doesn't pick the first lucky one.
pub fn slice_state(samples: &[Sample], window_ns: Nanos, seconds_wanted: f64) -> SliceState {
    let per_second = (SECOND / window_ns.max(1)).max(1) as usize;
    let wanted = ((seconds_wanted * SECOND as f64 / window_ns.max(1) as f64).round() as usize).max(1);
    let mut length = wanted + per_second;
    let longest = (LONGEST * wanted).max(length);
    while samples.len() >= length {
        let (dropped, settled) = look(&samples[..length], wanted, per_second);
        if settled {
            return SliceState::Settled { warmup: dropped as u32 };
        }
        if length >= longest {
            return SliceState::Unsettled { warmup: dropped.min(length / 2) as u32 };
        }
        length = longest.min((length + 2 * per_second).max(dropped + wanted));
    }
    SliceState::More
}

/// Samples to drop at the front, and whether the rest is long and level enough.
fn look(samples: &[Sample], wanted: usize, per_second: usize) -> (usize, bool) {
    let windows: Vec<usize> = (0..samples.len()).filter(|index| speaks(&samples[*index])).collect();
    let rates: Vec<f64> = windows.iter().map(|index| rate(&samples[*index])).collect();
    if rates.iter().all(|rate| *rate <= 0.0) {
        return (0, false);
    }
    let cut = warmup(&rates, per_second);
    let dropped = if cut == 0 { 0 } else { windows.get(cut).copied().unwrap_or(samples.len()) };
    let long = samples.len() - dropped >= wanted && dropped as f64 <= WARMUP_MOST * samples.len() as f64;
    (dropped, long && settled(&rates[cut..]))
}

/// Medians of the first 30 % and the last 50 % agree within 10 % or three standard errors of their difference.
/// Medians: a dip is no trend. Noise from differences of neighbours: a step doesn't hide itself.
pub fn settled(rates: &[f64]) -> bool {
    let (first, last) = ends(rates);
    let (a, b) = (median(first), median(last));
    let steps: Vec<f64> = rates.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let noise = MAD_TO_SD * median(&steps) / 2f64.sqrt();
    let error = 1.25 * noise * (1.0 / first.len().max(1) as f64 + 1.0 / last.len().max(1) as f64).sqrt();
    (b - a).abs() <= (0.10 * a.max(b)).max(3.0 * error)
}

/// The first 30 % (at least five windows) and the last half of a series.
pub fn ends(rates: &[f64]) -> (&[f64], &[f64]) {
    let first = ((0.3 * rates.len() as f64) as usize).max(5).min(rates.len());
    (&rates[..first], &rates[rates.len() / 2..])
}
