//! When a slice may end: enough settled windows after the warm-up, or three times the wanted length.

use crate::series::{MAD_TO_SD, median, rate, speaks};
use crate::warmup::warmup;
use model::clock::SECOND;
use model::{Nanos, Sample};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceState {
    /// Keep the load running.
    More,
    /// It may end; the first `warmup` samples are warm-up.
    Settled { warmup: u32 },
    /// Three times the wanted length is over and the level still moves.
    Unsettled { warmup: u32 },
}

/// A slice may grow to this multiple of what is wanted.
const LONGEST: usize = 3;
/// More than this share of warm-up: the truncation point still runs with the data.
const WARMUP_MOST: f64 = 0.45;

/// What a slice that got no more time must have left after its warm-up: what the interval needs (64 windows).
const LEFT_LEAST: usize = 64;

/// Windows in which something ended, for the interval's coarser batches (16 of one window).
const SPEAKING_LEAST: usize = 16;

/// `samples`: all of one target and kind so far, one per window, warm-up included. `seconds_wanted`: settled data.
///
/// Looks only at fixed lengths (the wanted one plus a second, then every two seconds), so that calling it after every
/// window doesn't pick the first lucky one.
pub fn slice_state(samples: &[Sample], window_ns: Nanos, seconds_wanted: f64) -> SliceState {
    let (per_second, wanted) = (windows(1.0, window_ns), windows(seconds_wanted, window_ns));
    let mut length = first_look(window_ns, seconds_wanted);
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

/// Windows after which a slice is looked at for the first time. The second more than wanted is for the warm-up; of a short
/// slice it would be a third.
pub fn first_look(window_ns: Nanos, seconds_wanted: f64) -> usize {
    let wanted = windows(seconds_wanted, window_ns);
    wanted + windows(1.0, window_ns).min(wanted / 8)
}

fn windows(seconds: f64, window_ns: Nanos) -> usize {
    ((seconds * SECOND as f64 / window_ns.max(1) as f64).round() as usize).max(1)
}

/// The same for a slice that got no more time: its warm-up, and whether what is left, though shorter than wanted, is level
/// and enough for an interval.
pub fn cut_short(samples: &[Sample], window_ns: Nanos, seconds_wanted: f64) -> (u32, bool) {
    match slice_state(samples, window_ns, seconds_wanted) {
        SliceState::Settled { warmup } => (warmup, true),
        SliceState::Unsettled { warmup } => (warmup, false),
        SliceState::More => {
            let least = windows(seconds_wanted, window_ns).min(LEFT_LEAST);
            let (dropped, settled) = look(samples, least, windows(1.0, window_ns));
            (dropped.min(samples.len() / 2) as u32, settled)
        }
    }
}

/// The same for a slice that was not ended by what it looked like: all of it counts, but its warm-up.
pub fn whole(samples: &[Sample], window_ns: Nanos) -> (u32, bool) {
    let (dropped, settled) = look(samples, samples.len().div_ceil(2), windows(1.0, window_ns));
    (dropped.min(samples.len() / 2) as u32, settled)
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
    // Where the other side tells its times, windows are few: an interval needs sixteen.
    let many = rates.len() - cut >= wanted.min(SPEAKING_LEAST);
    (dropped, long && many && settled(&rates[cut..]))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Chance, recorded, samples};

    const WINDOW: Nanos = 100_000_000;

    /// Feeds windows one by one, as a run does; the length at which it ended, and how.
    fn run(rates: &[f64], seconds: f64) -> (usize, SliceState) {
        let samples = samples(rates);
        let ended = (1..=samples.len()).find_map(|n| match slice_state(&samples[..n], WINDOW, seconds) {
            SliceState::More => None,
            state => Some((n, state)),
        });
        ended.unwrap_or((samples.len(), SliceState::More))
    }

    /// Lengths, warm-ups and verdicts of the Python reference.
    #[test]
    fn agrees_with_the_reference_on_recorded_series() {
        for (name, start, seconds, length, warmup, settled) in [
            ("sr1m_q4", 0, 8.0, 90, 0, true),
            ("rr4k_poisson10k", 0, 8.0, 112, 32, true),
            ("rr4k_poisson10k", 0, 12.0, 152, 32, true),
            ("rw4k_q1", 300, 8.0, 240, 0, false),
            ("rw4k_q1_fs", 0, 12.0, 360, 0, false),
            ("rw4k_q1_fs", 300, 8.0, 240, 120, false),
            ("rw4k_q1_fs", 300, 12.0, 323, 143, true),
            ("sw1m_q4", 300, 8.0, 110, 26, true),
            ("sw1m_q4", 300, 12.0, 150, 26, true),
            ("buf_sw1m", 300, 8.0, 178, 0, true),
            ("buf_sw1m", 300, 12.0, 170, 0, true),
            ("quiet_rr4k_q1", 300, 12.0, 130, 0, true),
        ] {
            let rates = recorded(name);
            let wanted = if settled { SliceState::Settled { warmup } } else { SliceState::Unsettled { warmup } };
            assert_eq!(run(&rates[start..], seconds), (length, wanted), "{name} from {start}");
        }
    }

    #[test]
    fn agrees_with_the_reference_on_a_ramp_and_on_a_drift() {
        let mut chance = Chance(11);
        let ramp: Vec<f64> =
            (0..400).map(|i| 1000.0 * (1.0 - 0.5 * (-f64::from(i) / 20.0).exp()) + 30.0 * chance.normal()).collect();
        assert_eq!(run(&ramp, 8.0), (218, SliceState::Settled { warmup: 97 }));
        let mut chance = Chance(13);
        let drift: Vec<f64> = (0..400).map(|i| 1000.0 * (1.0 + 0.01 * f64::from(i)) + 10.0 * chance.normal()).collect();
        assert_eq!(run(&drift, 8.0), (240, SliceState::Unsettled { warmup: 120 }));
    }

    #[test]
    fn a_slice_that_got_no_more_time_is_settled_if_what_is_left_is_level() {
        let end = first_look(WINDOW, 8.0);
        let cut = |rates: Vec<f64>| cut_short(&samples(&rates[..end]), WINDOW, 8.0);
        let mut chance = Chance(5);
        let mut level = |n: usize| (0..n).map(|_| 1000.0 + 30.0 * chance.normal()).collect::<Vec<f64>>();
        assert_eq!(cut(level(90)), (0, true));
        // Two slow seconds before it: shorter than wanted, and level.
        let (warmup, settled) = cut([vec![300.0; 20], level(70)].concat());
        assert!(settled && (19..=26).contains(&warmup), "{warmup} {settled}");
        let drift: Vec<f64> = (0..90).map(|i| 1000.0 + 10.0 * f64::from(i)).collect();
        assert!(!cut(drift).1);
        // Less than the interval needs.
        let (_, settled) = cut([vec![300.0; 40], level(50)].concat());
        assert!(!settled);
    }

    #[test]
    fn a_dead_target_is_given_three_times_as_long() {
        assert_eq!(run(&[0.0; 400], 8.0), (240, SliceState::Unsettled { warmup: 0 }));
        assert_eq!(slice_state(&[], WINDOW, 8.0), SliceState::More);
    }

    #[test]
    fn windows_without_a_span_are_left_out_and_still_take_time() {
        let mut told = samples(&[100.0; 90]);
        for sample in told.iter_mut().filter(|sample| sample.window % 5 != 4) {
            (sample.span_ns, sample.ops) = (0, 0);
        }
        assert_eq!(slice_state(&told[..89], WINDOW, 8.0), SliceState::More);
        assert_eq!(slice_state(&told, WINDOW, 8.0), SliceState::Settled { warmup: 0 });
        // Half as many say too little, however long they took.
        for sample in told.iter_mut().filter(|sample| sample.window % 10 != 9) {
            (sample.span_ns, sample.ops) = (0, 0);
        }
        assert_eq!(slice_state(&told, WINDOW, 8.0), SliceState::More);
    }

    #[test]
    fn a_quick_slice_of_fifty_millisecond_windows_ends_after_an_eighth_more_than_wanted() {
        let mut chance = Chance(3);
        let rates: Vec<f64> = (0..200).map(|_| 500.0 + 20.0 * chance.normal()).collect();
        let samples = samples(&rates);
        assert_eq!(slice_state(&samples[..71], WINDOW / 2, 3.2), SliceState::More);
        assert_eq!(slice_state(&samples[..72], WINDOW / 2, 3.2), SliceState::Settled { warmup: 0 });
    }
}
