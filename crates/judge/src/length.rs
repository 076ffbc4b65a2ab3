//! How long the next slice of a step is, and when it may end: a first one that shows whether the load needs a warm-up, and then, if it
//! needs none, short ones.

use crate::figure::void_reason;
use crate::in_flight::in_flight;
use crate::series::{mad, mean, median, rate, rates, speaks};
use crate::slice::{SliceState, cut_short, first_look, slice_state};
use model::clock::SECOND;
use model::{Goal, Nanos, Sample, ShortSlices, Slice, Step};

/// Without a warm-up the first windows of a slice differ by no more than this share from its second half, or by three standard errors; and
/// so do its last ones from its first half where no cache ran full meanwhile.
const AT_LEVEL: f64 = 0.05;
/// A short slice lasts until it has counted at least this many operations, and turned over what is in flight at least this often.
const OPERATIONS_LEAST: f64 = 30.0;
const TURNS: f64 = 2.0;
/// If short slices would be longer than this share of long ones, since the load is slow, all slices are long.
const SHARE_OF_LONG: f64 = 0.5;
/// Share of the windows that may be without an answer.
const SILENT_MOST: f64 = 0.2;

/// How long a slice is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// Until `seconds` of it have settled.
    Long { seconds: f64 },
    /// `windows` windows, of which the first `front` do not count.
    Short { front: usize, windows: usize },
}

impl Length {
    /// Of a step that has these slices: short from the first pass on in which each of its figures shows that it may be.
    pub fn next(goal: &Goal, step: &Step, slices: &[&Slice]) -> Length {
        let long = Length::Long { seconds: goal.slice_seconds(step) };
        let Some(short) = goal.short.filter(|_| step.workload.rate.is_none() && !step.workload.verify) else {
            return long;
        };
        let mut passes: Vec<u32> = slices.iter().map(|slice| slice.pass).collect();
        passes.sort_unstable();
        passes.dedup();
        let shown = |pass: &u32| {
            let each = slices.iter().filter(|slice| slice.pass == *pass);
            let lengths = each.map(|newest| {
                let own = |slice: &&&Slice| (slice.target, slice.kind) == (newest.target, newest.kind);
                let so_far: Vec<&Slice> =
                    slices.iter().filter(own).filter(|slice| slice.pass <= *pass).copied().collect();
                windows(goal, &short, step, newest, &so_far)
            });
            let lengths = lengths.collect::<Option<Vec<(usize, usize)>>>()?;
            let front = lengths.iter().map(|length| length.0).max()?;
            Some(Length::Short { front, windows: front + lengths.iter().map(|length| length.1).max()? })
        };
        passes.iter().find_map(shown).unwrap_or(long)
    }

    /// May a slice with these samples end? `patient`: it may run on until it settles. `spoken_least`: windows in which something must
    /// have ended all the same.
    pub fn reached(&self, samples: &[Sample], window_ns: Nanos, patient: bool, spoken_least: usize) -> bool {
        match *self {
            Length::Short { windows, .. } => samples.len() >= windows,
            Length::Long { seconds } => {
                let spoke = samples.iter().filter(|sample| sample.ops > 0).count();
                let enough = samples.len() >= first_look(window_ns, seconds) && spoke >= spoken_least;
                !matches!(slice_state(samples, window_ns, seconds), SliceState::More) || (!patient && enough)
            }
        }
    }

    /// Samples at the front that do not count, and whether the rest has settled.
    pub fn cut(&self, samples: &[Sample], window_ns: Nanos) -> (u32, bool) {
        match *self {
            Length::Short { front, .. } => (front.min(samples.len()) as u32, samples.len() > front),
            Length::Long { seconds } => cut_short(samples, window_ns, seconds),
        }
    }

    /// Settled data, s.
    pub fn seconds(&self, window_ns: Nanos) -> f64 {
        match *self {
            Length::Short { windows, .. } => windows as f64 * window_ns as f64 / SECOND as f64,
            Length::Long { seconds } => seconds,
        }
    }
}

