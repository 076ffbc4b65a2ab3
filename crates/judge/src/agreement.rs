//! Do two programs under the same load agree? The ratio of pairs of loads with its interval, against a tolerance.
//!
//! What disturbs the machine disturbs both loads of a pair, so their ratio is taken first. What disturbs only one of them makes that
//! pair an outlier, so the ratios are ranked: one pair of fifty that was off by a factor of 150 made Student's interval five times
//! as wide as that of the ranks.

use crate::batch_means::t_quantile;
use crate::series::{mean, sample_sd};
use model::{Agreement, Agrees, Estimate, Pair, Turn};

/// With fewer pairs nothing is known: it takes this many ranks for an interval of 95 %.
const PAIRS_LEAST: usize = 6;
/// Two-sided 95 % of the normal distribution.
const Z95: f64 = 1.959_964;

/// `tolerance`: how far the ratios may be off 1 (0.03). `depth`: operations in flight. With many of them the rate alone is judged: by Little's law
/// rate times mean time is what is in flight, and a program that handles what ended before it stamps the start of what comes next
/// has fewer than it was told to (docs/method.md, "Agreement with another program").
pub fn agreement(pairs: &[Pair], tolerance: f64, depth: u32) -> Agreement {
    let iops = ratio(pairs, |turn| turn.iops);
    let latency = ratio(pairs, |turn| turn.mean_ms);
    let judged = if depth > 1 { &[iops][..] } else { &[iops, latency][..] };
    let sides: Vec<Agrees> =
        judged.iter().map(|ratio| ratio.map_or(Agrees::Open, |ratio| side(&ratio, tolerance))).collect();
    let finds = match () {
        _ if sides.contains(&Agrees::Differs) => Agrees::Differs,
        _ if sides.contains(&Agrees::Open) => Agrees::Open,
        _ => Agrees::Agrees,
    };
    Agreement { iops, latency, finds }
}

/// Are more pairs needless? To look after every pair and stop at the first answer is wrong more often than the interval says. So the
/// looks become ever rarer, each comes when both programs were the first of a pair equally often, and an answer holds only if it was
/// the same one look before.
pub fn agreement_known(pairs: &[Pair], tolerance: f64, depth: u32) -> bool {
    let before = looks().take_while(|look| *look < pairs.len()).last();
    let Some(before) =
        before.filter(|_| looks().take_while(|look| *look <= pairs.len()).any(|look| look == pairs.len()))
    else {
        return false;
    };
    let now = agreement(pairs, tolerance, depth).finds;
    now != Agrees::Open && agreement(&pairs[..before], tolerance, depth).finds == now
}

/// Numbers of pairs after which it is looked: 4, 6, 8, … 16, 20, 24, 30, 36, 44, …
fn looks() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(PAIRS_LEAST - 2), |look| Some(look + (look / 8 * 2).max(2)))
}

/// Ours over theirs, with the 95 % interval of it; `None`: fewer than two pairs, or values that have no ratio.
fn ratio(pairs: &[Pair], of: fn(&Turn) -> f64) -> Option<Estimate> {
    let logs: Vec<f64> = pairs.iter().map(|pair| (of(&pair.ours) / of(&pair.theirs)).ln()).collect();
    if logs.len() < 2 || logs.iter().any(|log| !log.is_finite()) {
        return None;
    }
    let (low, middle, high) = if logs.len() < PAIRS_LEAST { by_student(&logs) } else { by_ranks(&logs) };
    Some(Estimate { value: middle.exp(), low: low.exp(), high: high.exp() })
}

fn by_student(logs: &[f64]) -> (f64, f64, f64) {
    let count = logs.len() as f64;
    let (middle, half) = (mean(logs), t_quantile(count - 1.0) * sample_sd(logs) / count.sqrt());
    (middle - half, middle, middle + half)
}

