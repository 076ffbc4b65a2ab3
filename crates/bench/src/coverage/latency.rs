//! Latencies that belong to a rate, and their true percentiles in the long run.

use crate::coverage::noise::DT;
use model::Latencies;
use model::Sparse;
use rand::rngs::StdRng;
use rand_distr::{Distribution, LogNormal};
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;

/// Operations in flight: a rate of x then has a mean latency of DEPTH/x.
pub const DEPTH: u32 = 16;
/// Standard deviation of the logarithm of a latency, around what its window's rate gives.
const SIGMA: f64 = 0.5;
/// Width of the rates' classes for the truth: fine beside what the percentiles can resolve.
const CLASS: f64 = 0.002;

/// How many ns an operation takes on average in a window of `ops` operations.
fn mean_ns(ops: f64) -> f64 {
    f64::from(DEPTH) * DT * 1e9 / ops
}

/// The latencies of the `ops` operations of one window, by chance.
pub fn draw(chance: &mut StdRng, ops: u64) -> Sparse {
    let mut latencies = Latencies::default();
    if let Ok(log_normal) = LogNormal::new(mean_ns(ops.max(1) as f64).ln() - SIGMA * SIGMA / 2.0, SIGMA) {
        for _ in 0..ops {
            let ns: f64 = log_normal.sample(chance);
            latencies.record(ns as u64);
        }
    }
    latencies.sparse()
}

/// Quantile `p`, in ms, of all operations of windows with these rates.
pub fn truth(rates: &[f64], p: f64) -> f64 {
    let mut classes: BTreeMap<i64, f64> = BTreeMap::new();
    for rate in rates.iter().map(|rate| rate.round()).filter(|rate| *rate >= 1.0) {
        *classes.entry((rate.ln() / CLASS).round() as i64).or_default() += rate;
    }
    let normal = Normal::standard();
    let all: f64 = classes.values().sum();
    let below = |log_ns: f64| {
        let of = |(class, weight): (&i64, &f64)| {
            let centre = mean_ns((*class as f64 * CLASS).exp()).ln() - SIGMA * SIGMA / 2.0;
            weight * normal.cdf((log_ns - centre) / SIGMA)
        };
        classes.iter().map(of).sum::<f64>() / all
    };
    let (mut low, mut high) = (0.0f64, 40.0f64);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if below(middle) < p { low = middle } else { high = middle }
    }
    low.exp() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn the_true_percentiles_are_those_of_very_many_draws() {
        let rates: Vec<f64> = (0..2000).map(|at| if at % 4 == 0 { 250.0 } else { 1000.0 }).collect();
        let mut chance = StdRng::seed_from_u64(1);
        let parts: Vec<Sparse> = rates.iter().map(|rate| draw(&mut chance, *rate as u64)).collect();
        let all = Sparse::merged(&parts);
        for p in [0.5, 0.99, 0.999] {
            let drawn = all.quantile_ns(p).unwrap() / 1e6;
            assert!((drawn / truth(&rates, p) - 1.0).abs() < 0.01, "{p}: {drawn} ms, truth {}", truth(&rates, p));
        }
    }
}
