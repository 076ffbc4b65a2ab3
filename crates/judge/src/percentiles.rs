//! Percentiles with intervals: exceedances per window, a design effect, inverted through the histogram (Woodruff), joined
//! with the spread from slice to slice.

use crate::batch_means::half_width;
use crate::pooled::moderated_half_width;
use crate::series::told;
use model::{Percentile, Sample, Slice, Sparse};
use statrs::distribution::{Beta, ContinuousCDF};

/// Percent, and the spread of the slices' percentiles (in logarithms) that is assumed before any is seen.
const WANTED: [(f64, f64); 4] = [(50.0, 0.02), (95.0, 0.03), (99.0, 0.04), (99.9, 0.06)];
/// The same for the median of a figure whose level is seen to wander.
const WANDERING_MEDIAN: f64 = 0.03;
/// A percentile beyond p99 is shown only if at least this many independent operations lie above it.
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

/// Which times of a sample: of service, or of response.
pub type Times = fn(&Sample) -> &Sparse;

/// What may bend percentiles, beside what the slices show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Doubt {
    /// The level is seen to wander.
    pub wandering: bool,
    /// The share of all operations that may not have come yet, and would be slower than all that were seen.
    pub unseen: f64,
    /// The half-width of the mean's interval, as a share of the mean: a percentile is known no better.
    pub least: f64,
}

/// Over the counted windows of all slices. Empty where operations were not timed one by one.
pub fn percentiles(slices: &[&Slice], times: Times, doubt: Doubt) -> Vec<Percentile> {
    let each: Vec<Sparse> = slices.iter().map(|slice| Sparse::merged(slice.counted().iter().map(times))).collect();
    let all = Sparse::merged(&each);
    let operations: u64 = slices.iter().flat_map(|slice| slice.counted()).map(|sample| sample.ops).sum();
    if all.count == 0 || all.count < operations || slices.iter().any(|slice| told(slice)) {
        return Vec::new();
    }
    let mut found: Vec<Percentile> =
        WANTED.iter().filter_map(|(percent, prior)| one(slices, times, &each, &all, *percent, *prior, doubt)).collect();
    in_order(&mut found);
    if all.max_ns == 0 {
        return found;
    }
    found.push(Percentile { percent: 100.0, value_ms: all.max_ns as f64 / 1e6, low_ms: None, high_ms: None });
    found
}

/// A higher percentile lies no lower: what is known of one bounds the others. One without an interval stays without.
fn in_order(found: &mut [Percentile]) {
    let mut least = f64::NEG_INFINITY;
    for one in found.iter_mut() {
        one.low_ms = one.low_ms.map(|low| low.max(least).min(one.value_ms));
        least = one.low_ms.unwrap_or(least);
    }
    let mut most = f64::INFINITY;
    for one in found.iter_mut().rev().filter(|one| one.low_ms.is_some()) {
        let high = one.high_ms.unwrap_or(f64::INFINITY).min(most).max(one.value_ms);
        one.high_ms = high.is_finite().then_some(high);
        most = high;
    }
}

/// One percentile of response time, also one that is not among the usual ones; `None`: nothing was seen, or too little above it.
pub fn one_percentile(slices: &[&Slice], percent: f64) -> Option<Percentile> {
    let each: Vec<Sparse> =
        slices.iter().map(|slice| Sparse::merged(slice.counted().iter().map(Sample::response_time))).collect();
    let prior = WANTED.iter().rev().find(|(wanted, _)| *wanted <= percent).map_or(WANTED[0].1, |(_, prior)| *prior);
    one(slices, Sample::response_time, &each, &Sparse::merged(&each), percent, prior, Doubt::default())
}

fn one(
    slices: &[&Slice],
    times: Times,
    each: &[Sparse],
    all: &Sparse,
    percent: f64,
    prior: f64,
    doubt: Doubt,
) -> Option<Percentile> {
    let p = percent / 100.0;
    let value = all.quantile_ns(p)?;
    let prior = if doubt.wandering && percent == 50.0 { WANDERING_MEDIAN } else { prior };
    let inside = inside(slices, times, all, p, value);
    let seen = inside.as_ref().map_or(0.0, |interval| interval.effective * (1.0 - p));
    if percent > 99.0 && seen < SEEN_ABOVE {
        return None;
    }
    let (low, high) = match inside {
        Some(interval) => widest(&interval, each, p, value, prior),
        None => (None, None),
    };
    let (low, high) =
        (low.map(|low| low.min(value * (1.0 - doubt.least))), high.map(|high| high.max(value / (1.0 - doubt.least))));
    let high = high.and_then(|high| Some(high.max(with_unseen(all, p, doubt.unseen)?)));
    let ms = |ns: f64| ns / 1e6;
    Some(Percentile { percent, value_ms: ms(value), low_ms: low.map(ms), high_ms: high.map(ms) })
}

