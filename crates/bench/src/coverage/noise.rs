//! The parts that series are made of: autocorrelated noise, dips, modes.

use rand::RngExt;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal};

/// Length of a window, s.
pub const DT: f64 = 0.1;

pub fn normal(chance: &mut StdRng) -> f64 {
    StandardNormal.sample(chance)
}

pub fn uniform(chance: &mut StdRng, low: f64, high: f64) -> f64 {
    low + (high - low) * chance.random::<f64>()
}

/// First-order autoregressive with standard deviation `sd`, stationary from its first value.
pub fn autoregressive(chance: &mut StdRng, n: usize, phi: f64, sd: f64) -> Vec<f64> {
    let mut state = normal(chance);
    (0..n)
        .map(|_| {
            let value = sd * state;
            state = phi * state + (1.0 - phi * phi).sqrt() * normal(chance);
            value
        })
        .collect()
}

/// A share of the time is lost now and then.
#[derive(Clone, Copy, Debug)]
pub struct DipNoise {
    /// Seconds from one to the next, and how much that varies (a standard deviation, as a share).
    pub period: f64,
    pub jitter: f64,
    /// Seconds that one lasts, ±20 %.
    pub lasts: f64,
    /// What it takes away.
    pub depth: f64,
}

impl DipNoise {
    /// The mean level that they leave.
    pub fn level(&self) -> f64 {
        1.0 - self.lasts * self.depth / self.period
    }

    /// 1 outside, 1 − depth inside; windows that are partly inside lie between.
    pub fn factors(&self, chance: &mut StdRng, n: usize) -> Vec<f64> {
        let mut factors = vec![1.0; n];
        let mut begins = uniform(chance, 0.0, self.period);
        while begins < n as f64 * DT {
            take(&mut factors, begins, self.lasts * uniform(chance, 0.8, 1.2), self.depth);
            begins += self.period * (1.0 + self.jitter * normal(chance));
        }
        factors
    }
}

/// Takes `depth` away from `begins` on for `lasts` seconds.
pub fn take(factors: &mut [f64], begins: f64, lasts: f64, depth: f64) {
    let (from, to) = (begins / DT, ((begins + lasts) / DT).min(factors.len() as f64));
    for at in from.max(0.0) as usize..(to.ceil().max(0.0) as usize).min(factors.len()) {
        factors[at] -= depth * (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0);
    }
}

/// Two levels, with an exponential dwell in each.
pub fn modes(chance: &mut StdRng, n: usize, dwell: f64, low: f64, high: f64) -> Vec<f64> {
    let flip = 1.0 - (-DT / dwell).exp();
    let mut up = chance.random::<bool>();
    (0..n)
        .map(|_| {
            up ^= chance.random::<f64>() < flip;
            if up { high } else { low }
        })
        .collect()
}
