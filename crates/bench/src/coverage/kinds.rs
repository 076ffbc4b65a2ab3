//! The kinds of series: how operations per window of 100 ms behave, and the mean that they have in the long run.

use crate::coverage::noise::{DT, DipNoise, autoregressive, modes, normal, take, uniform};
use rand::RngExt;
use rand::rngs::StdRng;
use rand_distr::{Distribution, Poisson};

/// Operations in a window of most kinds: 10,000 a second.
pub const BASE: f64 = 1000.0;

/// A series from its parameters' and its noise's chances; and its mean in the long run.
type Make = fn(&mut StdRng, &mut StdRng, usize) -> (Vec<f64>, f64);

pub struct Kind {
    pub name: &'static str,
    pub what: &'static str,
    /// What is to come can be seen in what has been seen.
    pub plain: bool,
    /// Its warm-up comes back whenever the load begins anew.
    pub fresh: bool,
    /// Caches that fill and compactions come with writes, which get longer slices for that.
    pub of_writes: bool,
    /// Windows at the front of a series that do not belong to the long run.
    pub early: usize,
    /// It has no long run: what is true is its mean over the stretch that its slices span.
    pub ends: bool,
    pub make: Make,
}

const fn plain(name: &'static str, what: &'static str, make: Make) -> Kind {
    Kind { name, what, plain: true, fresh: false, of_writes: false, early: 0, ends: false, make }
}

const fn fresh(name: &'static str, what: &'static str, make: Make) -> Kind {
    Kind { name, what, plain: true, fresh: true, of_writes: false, early: 300, ends: false, make }
}

pub(crate) const fn adversarial(name: &'static str, what: &'static str, early: usize, make: Make) -> Kind {
    Kind { name, what, plain: false, fresh: false, of_writes: false, early, ends: false, make }
}

pub(crate) const fn without_long_run(kind: Kind) -> Kind {
    Kind { ends: true, ..kind }
}

const fn of_writes(kind: Kind) -> Kind {
    Kind { of_writes: true, ..kind }
}

pub const KINDS: [Kind; 21] = [
    plain("iid 3 %", "independent windows", |_, chance, n| independent(chance, n, 0.03)),
    plain("iid 15 %", "independent windows", |_, chance, n| independent(chance, n, 0.15)),
    plain("iid 20 %", "independent windows", |_, chance, n| independent(chance, n, 0.20)),
    plain("few operations", "Poisson, 50 a second", |_, chance, n| few(chance, n)),
    plain("AR .5", "each window resembles the last", |_, chance, n| correlated(chance, n, 0.5, 0.10)),
    plain("AR .9", "for a second", |_, chance, n| correlated(chance, n, 0.9, 0.08)),
    plain("AR .99", "for ten seconds", |_, chance, n| correlated(chance, n, 0.99, 0.04)),
    fresh("ramp", "starts at 10-60 %, time constant 0.5-3 s", ramp),
    fresh("overshoot", "starts at 130-250 %, time constant 0.5-3 s", overshoot),
    of_writes(fresh("early cliff", "2 to 4 times as fast for 2-8 s", early_cliff)),
    plain("bimodal 0.4 s", "two levels, ±20 %", |_, chance, n| bimodal(chance, n, 0.4, 0.8, 1.2)),
    plain("bimodal 2 s", "two levels, ±20 %", |_, chance, n| bimodal(chance, n, 2.0, 0.8, 1.2)),
    plain("dips 1-3 s", "0.2-0.4 s long, -40..-70 %", dips_fast),
    plain("dips 10-30 s", "1-2.5 s long, -30..-60 %", |given, chance, n| dips(given, chance, n, 10.0, 30.0)),
    plain("stalls", "0.4 a second, Pareto 1.5 from 20 ms to 2 s", |_, chance, n| stalls(chance, n)),
    plain("ceph mix", "ramp, AR .7, dips every 3-7 s", ceph_mix),
    of_writes(adversarial("late cliff", "2 to 4 times as fast for 15-50 s", 600, late_cliff)),
    adversarial("wandering", "sd 4 %, correlated over 60 s", 0, |_, chance, n| wandering(chance, n)),
    without_long_run(adversarial("drift", "falls 20 % in 120 s", 0, |_, chance, n| drift(chance, n))),
    adversarial("dips 30-60 s", "1-2.5 s long, -30..-60 %", 0, |given, chance, n| dips(given, chance, n, 30.0, 60.0)),
    adversarial("bimodal 20 s", "two levels, ±10 %", 0, |_, chance, n| bimodal(chance, n, 20.0, 0.9, 1.1)),
];

fn independent(chance: &mut StdRng, n: usize, sd: f64) -> (Vec<f64>, f64) {
    ((0..n).map(|_| BASE * (1.0 + sd * normal(chance))).collect(), BASE)
}

fn few(chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    let mean = 5.0;
    (Poisson::new(mean).map_or(vec![mean; n], |poisson| (0..n).map(|_| poisson.sample(chance)).collect()), mean)
}

fn correlated(chance: &mut StdRng, n: usize, phi: f64, sd: f64) -> (Vec<f64>, f64) {
    (shaped(chance, n, phi, sd, |_| 1.0), BASE)
}

/// `level` of a window by the second at which it begins, with noise.
pub(crate) fn shaped(chance: &mut StdRng, n: usize, phi: f64, sd: f64, level: impl Fn(f64) -> f64) -> Vec<f64> {
    let noise = autoregressive(chance, n, phi, sd);
    noise.iter().enumerate().map(|(at, noise)| BASE * level(at as f64 * DT) * (1.0 + noise)).collect()
}