/// Where the percentile would be with them; `None`: among them.
fn with_unseen(all: &Sparse, p: f64, unseen: f64) -> Option<f64> {
    let seen = p / (1.0 - unseen);
    if seen < 1.0 { all.quantile_ns(seen) } else { None }
}

/// From the inside of the slices: how many windows' worth of independent exceedances there are, and where the histogram
/// has the quantiles that they leave possible.
fn inside(slices: &[&Slice], times: Times, all: &Sparse, p: f64, value: f64) -> Option<Interval> {
    let mut exceedances = Vec::new();
    let mut windows = 0.0;
    for slice in slices {
        let start = exceedances.len();
        for sample in slice.counted() {
            let n = times(sample).count as f64;
            exceedances.push(times(sample).above(value) - (1.0 - p) * n);
            windows += 1.0;
        }
        let centre = crate::series::mean(&exceedances[start..]);
        exceedances[start..].iter_mut().for_each(|excess| *excess -= centre);
    }
    let n = all.count as f64;
    let error = half_width(&exceedances)? / 1.96 / (n / windows);
    let effective = n.min(p * (1.0 - p) / error.powi(2).max(1e-18));
    let (low, high) = clopper_pearson(p, effective, 0.025);
    let open = high >= 1.0 - 0.5 / n || (1.0 - high) * effective < 0.05;
    Some(Interval {
        low: all.quantile_ns(low)?.min(value),
        high: if open { None } else { all.quantile_ns(high).map(|high| high.max(value)) },
        effective,
    })
}

/// Exact binomial interval of a share `p` seen in `n` (not necessarily whole) trials, with `tail` on either side.
pub fn clopper_pearson(p: f64, n: f64, tail: f64) -> (f64, f64) {
    let successes = p * n;
    let quantile = |a: f64, b: f64, at: f64| Beta::new(a, b).map(|beta| beta.inverse_cdf(at));
    let low = quantile(successes, n - successes + 1.0, tail).unwrap_or(0.0);
    let high = quantile(successes + 1.0, (n - successes).max(1e-9), 1.0 - tail).unwrap_or(1.0);
    (low, high)
}

