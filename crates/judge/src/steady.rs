//! When are small random writes steady? In rounds, by the rule of SNIA's Solid State Storage Performance Test Specification (Enterprise,
//! version 2.0.2, "steady state"): in five rounds in a row the highest and the lowest rate differ by no more than a fifth of their mean, and
//! their line of best fit rises or falls by no more than a tenth of it. Nearly all of the working set must have been written before, in order
//! or by the rounds: a drive that has free blocks left is as quick as a new one.

use crate::series::mean;
use crate::words::{number, percent, seconds, volume};
use model::clock::SECOND;
use model::{Bytes, Ended, Estimate, Nanos, Rounds, SustainedTest};

/// Rounds in a row that must be alike.
const ALIKE: usize = 5;
/// (largest − least)/mean of them.
const SPREAD: f64 = 0.20;
/// What their line of best fit gains or loses from the first to the last of them, against their mean.
const SLOPE: f64 = 0.10;
/// Share of the working set that must have been written: at random three times as many bytes as it has.
pub const COVERED: f64 = 0.95;
/// SNIA's rounds are of a minute, and there are at most this many.
const ROUND_SECONDS: f64 = 60.0;
const MOST: f64 = 25.0;

/// Of a test that may last this long; a shorter test has shorter rounds.
pub fn round_seconds(seconds: f64) -> f64 {
    (seconds / MOST).floor().clamp(1.0, ROUND_SECONDS)
}

/// Are the last rounds of these windows alike, and was the working set written?
pub fn is_steady(windows: &[Bytes], window_ns: Nanos, test: &SustainedTest) -> bool {
    let covered = test.covered(windows.iter().sum());
    covered >= COVERED && are_alike(&rates(windows, window_ns, round_seconds(test.seconds), 1))
}

/// Of what a test saw. `level`: the rate from one second to another, MB/s.
pub fn rounds(
    (windows, window_ns): (&[Bytes], Nanos),
    test: &SustainedTest,
    level: impl Fn(usize, usize) -> Option<Estimate>,
) -> Option<Rounds> {
    let (round, block) = (round_seconds(test.seconds), test.step.workload.block);
    let (each, covered) = (rates(windows, window_ns, round, block), test.covered(windows.iter().sum()));
    let (first, last) = (each.first()?, each.len() * round as usize);
    let writes = |estimate: Estimate| {
        let scaled = |mb: f64| mb * 1e6 / block.max(1) as f64;
        let Estimate { value, low, high } = estimate;
        Estimate { value: scaled(value), low: scaled(low), high: scaled(high) }
    };
    let alike = (each.len().min(ALIKE) * round as usize).min(last);
    // A first round without a single write has no rate that others could be a share of.
    let first = (*first > 0.0).then(|| level(0, round as usize)).flatten();
    Some(Rounds {
        seconds: round,
        steady: (each.len() >= ALIKE).then(|| are_alike(&each) && covered >= COVERED),
        covered,
        block,
        first: first.map(writes),
        last: level(last - alike, last).map(writes),
        each,
    })
}

/// Writes of `block` bytes a second in each whole round.
fn rates(windows: &[Bytes], window_ns: Nanos, round: f64, block: Bytes) -> Vec<f64> {
    let each = (round * SECOND as f64 / window_ns.max(1) as f64).round().max(1.0) as usize;
    let seconds = each as f64 * window_ns as f64 / SECOND as f64;
    let of = |windows: &[Bytes]| windows.iter().sum::<Bytes>() as f64 / block.max(1) as f64 / seconds;
    windows.chunks_exact(each).map(of).collect()
}

fn are_alike(rounds: &[f64]) -> bool {
    let Some(last) = rounds.len().checked_sub(ALIKE).map(|from| &rounds[from..]) else { return false };
    let (mean, least) = (mean(last), last.iter().copied().fold(f64::INFINITY, f64::min));
    let largest = last.iter().copied().fold(0.0, f64::max);
    mean > 0.0 && largest - least <= SPREAD * mean && (slope(last) * (ALIKE - 1) as f64).abs() <= SLOPE * mean
}