/// Windows at the front of a short slice of this figure, and windows that count; `None`: it must be long. `so_far`: its long slices,
/// of which this is the newest.
fn windows(goal: &Goal, short: &ShortSlices, step: &Step, newest: &Slice, so_far: &[&Slice]) -> Option<(usize, usize)> {
    let fit = newest.settled && newest.warmup == 0 && void_reason(newest).is_none() && speaks_often(newest);
    if !fit || in_flight(step, &[newest]).is_some() {
        return None;
    }
    let rates = rates(newest);
    let rate = mean(&rates);
    let turn = f64::from(step.workload.depth) / rate;
    let (front, counted) =
        (short.front_seconds.max(TURNS * turn), short.seconds.max(OPERATIONS_LEAST / rate).max(TURNS * turn));
    let window = newest.window_ns as f64 / SECOND as f64;
    let (front, counted) = ((front / window).ceil() as usize, (counted / window).ceil() as usize);
    let long = goal.slice_seconds(step) / window;
    let brief = (front + counted) as f64 <= SHARE_OF_LONG * long;
    (brief && begin_at_level(so_far, front, counted) && ends_at_level(newest, counted)).then_some((front, counted))
}

/// A command that tells its own time says nothing until it ends: most windows must have an answer.
fn speaks_often(slice: &Slice) -> bool {
    let silent = slice.samples.iter().filter(|sample| !speaks(sample)).count();
    silent as f64 <= SILENT_MOST * slice.samples.len() as f64
}

/// Is the part that a short slice would count what the second half of a slice is, which a warm-up has left the sooner? By the median of
/// these.
fn begin_at_level(slices: &[&Slice], front: usize, counted: usize) -> bool {
    let begins = slices.iter().map(|slice| {
        let rates = spoken(slice);
        Some(off(rates.get(front..front + counted)?, &rates[rates.len() / 2..]))
    });
    let Some(begins) = begins.collect::<Option<Vec<(f64, f64)>>>() else { return false };
    let by = median(&begins.iter().map(|begin| begin.0).collect::<Vec<_>>());
    let noise = median(&begins.iter().map(|begin| begin.1).collect::<Vec<_>>()) / (begins.len() as f64).sqrt();
    at_level(by, noise)
}

/// What a burst gave until shortly before the end is followed by what no short slice would see.
fn ends_at_level(slice: &Slice, counted: usize) -> bool {
    let rates = spoken(slice);
    let Some(from) = rates.len().checked_sub(counted) else { return false };
    let (by, noise) = off(&rates[from..], &rates[..rates.len() / 2]);
    at_level(by, noise)
}

fn at_level(by: f64, noise: f64) -> bool {
    by.abs() <= AT_LEVEL.max(3.0 * noise)
}

fn spoken(slice: &Slice) -> Vec<f64> {
    slice.samples.iter().filter(|sample| speaks(sample)).map(rate).collect()
}