/// The Hodges–Lehmann estimate, and the interval of Wilcoxon's signed ranks: of all means of two pairs the median, and those that
/// as many lie outside of as chance allows.
fn by_ranks(logs: &[f64]) -> (f64, f64, f64) {
    let mut means = Vec::with_capacity(logs.len() * (logs.len() + 1) / 2);
    for (n, one) in logs.iter().enumerate() {
        means.extend(logs[n..].iter().map(|other| (one + other) / 2.0));
    }
    let count = logs.len() as f64;
    // Mean and spread of the rank sum, if nothing differs.
    let (ranks, spread) = (count * (count + 1.0) / 4.0, (count * (count + 1.0) * (2.0 * count + 1.0) / 24.0).sqrt());
    let outside = ((ranks - Z95 * spread).floor() as usize).max(1);
    let (all, half) = (means.len(), means.len() / 2);
    let mut ranked = |rank: usize| *means.select_nth_unstable_by(rank, f64::total_cmp).1;
    let middle = if all % 2 == 1 { ranked(half) } else { (ranked(half - 1) + ranked(half)) / 2.0 };
    (ranked(outside - 1), middle, ranked(all - outside))
}

fn side(ratio: &Estimate, tolerance: f64) -> Agrees {
    let (least, most) = (1.0 - tolerance, 1.0 + tolerance);
    match () {
        () if ratio.low >= least && ratio.high <= most => Agrees::Agrees,
        () if ratio.low > most || ratio.high < least => Agrees::Differs,
        () => Agrees::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Chance;
    use proptest::prelude::*;

    fn pair(iops: f64, latency: f64) -> Pair {
        let turn = |iops, mean_ms| Turn { iops, mean_ms, p99_ms: None };
        Pair { ours: turn(iops, latency), theirs: turn(1.0, 1.0), ours_first: true }
    }

    fn pairs(ratios: &[f64]) -> Vec<Pair> {
        ratios.iter().map(|ratio| pair(*ratio, 1.0 / ratio)).collect()
    }

    /// Of pairs as they come in, each with this noise: what was found when it was known, or after `most` of them.
    fn found(seed: u64, truth: f64, noise: f64, most: usize) -> Agrees {
        let mut chance = Chance(seed);
        let ratios: Vec<f64> = (0..most).map(|_| truth * (noise * chance.normal()).exp()).collect();
        let pairs = pairs(&ratios);
        let known = looks().take_while(|look| *look <= most).find(|look| agreement_known(&pairs[..*look], 0.03, 1));
        agreement(&pairs[..known.unwrap_or(most)], 0.03, 1).finds
    }

    #[test]
    fn few_pairs_have_students_interval() {
        // By hand: logarithms −0.01, 0, 0.01, 0.02: mean 0.005, sd 0.0129099, t(3) = 3.18245.
        let logs: [f64; 4] = [-0.01, 0.0, 0.01, 0.02];
        let told = agreement(&pairs(&logs.map(f64::exp)), 0.03, 1);
        let half = 3.182_446 * 0.012_909_944 / 2.0;
        let iops = told.iops.unwrap();
        for (got, want) in [(iops.value, 0.005), (iops.low, 0.005 - half), (iops.high, 0.005 + half)] {
            assert!((got.ln() - want).abs() < 1e-7, "{got} instead of exp({want})");
        }
        assert_eq!(told.finds, Agrees::Agrees);
    }

    #[test]
    fn many_pairs_have_that_of_their_ranks() {
        // By hand: of six values the 21 means of two, of which the outermost on either side hold 96.9 %: so those are the bounds.
        let logs: [f64; 6] = [-0.02, -0.01, 0.0, 0.01, 0.02, 5.0];
        let told = agreement(&pairs(&logs.map(f64::exp)), 0.03, 1).iops.unwrap();
        assert!((told.low.ln() + 0.02).abs() < 1e-9 && (told.high.ln() - 5.0).abs() < 1e-9, "{told:?}");
        // Of many, one that was disturbed moves nothing.
        let even: Vec<f64> = (0..40).map(|n| 1.0 + 0.001 * f64::from(n % 5 - 2)).collect();
        let with: Vec<f64> = even.iter().copied().chain([150.0]).collect();
        let (before, after) = (agreement(&pairs(&even), 0.03, 1).iops.unwrap(), agreement(&pairs(&with), 0.03, 1));
        let (found, after) = (after.finds, after.iops.unwrap());
        assert!((before.value - after.value).abs() < 5e-4 && after.high < 1.002, "{before:?} {after:?}");
        assert_eq!(found, Agrees::Agrees);
    }

    /// Nine of ten intervals and more hold the truth, for pairs of the usual noise and for some that are far off.
    #[test]
    fn the_interval_holds_the_truth() {
        for (far, count) in [(0.0, 8), (0.0, 30), (0.05, 30)] {
            let held = (0..1000).filter(|seed| {
                let mut chance = Chance(*seed);
                let mut one = || {
                    let off = if chance.uniform() < far { 8.0 } else { 1.0 };
                    1.02 * (0.05 * off * chance.normal()).exp()
                };
                let ratios: Vec<f64> = (0..count).map(|_| one()).collect();
                let told = agreement(&pairs(&ratios), 0.03, 1).iops.unwrap();
                (told.low..=told.high).contains(&1.02)
            });
            let held = held.count();
            assert!((930..=990).contains(&held), "{held} of 1000 intervals of {count} pairs hold the truth");
        }
    }

    #[test]
    fn inside_outside_and_neither() {
        let even = |ratio: f64| pairs(&[ratio * 0.999, ratio * 1.001, ratio, ratio * 0.9995, ratio * 1.0005, ratio]);
        let finds = |ratio| agreement(&even(ratio), 0.03, 1).finds;
        assert_eq!([1.0, 1.02, 0.98].map(finds), [Agrees::Agrees; 3]);
        assert_eq!([1.05, 0.95, 2.0].map(finds), [Agrees::Differs; 3]);
        assert_eq!([1.03, 0.971].map(finds), [Agrees::Open; 2]);
        assert!(agreement_known(&even(1.0), 0.03, 1) && agreement_known(&even(1.5), 0.03, 1));
        assert!(!agreement_known(&even(1.03), 0.03, 1) && !agreement_known(&even(1.0)[..5], 0.03, 1));
        // The rates agree, the latencies do not.
        let latency: Vec<Pair> = even(1.0).iter().map(|one| pair(one.ours.iops, 1.2)).collect();
        assert_eq!(agreement(&latency, 0.03, 1).finds, Agrees::Differs);
        assert_eq!(agreement(&latency, 0.03, 128).finds, Agrees::Agrees);
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        for few in [vec![], pairs(&[1.0]), pairs(&[1.0, 0.0]), pairs(&[1.0, f64::NAN, 1.0])] {
            let told = agreement(&few, 0.03, 1);
            assert_eq!((told.iops, told.finds), (None, Agrees::Open));
        }
    }

    /// Programs that agree are hardly ever said to differ, and the other way round, although they are looked at again and again.
    #[test]
    fn looking_again_and_again_does_not_mislead() {
        let share = |truth: f64, noise: f64, wrong: Agrees| {
            (0..400).filter(|seed| found(*seed, truth, noise, 100) == wrong).count() as f64 / 400.0
        };
        for noise in [0.005, 0.02, 0.05, 0.1] {
            for truth in [1.0, 1.02] {
                let wrong = share(truth, noise, Agrees::Differs);
                assert!(wrong <= 0.03, "{truth} with noise {noise} is said to differ: {wrong}");
            }
            for truth in [0.95, 1.05] {
                let wrong = share(truth, noise, Agrees::Agrees);
                assert!(wrong <= 0.03, "{truth} with noise {noise} is said to agree: {wrong}");
            }
        }
        assert!(share(1.0, 0.02, Agrees::Agrees) > 0.95);
        assert!(share(1.1, 0.03, Agrees::Differs) > 0.95);
    }

    proptest! {
        #[test]
        fn no_pairs_panic(values in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..9), tolerance in 0.0..1.0) {
            let pairs: Vec<Pair> = values.into_iter().map(|(iops, latency)| pair(iops, latency)).collect();
            let _ = (agreement(&pairs, tolerance, 1), agreement_known(&pairs, tolerance, 2));
        }
    }
}