/// Of the line of best fit, for each round.
fn slope(rounds: &[f64]) -> f64 {
    let (middle, mean) = ((rounds.len() - 1) as f64 / 2.0, mean(rounds));
    let over: f64 = rounds.iter().enumerate().map(|(at, rate)| (at as f64 - middle) * (rate - mean)).sum();
    let under: f64 = (0..rounds.len()).map(|at| (at as f64 - middle).powi(2)).sum();
    over / under
}

/// What they say, after `written` bytes.
pub fn in_words(rounds: Option<&Rounds>, filled: Option<u8>, written: Bytes, ended: Ended) -> String {
    let level = match filled {
        Some(0) => ", all of it discarded before".to_string(),
        Some(level) => format!(", {level} % of it full"),
        None => String::new(),
    };
    let text = match rounds {
        Some(rounds) if rounds.each.len() >= ALIKE => of_rounds(rounds),
        rounds => {
            let there = rounds.map_or(0, |rounds| rounds.each.len());
            let of = rounds.map_or(String::new(), |rounds| format!(" of {}", seconds(rounds.seconds)));
            format!("too short to tell: {there} rounds{of}, and {ALIKE} in a row must be alike")
        }
    };
    let end = match ended {
        Ended::Steady | Ended::Fell => "",
        Ended::Volume => "; all that may be written was written",
        Ended::Time => "; then the time was up",
        Ended::Stopped => "; then it was ended by the user",
        Ended::Broken => "; then it broke",
    };
    format!("random writes{level}: {text}, {} written{end}", volume(written))
}

fn of_rounds(rounds: &Rounds) -> String {
    let (count, each) = (rounds.each.len(), seconds(rounds.seconds));
    let last = &rounds.each[count - ALIKE..];
    if rounds.steady != Some(true) && are_alike(&rounds.each) {
        return format!(
            "alike for {ALIKE} rounds of {each} at {} a second, but only {} of the working set was written by it, so that this \
             is not known to be steady",
            number(mean(last)),
            percent(rounds.covered)
        );
    }
    if rounds.steady != Some(true) {
        let (least, largest) =
            (last.iter().copied().fold(f64::INFINITY, f64::min), last.iter().copied().fold(0.0, f64::max));
        let range = format!("from {} to {} a second", number(least), number(largest));
        return format!("not steady within {count} rounds of {each}: {range} in the last {ALIKE}");
    }
    let rate = rounds.last.map_or_else(
        || number(mean(last)),
        |of| format!("{} ±{}", number(of.value), percent((of.high - of.value) / of.value)),
    );
    let change = match (fall(rounds), rise(rounds)) {
        (Some(share), _) => format!(", {} fewer than in the first", percent(share)),
        (_, Some(share)) => format!(", {} more than in the first: what held it back then is gone", percent(share)),
        _ => String::new(),
    };
    format!("steady after {count} rounds of {each} at {rate} a second{change}")
}

/// Which share of the first round's rate is gone at the end, if that is certain.
pub fn fall(rounds: &Rounds) -> Option<f64> {
    let (first, last) = (rounds.first?, rounds.last?);
    (first.low > last.high && first.value > 0.0).then(|| 1.0 - last.value / first.value)
}