/// How likely at least `seen` of `of` independent events are, each with the chance `p` (binomial, by the incomplete beta function).
pub fn at_least(seen: u64, of: u64, p: f64) -> f64 {
    match seen {
        0 => 1.0,
        seen if seen > of || p <= 0.0 => 0.0,
        _ if p >= 1.0 => 1.0,
        _ => Beta::new(seen as f64, (of - seen) as f64 + 1.0).map_or(1.0, |beta| beta.cdf(p)),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Chance;
    use model::testing;
    use model::{Latencies, StepId};

    const SERVICE: Times = |sample| &sample.service;

    #[test]
    fn chances_of_several_events_are_those_of_the_binomial_distribution() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        near(at_least(3, 3, 0.5), 0.125);
        near(at_least(1, 2, 0.1), 0.19);
        near(at_least(12, 12, 1.0 / 3.0), 3f64.powi(-12));
        assert_eq!(
            (at_least(0, 9, 0.1), at_least(4, 3, 0.5), at_least(1, 1, 0.0), at_least(2, 9, 1.0)),
            (1.0, 0.0, 0.0, 1.0)
        );
    }

    /// Slices of 80 windows with about 100 operations each, log-normal around a level that breathes, 2 % of them twenty
    /// times as slow.
    fn breathing(slices: u32) -> Vec<Slice> {
        let mut chance = Chance(21);
        (1..=slices)
            .map(|pass| {
                let mut level = chance.normal();
                let samples = (0..80).map(|window| {
                    let operations = 60 + (80.0 * chance.uniform()) as u64;
                    let mut service = Latencies::default();
                    for _ in 0..operations {
                        let ns = 400_000.0 * (0.2 * level + 0.5 * chance.normal()).exp();
                        service.record(if chance.uniform() < 0.02 { ns * 20.0 } else { ns } as u64);
                    }
                    level = 0.9 * level + (1.0f64 - 0.81).sqrt() * chance.normal();
                    let span_ns = 100_000_000;
                    Sample { window, span_ns, ops: operations, service: service.take(), ..Sample::default() }
                });
                Slice { samples: samples.collect(), ..blank(pass) }
            })
            .collect()
    }

    fn blank(pass: u32) -> Slice {
        Slice {
            target: Some(0),
            started_seconds: f64::from(pass),
            ..testing::slice(StepId(0), pass, 100_000_000, Vec::new())
        }
    }

    /// Value, low, high in ms, of a Python implementation with the same buckets.
    #[test]
    fn agrees_with_the_reference() {
        let slices = breathing(3);
        let one: Vec<&Slice> = slices.iter().take(1).collect();
        let all: Vec<&Slice> = slices.iter().collect();
        let wanted = [
            (&one, 50.0, [0.4406613333, 0.2412622869, 0.8048601926]),
            (&one, 95.0, [1.1367219200, 0.7191214027, 1.7968269594]),
            (&one, 99.0, [8.5314764800, 4.3737877034, 16.6414320639]),
            (&all, 50.0, [0.3667744950, 0.2933056068, 0.4586462962]),
            (&all, 95.0, [0.9890377143, 0.8180797379, 1.1957215843]),
            (&all, 99.0, [7.1204863999, 5.6133656140, 9.0322508917]),
            (&all, 99.9, [18.6469580799, 14.0439599959, 24.7586183483]),
        ];
        for (slices, percent, want) in wanted {
            let found = percentiles(slices, SERVICE, Doubt::default())
                .into_iter()
                .find(|found| found.percent == percent)
                .unwrap();
            let got = [found.value_ms, found.low_ms.unwrap(), found.high_ms.unwrap()];
            let off = got.iter().zip(want).map(|(got, want)| (got / want - 1.0).abs()).fold(0.0, f64::max);
            assert!(off < 1e-5, "p{percent}: {got:?} instead of {want:?}");
        }
    }

    #[test]
    fn a_percentile_seen_too_seldom_is_not_shown() {
        let slices = breathing(1);
        let shown: Vec<f64> =
            percentiles(&[&slices[0]], SERVICE, Doubt::default()).iter().map(|found| found.percent).collect();
        assert_eq!(shown, [50.0, 95.0, 99.0, 100.0]);
    }

    #[test]
    fn the_largest_has_no_interval_and_is_exact() {
        let slices = breathing(1);
        let largest = slices[0].samples.iter().map(|sample| sample.service.max_ns).max().unwrap();
        let found = percentiles(&[&slices[0]], SERVICE, Doubt::default()).pop().unwrap();
        assert_eq!((found.value_ms, found.low_ms, found.high_ms), (largest as f64 / 1e6, None, None));
    }

    #[test]
    fn means_that_the_other_side_told_have_no_percentiles() {
        let mut slices = breathing(1);
        slices[0].samples[3].span_ns = 70_000_000;
        assert_eq!(percentiles(&[&slices[0]], SERVICE, Doubt::default()), []);
    }

    /// Of a recorded run: p50 was known to be 1.9 at least, and p99 to be 0.292.
    #[test]
    fn a_higher_percentile_is_bounded_by_a_lower_one() {
        let of = |percent, value_ms, low_ms, high_ms| Percentile { percent, value_ms, low_ms, high_ms };
        let mut found = [
            of(50.0, 3.1, Some(1.9), Some(5.0)),
            of(95.0, 10.84, Some(0.154), None),
            of(99.0, 27.7, Some(0.292), Some(123.0)),
            of(99.9, 30.0, None, None),
        ];
        in_order(&mut found);
        let ends: Vec<_> = found.iter().map(|one| (one.low_ms, one.high_ms)).collect();
        let (least, most) = (Some(1.9), Some(123.0));
        assert_eq!(ends, [(least, Some(5.0)), (least, most), (least, most), (None, None)]);
    }
}
