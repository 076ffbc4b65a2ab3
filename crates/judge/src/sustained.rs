//! Where a device that is written to without pause falls: what came before was its caches.

use crate::pooled::pool;
use crate::series::{Ratio, median};
use crate::steady;
use crate::words::{number, percent, seconds, volume};
use model::clock::SECOND;
use model::{Bytes, Cliff, Ended, Endurance, Estimate, Nanos, Record, SustainedSeries, SustainedTest, Until};

/// A fall of this share counts, as it does for `burst`.
const FALL: f64 = 0.20;
/// The rate must stay down for this many seconds; one in ten of them may lie above.
const STAYS: usize = 10;
/// The first second is the start: queues fill, files get their blocks.
const FRONT: usize = 1;
/// Seconds of a level from which something can fall.
const LEVEL_LEAST: usize = 3;
/// If the rate was as low in more than this share of the time before, it goes up and down: no cliff.
const LOW_BEFORE: f64 = 0.20;
/// The cliff lies between the last second that is this near the upper level and the first that is as near the lower one.
const NEAR: f64 = 0.25;

/// Has the rate fallen and stayed down, at the end of these windows? Looks at whole seconds only.
pub fn fell(windows: &[Bytes], window_ns: Nanos) -> bool {
    fallen(&rates(windows, window_ns)).is_some()
}

/// What each test that was done says, in their order.
pub fn endurance(record: &Record) -> Vec<Endurance> {
    record.sustained.iter().filter_map(|seen| Some(said(planned(record, seen)?, seen))).collect()
}

fn planned<'a>(record: &'a Record, seen: &SustainedSeries) -> Option<&'a SustainedTest> {
    let is = |test: &&SustainedTest| {
        test.step.together() == seen.target && (test.until, test.filled()) == (seen.until, seen.filled)
    };
    record.plan.experiment.sustained().iter().find(is)
}

fn per_second(window_ns: Nanos) -> usize {
    (SECOND / window_ns.max(1)).max(1) as usize
}

/// MB/s of each whole second.
fn rates(windows: &[Bytes], window_ns: Nanos) -> Vec<f64> {
    let each = per_second(window_ns);
    let seconds = each as f64 * window_ns as f64 / SECOND as f64;
    windows.chunks_exact(each).map(|second| second.iter().sum::<u64>() as f64 / 1e6 / seconds).collect()
}

/// At which second the rate fell, if it is down for long enough at the end.
fn fallen(rates: &[f64]) -> Option<usize> {
    let level_ends = rates.len().checked_sub(STAYS).filter(|end| *end >= FRONT + LEVEL_LEAST)?;
    let (before, last) = (&rates[FRONT..level_ends], &rates[level_ends..]);
    let bottom = median(before) * (1.0 - FALL);
    let low = |some: &[f64]| some.iter().filter(|rate| **rate < bottom).count();
    let at = split(rates);
    let low_before = low(&rates[FRONT..at]) as f64 <= LOW_BEFORE * (at - FRONT) as f64;
    (bottom > 0.0 && low(last) + STAYS / 10 >= STAYS && low_before).then_some(at)
}

/// Where two levels fit best: the least sum of squares around them.
fn split(rates: &[f64]) -> usize {
    let (mut sum, total) = (0.0, rates[FRONT..].iter().sum::<f64>());
    let (mut best, mut at) = (f64::NEG_INFINITY, FRONT + LEVEL_LEAST);
    for (index, rate) in rates.iter().enumerate().skip(FRONT) {
        sum += rate;
        let (left, right) = ((index + 1 - FRONT) as f64, (rates.len() - index - 1) as f64);
        let between = if right > 0.0 { sum * sum / left + (total - sum) * (total - sum) / right } else { 0.0 };
        if left as usize >= LEVEL_LEAST && right as usize >= LEVEL_LEAST && between > best {
            (best, at) = (between, index + 1);
        }
    }
    at
}

fn said(test: &SustainedTest, seen: &SustainedSeries) -> Endurance {
    let rates = rates(&seen.windows, seen.window_ns);
    let written: Bytes = seen.windows.iter().sum();
    let seconds = seen.windows.len() as f64 * seen.window_ns as f64 / SECOND as f64;
    let falls = seen.until == Until::Falls;
    let cliff = fallen(&rates).filter(|_| falls).map(|at| cliff(test, seen, &rates, at));
    let held = if falls { cliff.map_or_else(|| held(seen, &rates), |cliff| cliff.low) } else { 0 };
    let rounds = || steady::rounds((&seen.windows, seen.window_ns), test, |from, to| level(seen, from, to));
    let rounds = if falls { None } else { rounds() };
    let mut found = Endurance {
        target: seen.target.clone(),
        until: seen.until,
        filled: seen.filled,
        model: test.model.clone(),
        also: test.also.clone(),
        ended: seen.ended,
        error: seen.error.clone(),
        written,
        seconds,
        before: seen.before,
        held,
        rate: (cliff.is_none() && falls).then(|| level(seen, FRONT, rates.len())).flatten(),
        rounds,
        cliff,
        each_second: seen.windows.chunks(per_second(seen.window_ns)).map(|second| second.iter().sum()).collect(),
        says: String::new(),
    };
    found.says = in_words(&found);
    let to_its_end = found.error.is_none() && !matches!(found.ended, Ended::Stopped | Ended::Broken);
    if test.trim[1] && to_its_end {
        found.says += "; then all of it was discarded (trimmed)";
    }
    found
}