/// By which share of the first round's rate the last one is higher, if that is certain.
fn rise(rounds: &Rounds) -> Option<f64> {
    let (first, last) = (rounds.first?, rounds.last?);
    (last.low > first.high && first.value > 0.0).then(|| last.value / first.value - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use model::{Pattern, Until};

    const WINDOW: Nanos = 100_000_000;
    const BLOCK: Bytes = 4096;

    /// Windows of rounds of a second with these writes a second.
    fn windows(rounds: &[f64]) -> Vec<Bytes> {
        rounds.iter().flat_map(|rate| [(*rate * BLOCK as f64 / 10.0) as Bytes; 10]).collect()
    }

    /// A test of 25 s; `span`: bytes of its working set.
    fn test(span: Bytes) -> SustainedTest {
        let step = testing::step(0, testing::disks(), Pattern::WriteParallel, &[]);
        let mut test = SustainedTest { until: Until::Steady, seconds: 25.0, ..SustainedTest::of(step) };
        (test.step.workload.block, test.step.workload.span) = (BLOCK, span);
        test
    }

    fn found(rates: &[f64]) -> Rounds {
        found_on(rates, 1 << 20)
    }

    fn found_on(rates: &[f64], span: Bytes) -> Rounds {
        let windows = windows(rates);
        let level = |from: usize, to: usize| {
            let all = &windows[from * 10..to * 10];
            Some(Estimate::new(all.iter().sum::<Bytes>() as f64 / 1e6 / (to - from) as f64, 0.01))
        };
        rounds((&windows, WINDOW), &test(span), level).unwrap()
    }

    #[test]
    fn rounds_are_of_a_minute_or_a_share_of_a_shorter_time() {
        assert_eq!([3600.0, 1500.0, 250.0, 10.0].map(round_seconds), [60.0, 60.0, 10.0, 1.0]);
    }

    #[test]
    fn five_rounds_that_are_alike_are_steady_and_neither_a_trend_nor_a_spread_is() {
        let is = |rates: &[f64]| is_steady(&windows(rates), WINDOW, &test(1 << 20));
        assert!(is(&[9000.0, 3000.0, 2000.0, 2050.0, 1980.0, 2010.0, 2000.0]));
        assert!(!is(&[9000.0, 3000.0, 2000.0, 2050.0, 1980.0, 2010.0]), "the fall is still among them");
        assert!(!is(&[2000.0; 4]), "four are too few");
        assert!(!is(&[2000.0, 1940.0, 1880.0, 1820.0, 1760.0]), "it falls by an eighth");
        assert!(!is(&[2000.0, 2300.0, 1850.0, 2000.0, 2050.0]), "they differ by more than a fifth");
        assert!(is(&[2000.0, 2150.0, 1850.0, 2000.0, 2050.0]));
        assert!(!is(&[0.0; 5]));
    }

    #[test]
    fn what_was_not_written_once_is_not_steady() {
        let rates = [800.0; 6];
        assert!(!is_steady(&windows(&rates), WINDOW, &test(1 << 30)));
        let fresh = found_on(&rates, 1 << 30);
        let says = in_words(Some(&fresh), None, 19_660_800, Ended::Time);
        assert!(
            fresh.steady == Some(false) && says.contains("but only 1.8 % of the working set was written"),
            "{says}"
        );
        let mut filled = test(1 << 30);
        let workload = filled.step.workload.clone();
        filled.fill = Some(model::FillLevel { percent: 50, workload });
        assert!(is_steady(&windows(&rates), WINDOW, &filled));
    }

    #[test]
    fn what_is_left_of_the_first_round_is_told() {
        let rounds = found(&[9000.0, 3000.0, 2000.0, 2000.0, 2000.0, 2000.0, 2000.0]);
        assert!(rounds.steady == Some(true) && (fall(&rounds).unwrap() - 0.778).abs() < 0.001, "{rounds:?}");
        let says = in_words(Some(&rounds), Some(90), 88_000_000, Ended::Steady);
        assert!(
            says.starts_with("random writes, 90 % of it full: steady after 7 rounds of 1.0 s at 2,000 ±"),
            "{says}"
        );
        assert!(says.contains(", 78 % fewer than in the first, "), "{says}");
        let falls = found(&[9000.0, 8000.0, 7000.0, 6000.0, 5000.0]);
        let says = in_words(Some(&falls), None, 1 << 30, Ended::Time);
        assert!(
            says.contains("not steady within 5 rounds of 1.0 s: from 5,000 to 9,000 a second in the last 5"),
            "{says}"
        );
        assert_eq!(fall(&found(&[2000.0; 5])), None);
        let risen = found(&[500.0, 3000.0, 3000.0, 3000.0, 3000.0, 3000.0]);
        assert!(
            in_words(Some(&risen), None, 1 << 30, Ended::Steady).contains("more than in the first: what held it back")
        );
        let says = in_words(None, None, 0, Ended::Stopped);
        assert!(says.starts_with("random writes: too short to tell: 0 rounds, and 5"), "{says}");
    }
}