/// By which share a part is off the level of the half of the slice that lies away from it, and the noise of parts of that half: what moves
/// all the time would be noise of all of the slice.
fn off(part: &[f64], half: &[f64]) -> (f64, f64) {
    let level = mean(half);
    let parts: Vec<f64> = half.chunks_exact(part.len()).map(|part| mean(part) / level).collect();
    (mean(part) / level - 1.0, mad(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::samples;
    use model::testing;
    use model::{Pattern, Place, StepId, Target, Workload};

    fn step() -> Step {
        let pattern = Pattern::ReadParallel;
        Step::new(
            0,
            testing::pools(),
            pattern,
            vec![Target::new(testing::pools(), "a", Place::Null)],
            Workload { depth: 16, ..Workload::canonical(pattern, 1 << 30, 1) },
        )
    }

    fn first(rates: &[f64]) -> Slice {
        Slice { target: Some(0), ..testing::slice(StepId(0), 1, SECOND / 10, samples(rates)) }
    }

    fn next(slices: &[Slice]) -> Length {
        Length::next(&Goal::usual(0.1, 60.0, 1), &step(), &slices.iter().collect::<Vec<_>>())
    }

    const LONG: Length = Length::Long { seconds: 5.0 };

    #[test]
    fn short_after_a_first_slice_that_begins_at_its_level() {
        assert_eq!(next(&[]), LONG);
        let level = [1000.0; 55];
        assert_eq!(next(&[first(&level)]), Length::Short { front: 3, windows: 9 });
        // By the goal of other runs all slices are long.
        assert_eq!(Length::next(&Goal::default(), &step(), &[&first(&level)]), Length::Long { seconds: 7.0 });
    }

    #[test]
    fn long_where_the_load_warms_up_or_gave_nothing() {
        let level = [1000.0; 55];
        assert_eq!(next(&[Slice { warmup: 9, ..first(&level) }]), LONG);
        assert_eq!(next(&[Slice { settled: false, ..first(&level) }]), LONG);
        assert_eq!(next(&[Slice { void: Some("gone".to_string()), ..first(&level) }]), LONG);
        let slow_start: Vec<f64> = (0..55).map(|at| if at < 10 { 850.0 } else { 1000.0 }).collect();
        assert_eq!(next(&[first(&slow_start)]), LONG);
        // A cache that runs full as the slice ends.
        let fell: Vec<f64> = (0..55).map(|at| if at < 51 { 1000.0 } else { 400.0 }).collect();
        assert_eq!(next(&[first(&fell)]), LONG);
        // One of two targets is enough.
        assert_eq!(next(&[first(&level), Slice { target: Some(1), ..first(&slow_start) }]), LONG);
    }

    #[test]
    fn short_from_the_first_pass_on_that_shows_it() {
        let later = |pass, slice: Slice| Slice { pass, ..slice };
        let unsettled = Slice { settled: false, ..first(&[1000.0; 100]) };
        let level = first(&[1000.0; 55]);
        let short = Length::Short { front: 3, windows: 9 };
        assert_eq!(next(&[unsettled.clone(), later(4, level.clone())]), short);
        assert_eq!(next(&[level, later(2, unsettled)]), short, "what comes later changes nothing");
        // Twice a slow start, and once none: the usual one counts.
        let slow: Vec<f64> = (0..55).map(|at| if at < 10 { 850.0 } else { 1000.0 }).collect();
        assert_eq!(next(&[first(&slow), later(4, first(&slow)), later(7, first(&[1000.0; 55]))]), LONG);
    }

    #[test]
    fn commands_that_tell_their_own_times_may_be_short_if_they_end_often() {
        let mut told = first(&[1000.0; 100]);
        told.samples.iter_mut().for_each(|sample| sample.span_ns = SECOND / 50);
        assert_eq!(next(&[told.clone()]), Length::Short { front: 3, windows: 9 });
        told.samples.iter_mut().filter(|sample| sample.window % 2 == 0).for_each(|sample| sample.span_ns = 0);
        assert_eq!(next(&[told]), LONG);
    }

    #[test]
    fn what_is_slow_gets_longer_ones_or_only_long_ones() {
        assert_eq!(next(&[first(&[0.004; 55])]), Length::Short { front: 8, windows: 16 });
        assert_eq!(next(&[first(&[0.001; 55])]), LONG);
    }

    #[test]
    fn a_short_slice_ends_at_its_length_and_counts_all_but_its_front() {
        let (length, samples) = (Length::Short { front: 3, windows: 9 }, samples(&[1000.0; 9]));
        assert!(!length.reached(&samples[..8], SECOND / 10, true, 8));
        assert!(length.reached(&samples, SECOND / 10, true, 8));
        assert_eq!(length.cut(&samples, SECOND / 10), (3, true));
    }
}