fn cliff(test: &SustainedTest, seen: &SustainedSeries, rates: &[f64], at: usize) -> Cliff {
    let (from, to) = (median(&rates[FRONT..at]), median(&rates[at..]));
    let margin = NEAR * (from - to);
    let last_high = (FRONT..at).rev().find(|second| rates[*second] >= from - margin).unwrap_or(FRONT);
    let first_low = (at..rates.len()).find(|second| rates[*second] <= to + margin).unwrap_or(at);
    // What was handed over and had not ended is perhaps in the cache, too.
    let in_flight = test.step.workload.block * u64::from(test.step.workload.depth);
    let low = written_by(seen, last_high + 1);
    let high = written_by(seen, first_low + 1) + in_flight;
    Cliff {
        written: written_by(seen, at).clamp(low, high),
        low,
        high,
        from: level(seen, FRONT, last_high + 1),
        to: level(seen, first_low + 1, rates.len()),
        fall: 1.0 - to / from,
    }
}

/// Without a cliff: how far it is known that there is none. A fall in the last seconds could not be seen to stay.
fn held(seen: &SustainedSeries, rates: &[f64]) -> Bytes {
    if rates.len() < FRONT + LEVEL_LEAST {
        return 0;
    }
    let bottom = median(&rates[FRONT..]) * (1.0 - FALL);
    let last = rates.iter().rposition(|rate| *rate >= bottom && *rate > 0.0);
    last.map_or(0, |second| written_by(seen, second + 1))
}

/// Bytes written in the first `seconds` seconds.
fn written_by(seen: &SustainedSeries, seconds: usize) -> Bytes {
    seen.windows.iter().take(seconds * per_second(seen.window_ns)).sum()
}

/// MB/s over these seconds, as one slice: its interval is never narrower than that of one pass.
fn level(seen: &SustainedSeries, from: usize, to: usize) -> Option<Estimate> {
    let each = per_second(seen.window_ns);
    let windows = seen.windows.get(from * each..(to * each).min(seen.windows.len()))?;
    let ratio = Ratio {
        over: windows.iter().map(|bytes| *bytes as f64 / 1e6).collect(),
        under: vec![seen.window_ns as f64 / SECOND as f64; windows.len()],
    };
    let pooled = pool(&[ratio])?;
    let (value, half_width) = (pooled.value, pooled.half_width);
    Some(Estimate { value, low: (value - half_width).max(0.0), high: value + half_width })
}

fn in_words(found: &Endurance) -> String {
    let mut text = match &found.cliff {
        _ if found.until == Until::Steady => {
            steady::in_words(found.rounds.as_ref(), found.filled, found.written, found.ended)
        }
        Some(cliff) => of_cliff(cliff),
        None if found.held == 0 => format!(
            "too short to tell: {} written in {}, and a fall must stay for {STAYS} s",
            volume(found.written),
            seconds(found.seconds)
        ),
        None => format!(
            "no cliff within {}: no fall of {} or more that stayed for {STAYS} s, in {}",
            volume(found.held),
            percent(FALL),
            seconds(found.seconds)
        ),
    };
    text += match found.ended {
        // Rounds have their own words for it.
        _ if found.until == Until::Steady => "",
        Ended::Fell | Ended::Steady => "",
        Ended::Volume => "; all that may be written was written",
        Ended::Time => "; then the time was up",
        Ended::Stopped => "; then it was ended by the user",
        Ended::Broken => "; then it broke",
    };
    if let Some(error) = &found.error {
        text += &format!(": {error}");
    }
    if found.before > 0 {
        text += &format!("; before it, the run had written {} to it", volume(found.before));
    }
    text
}

fn of_cliff(cliff: &Cliff) -> String {
    let rate = |estimate: Option<Estimate>| estimate.map_or("an unknown rate".to_string(), |of| with_interval(&of));
    format!(
        "fell by {} after {} written without pause (between {} and {}), from {} to {}, and stayed there for {STAYS} s",
        percent(cliff.fall),
        volume(cliff.written),
        volume(cliff.low),
        volume(cliff.high),
        rate(cliff.from),
        rate(cliff.to)
    )
}