fn ramp(given: &mut StdRng, chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    let (tau, low) = (uniform(given, 0.5, 3.0), uniform(given, 0.1, 0.6));
    (shaped(chance, n, 0.5, 0.08, |t| 1.0 - (1.0 - low) * (-t / tau).exp()), BASE)
}

fn overshoot(given: &mut StdRng, chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    let (tau, high) = (uniform(given, 0.5, 3.0), uniform(given, 0.3, 1.5));
    (shaped(chance, n, 0.5, 0.08, |t| 1.0 + high * (-t / tau).exp()), BASE)
}

fn early_cliff(given: &mut StdRng, chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    cliff(given, chance, n, 2.0, 8.0)
}

fn late_cliff(given: &mut StdRng, chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    cliff(given, chance, n, 15.0, 50.0)
}

fn cliff(given: &mut StdRng, chance: &mut StdRng, n: usize, soon: f64, late: f64) -> (Vec<f64>, f64) {
    let (falls, times) = (uniform(given, soon, late), uniform(given, 2.0, 4.0));
    (shaped(chance, n, 0.5, 0.08, |t| if t < falls { times } else { 1.0 }), BASE)
}

pub(crate) fn bimodal(chance: &mut StdRng, n: usize, dwell: f64, low: f64, high: f64) -> (Vec<f64>, f64) {
    let levels = modes(chance, n, dwell, low, high);
    (levels.iter().map(|level| BASE * level * (1.0 + 0.03 * normal(chance))).collect(), BASE * (low + high) / 2.0)
}

fn dips_fast(given: &mut StdRng, chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    let (period, lasts, depth) = (uniform(given, 1.0, 3.0), uniform(given, 0.2, 0.4), uniform(given, 0.4, 0.7));
    dipped(chance, n, DipNoise { period, jitter: 0.15, lasts, depth })
}

fn dips(given: &mut StdRng, chance: &mut StdRng, n: usize, often: f64, seldom: f64) -> (Vec<f64>, f64) {
    let (period, lasts, depth) = (uniform(given, often, seldom), uniform(given, 1.0, 2.5), uniform(given, 0.3, 0.6));
    dipped(chance, n, DipNoise { period, jitter: 0.10, lasts, depth })
}

fn dipped(chance: &mut StdRng, n: usize, dips: DipNoise) -> (Vec<f64>, f64) {
    let factors = dips.factors(chance, n);
    (shaped(chance, n, 0.3, 0.05, |t| factors[((t / DT).round() as usize).min(n - 1)]), BASE * dips.level())
}

fn stalls(chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    const EVERY: f64 = 1.0 / 0.4;
    const SHAPE: f64 = 1.5;
    const SHORTEST: f64 = 0.02;
    const LONGEST: f64 = 2.0;
    let mut factors = vec![1.0; n];
    let mut at = -EVERY * (1.0 - chance.random::<f64>()).ln();
    while at < n as f64 * DT {
        let lasts = (SHORTEST * (1.0 - chance.random::<f64>()).powf(-1.0 / SHAPE)).min(LONGEST);
        take(&mut factors, at, lasts, 1.0);
        at += lasts - EVERY * (1.0 - chance.random::<f64>()).ln();
    }
    // The mean of a Pareto distribution that is cut off.
    let mean = SHAPE * SHORTEST / (SHAPE - 1.0) - SHORTEST.powf(SHAPE) * LONGEST.powf(1.0 - SHAPE) / (SHAPE - 1.0);
    let series = factors.iter().map(|factor| BASE * factor.clamp(0.0, 1.0) * (1.0 + 0.05 * normal(chance))).collect();
    (series, BASE * EVERY / (EVERY + mean))
}

fn ceph_mix(given: &mut StdRng, chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    let tau = uniform(given, 0.3, 1.5);
    let (period, lasts, depth) = (uniform(given, 3.0, 7.0), uniform(given, 0.3, 0.8), uniform(given, 0.3, 0.6));
    let dips = DipNoise { period, jitter: 0.25, lasts, depth };
    let factors = dips.factors(chance, n);
    let level = |t: f64| factors[((t / DT).round() as usize).min(n - 1)] * (1.0 - 0.6 * (-t / tau).exp());
    (shaped(chance, n, 0.7, 0.06, level), BASE * dips.level())
}

fn wandering(chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    let slow = autoregressive(chance, n, (-DT / 60.0).exp(), 0.04);
    (slow.iter().map(|level| BASE * (1.0 + level + 0.05 * normal(chance))).collect(), BASE)
}

fn drift(chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    (shaped(chance, n, 0.5, 0.05, |t| 1.0 + 0.2 * (1.0 - t / 120.0).max(0.0)), BASE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// The stated truth is that of the series itself, over an hour and a half of it.
    #[test]
    fn the_stated_truth_is_the_long_mean() {
        for kind in KINDS
            .iter()
            .chain(&crate::coverage::rare::RARE)
            .chain(&crate::coverage::held_out::HELD_OUT)
            .filter(|kind| !kind.ends)
        {
            let means: Vec<f64> = (0..8)
                .map(|seed| {
                    let (mut given, mut chance) = (StdRng::seed_from_u64(seed), StdRng::seed_from_u64(seed + 1000));
                    let (series, truth) = (kind.make)(&mut given, &mut chance, 60_000);
                    let late = &series[kind.early.max(600)..];
                    late.iter().map(|rate| rate.max(0.0)).sum::<f64>() / late.len() as f64 / truth - 1.0
                })
                .collect();
            let off = means.iter().sum::<f64>() / means.len() as f64;
            assert!(off.abs() < 0.006, "{}: off by {:.2} %", kind.name, off * 100.0);
        }
    }
}
