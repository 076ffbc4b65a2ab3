//! Kinds of series in which something comes seldom, lasts longer than a slice, or has a period.

use crate::coverage::kinds::{BASE, Kind, adversarial, bimodal, shaped, without_long_run};
use crate::coverage::noise::{DT, DipNoise, normal, take, uniform};
use rand::RngExt;
use rand::rngs::StdRng;

/// The first eight are those of the method's plan of slices; the others were made later, unlike them.
pub const RARE: [Kind; 21] = [
    adversarial("-40 % for 12 s in 52 s", "slower for longer than a slice", 0, |_, chance, n| {
        slowed(chance, n, 52.0, 12.0, 0.4)
    }),
    adversarial("-30 % for 5 s in 35 s", "slower now and then", 0, |_, chance, n| slowed(chance, n, 35.0, 5.0, 0.3)),
    adversarial("pauses, one in 40 s", "nothing for 1-3 s", 0, |given, chance, n| pauses(given, chance, n, 40.0)),
    adversarial("pauses, one in 120 s", "nothing for 1-3 s", 0, |given, chance, n| pauses(given, chance, n, 120.0)),
    adversarial("sine 30 s", "±15 %", 0, |_, chance, n| wave(chance, n, 30.0, 0.15)),
    adversarial("sine 5 min", "±15 %", 0, |_, chance, n| wave(chance, n, 300.0, 0.15)),
    adversarial("two levels, 5 s", "±20 %", 0, |_, chance, n| bimodal(chance, n, 5.0, 0.8, 1.2)),
    adversarial("two levels, 60 s", "±20 %", 0, |_, chance, n| bimodal(chance, n, 60.0, 0.8, 1.2)),
    without_long_run(adversarial("drift, 10 % in 10 min", "falls evenly", 0, |_, chance, n| {
        (shaped(chance, n, 0.5, 0.05, |t| 1.0 - 0.1 * (t / 600.0).min(3.0)), BASE)
    })),
    adversarial("-70 % for 3 s in 25 s", "deep and short", 0, |_, chance, n| slowed(chance, n, 25.0, 3.0, 0.7)),
    adversarial("square wave of 90 s", "±12 %", 0, |_, chance, n| square(chance, n, 90.0, 0.12)),
    adversarial("three levels", "75, 100, 110 %, 15 s each on average", 0, |_, chance, n| three_levels(chance, n)),
    adversarial("bursts of all lengths", "-50 %, Pareto 1.5 from 1 s to 30 s, one in 45 s", 0, |_, chance, n| {
        of_all_lengths(chance, n)
    }),
    without_long_run(adversarial("rises 15 % in 3 min", "as caches fill", 0, |_, chance, n| {
        (shaped(chance, n, 0.5, 0.05, |t| 1.0 - 0.15 * (-t / 90.0).exp()), BASE)
    })),
    // As far apart as the slices of one figure.
    adversarial("-50 % for 1.5 s in 5 s", "like a clock", 0, |_, chance, n| {
        let dips = DipNoise { period: 5.0, jitter: 0.0, lasts: 1.5, depth: 0.5 };
        let factors = dips.factors(chance, n);
        (noisy(chance, &factors), BASE * dips.level())
    }),
    adversarial("sine 5 s", "±30 %", 0, |_, chance, n| wave(chance, n, 5.0, 0.3)),
    adversarial("sine 6.7 s", "±30 %", 0, |_, chance, n| wave(chance, n, 6.7, 0.3)),
    // Short slices lie within these as a whole.
    adversarial("nothing for 5 s in 45 s", "longer than a short slice", 0, |_, chance, n| {
        slowed(chance, n, 45.0, 5.0, 1.0)
    }),
    adversarial("nothing for 10 s in 100 s", "longer than a short slice", 0, |_, chance, n| {
        slowed(chance, n, 100.0, 10.0, 1.0)
    }),
    adversarial("-80 % for 8 s in 60 s", "deeper than the allowance", 0, |_, chance, n| {
        slowed(chance, n, 60.0, 8.0, 0.8)
    }),
    adversarial("-95 % for 15 s in 120 s", "deeper than the allowance", 0, |_, chance, n| {
        slowed(chance, n, 120.0, 15.0, 0.95)
    }),
];

fn slowed(chance: &mut StdRng, n: usize, period: f64, lasts: f64, depth: f64) -> (Vec<f64>, f64) {
    let dips = DipNoise { period, jitter: 0.10, lasts, depth };
    let factors = dips.factors(chance, n);
    (noisy(chance, &factors), BASE * dips.level())
}

fn pauses(given: &mut StdRng, chance: &mut StdRng, n: usize, every: f64) -> (Vec<f64>, f64) {
    let dips = DipNoise { period: every, jitter: 0.25, lasts: uniform(given, 1.0, 3.0), depth: 1.0 };
    let factors = dips.factors(chance, n);
    (noisy(chance, &factors), BASE * dips.level())
}

fn wave(chance: &mut StdRng, n: usize, period: f64, by: f64) -> (Vec<f64>, f64) {
    let phase = uniform(chance, 0.0, std::f64::consts::TAU);
    (shaped(chance, n, 0.5, 0.03, |t| 1.0 + by * (std::f64::consts::TAU * t / period + phase).sin()), BASE)
}

fn square(chance: &mut StdRng, n: usize, period: f64, by: f64) -> (Vec<f64>, f64) {
    let phase = uniform(chance, 0.0, period);
    (shaped(chance, n, 0.5, 0.03, |t| if (t + phase) % period < period / 2.0 { 1.0 + by } else { 1.0 - by }), BASE)
}

/// From each level to one of the other two.
fn three_levels(chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    const LEVELS: [f64; 3] = [0.75, 1.0, 1.1];
    let flip = 1.0 - (-DT / 15.0).exp();
    let mut now = chance.random_range(0..3);
    let mut level = || {
        if chance.random::<f64>() < flip {
            now = (now + chance.random_range(1..3)) % 3;
        }
        BASE * LEVELS[now] * (1.0 + 0.03 * normal(chance))
    };
    ((0..n).map(|_| level()).collect(), BASE * LEVELS.iter().sum::<f64>() / 3.0)
}

fn of_all_lengths(chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    const EVERY: f64 = 45.0;
    const SHAPE: f64 = 1.5;
    const LONGEST: f64 = 30.0;
    let mut factors = vec![1.0; n];
    let rest = |chance: &mut StdRng| -EVERY * (1.0 - chance.random::<f64>()).ln();
    let mut at = rest(chance);
    while at < n as f64 * DT {
        let lasts = (1.0 - chance.random::<f64>()).powf(-1.0 / SHAPE).min(LONGEST);
        take(&mut factors, at, lasts, 0.5);
        at += lasts + rest(chance);
    }
    // The mean of a Pareto distribution from 1 s on that is cut off.
    let mean = SHAPE / (SHAPE - 1.0) - LONGEST.powf(1.0 - SHAPE) / (SHAPE - 1.0);
    (noisy(chance, &factors), BASE * (1.0 - 0.5 * mean / (EVERY + mean)))
}

pub fn noisy(chance: &mut StdRng, factors: &[f64]) -> Vec<f64> {
    factors.iter().map(|factor| BASE * factor.max(0.0) * (1.0 + 0.03 * normal(chance))).collect()
}