fn with_interval(of: &Estimate) -> String {
    format!("{} MB/s ±{}", number(of.value), percent((of.high - of.value) / of.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Chance;
    use model::Pattern;

    const WINDOW: Nanos = 100_000_000;
    const MB: f64 = 1e6;

    /// Windows of 100 ms of these MB/s, with noise.
    fn windows(rates: impl IntoIterator<Item = f64>, noise: f64) -> Vec<Bytes> {
        let mut chance = Chance(7);
        let one = |rate: f64| (rate * MB / 10.0 * (1.0 + noise * chance.normal())).max(0.0) as Bytes;
        rates.into_iter().map(one).collect()
    }

    fn levels(parts: &[(f64, usize)]) -> Vec<f64> {
        parts.iter().flat_map(|(rate, seconds)| vec![*rate; seconds * 10]).collect()
    }

    /// As a run does: a look after every second, ended as soon as it fell.
    fn run(windows: &[Bytes]) -> Endurance {
        run_and_trim(windows, [false; 2])
    }

    fn run_and_trim(windows: &[Bytes], trim: [bool; 2]) -> Endurance {
        let end = (10..=windows.len()).step_by(10).find(|n| fell(&windows[..*n], WINDOW));
        let ended = if end.is_some() { Ended::Fell } else { Ended::Time };
        let windows = windows[..end.unwrap_or(windows.len())].to_vec();
        let seen = SustainedSeries {
            target: "d".into(),
            until: Until::Falls,
            filled: None,
            windows,
            window_ns: WINDOW,
            before: 0,
            ended,
            error: None,
        };
        let step = model::testing::step(0, model::testing::disks(), Pattern::WriteLinear, &[]);
        let test = SustainedTest { seconds: 900.0, trim, ..SustainedTest::of(step) };
        said(&test, &seen)
    }

    #[test]
    fn that_all_was_discarded_afterwards_is_told() {
        let windows = windows(levels(&[(500.0, 30)]), 0.2);
        let says = |trim| run_and_trim(&windows, trim).says;
        assert!(says([false, true]).ends_with("; then all of it was discarded (trimmed)"), "{}", says([false, true]));
        assert!(!says([true, false]).contains("discarded"), "{}", says([true, false]));
    }

    #[test]
    fn a_cliff_is_found_at_its_volume_with_both_rates() {
        let windows = windows(levels(&[(500.0, 30), (120.0, 60)]), 0.2);
        let truth: Bytes = windows[..300].iter().sum();
        let found = run(&windows);
        let cliff = found.cliff.expect("a cliff");
        assert!((cliff.written as f64 / truth as f64 - 1.0).abs() < 0.03, "{found:?}");
        assert!((cliff.low..=cliff.high).contains(&truth), "{found:?}");
        let (from, to) = (cliff.from.unwrap(), cliff.to.unwrap());
        assert!(from.low < 500.0 && from.high > 500.0 && to.low < 120.0 && to.high > 120.0, "{found:?}");
        assert!((cliff.fall - 0.76).abs() < 0.03 && found.seconds <= 41.0, "{found:?}");
        assert!(found.says.starts_with("fell by 7") && found.held == cliff.low, "{}", found.says);
    }

    #[test]
    fn a_level_that_only_is_noisy_has_no_cliff_and_nothing_beyond_what_was_written_is_claimed() {
        for (rates, noise) in [(levels(&[(500.0, 120)]), 0.5), (levels(&[(500.0, 40), (410.0, 40)]), 0.1)] {
            let found = run(&windows(rates, noise));
            assert!(found.cliff.is_none() && found.held <= found.written && found.held > 30_000_000_000, "{found:?}");
            assert!(found.says.starts_with("no cliff within"), "{}", found.says);
        }
    }

    #[test]
    fn a_dip_that_ends_and_levels_that_come_and_go_are_no_cliff() {
        let dip = levels(&[(500.0, 30), (100.0, 7), (500.0, 30)]);
        let two: Vec<f64> = (0..12).flat_map(|n| levels(&[(if n % 2 == 0 { 500.0 } else { 200.0 }, 8)])).collect();
        for rates in [dip, two] {
            let found = run(&windows(rates, 0.1));
            assert!(found.cliff.is_none(), "{found:?}");
        }
    }

    #[test]
    fn a_fall_in_the_last_seconds_is_not_claimed_to_be_none() {
        let found = run(&windows(levels(&[(500.0, 30), (100.0, 6)]), 0.05));
        assert!(found.cliff.is_none() && found.held < 15_600_000_000 && found.held > 14_000_000_000, "{found:?}");
    }

    #[test]
    fn a_slow_decline_has_a_wide_place() {
        let decline: Vec<f64> = (0..3000).map(|i| 500.0 - 0.1 * f64::from(i)).collect();
        let cliff = run(&windows(decline, 0.02)).cliff.expect("a fall");
        assert!((cliff.high - cliff.low) as f64 > 0.3 * cliff.written as f64, "{cliff:?}");
    }

    #[test]
    fn too_little_says_so() {
        let found = run(&windows(levels(&[(500.0, 2)]), 0.0));
        assert!(found.held == 0 && found.says.starts_with("too short"), "{found:?}");
        assert_eq!(run(&[]).written, 0);
        assert_eq!(run(&vec![0; 400]).held, 0);
    }
}
