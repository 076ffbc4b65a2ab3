//! Kinds of series that nothing was chosen by: they were made when the procedure was settled, and stay as they are.

use crate::coverage::kinds::{BASE, Kind, adversarial, shaped};
use crate::coverage::noise::{DT, autoregressive, normal, take, uniform};
use crate::coverage::rare::noisy;
use rand::RngExt;
use rand::rngs::StdRng;

pub const HELD_OUT: [Kind; 9] = [
    adversarial("sawtooth of 45 s", "falls by 25 %, and jumps back", 0, |_, chance, n| sawtooth(chance, n, 45.0, 0.25)),
    adversarial("-35 % for 20 s in 150 s", "at random", 0, |_, chance, n| {
        at_random(chance, n, 130.0, 0.65, |chance| 20.0 * (0.8 + 0.4 * chance.random::<f64>()))
    }),
    adversarial("-90 % for 1 s in 30 s", "at random", 0, |_, chance, n| at_random(chance, n, 29.0, 0.1, |_| 1.0)),
    adversarial("one pause of 5 s in 300 s", "at random", 0, |_, chance, n| at_random(chance, n, 295.0, 0.0, |_| 5.0)),
    adversarial("+60 % for 10 s in 60 s", "faster now and then", 0, |_, chance, n| {
        at_random(chance, n, 50.0, 1.6, |_| 10.0)
    }),
    adversarial("pauses in threes", "0.5 s each, 2 s apart, once in 60 s", 0, |_, chance, n| threes(chance, n)),
    adversarial("a level for 8 s", "drawn anew, sd 10 %", 0, |_, chance, n| levels(chance, n, 8.0, 0.10)),
    adversarial("AR .999", "sd 5 %, correlated over 100 s", 0, |_, chance, n| {
        let slow = autoregressive(chance, n, 0.999, 0.05);
        (slow.iter().map(|level| BASE * (1.0 + level + 0.03 * normal(chance))).collect(), BASE)
    }),
    adversarial("a neighbour", "-15 % for 40-120 s, and as long not", 0, |_, chance, n| neighbour(chance, n)),
];

fn sawtooth(chance: &mut StdRng, n: usize, period: f64, by: f64) -> (Vec<f64>, f64) {
    let phase = uniform(chance, 0.0, period);
    let series = shaped(chance, n, 0.5, 0.03, |t| 1.0 - by * ((t + phase) % period) / period);
    (series, BASE * (1.0 - by / 2.0))
}

/// From the end of one to the next `rest` seconds on average, however long ago the last was; meanwhile `level`.
fn at_random(
    chance: &mut StdRng,
    n: usize,
    rest: f64,
    level: f64,
    lasts: impl Fn(&mut StdRng) -> f64,
) -> (Vec<f64>, f64) {
    let mut factors = vec![1.0; n];
    let wait = |chance: &mut StdRng| -rest * (1.0 - chance.random::<f64>()).ln();
    let (mut at, mut all, mut count) = (wait(chance), 0.0, 0.0);
    while at < n as f64 * DT {
        let long = lasts(chance);
        take(&mut factors, at, long, 1.0 - level);
        at += long + wait(chance);
        (all, count) = (all + long, count + 1.0);
    }
    let mean = if count > 0.0 { all / count } else { lasts(chance) };
    (noisy(chance, &factors), BASE * (1.0 - (1.0 - level) * mean / (rest + mean)))
}

fn threes(chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    const EVERY: f64 = 60.0;
    let mut factors = vec![1.0; n];
    let mut at = uniform(chance, 0.0, EVERY);
    while at < n as f64 * DT {
        (0..3).for_each(|nth| take(&mut factors, at + 2.0 * f64::from(nth), 0.5, 1.0));
        at += EVERY * uniform(chance, 0.7, 1.3);
    }
    (noisy(chance, &factors), BASE * (1.0 - 1.5 / EVERY))
}

fn levels(chance: &mut StdRng, n: usize, dwell: f64, sd: f64) -> (Vec<f64>, f64) {
    let flip = 1.0 - (-DT / dwell).exp();
    let mut now = 1.0 + sd * normal(chance);
    let mut level = || {
        if chance.random::<f64>() < flip {
            now = 1.0 + sd * normal(chance);
        }
        now
    };
    let factors: Vec<f64> = (0..n).map(|_| level()).collect();
    (noisy(chance, &factors), BASE)
}

fn neighbour(chance: &mut StdRng, n: usize) -> (Vec<f64>, f64) {
    let mut factors = vec![1.0; n];
    let mut at = uniform(chance, -80.0, 80.0);
    while at < n as f64 * DT {
        let lasts = uniform(chance, 40.0, 120.0);
        if at + lasts > 0.0 {
            take(&mut factors, at.max(0.0), lasts.min(at + lasts), 0.15);
        }
        at += lasts + uniform(chance, 40.0, 120.0);
    }
    (noisy(chance, &factors), BASE * (1.0 - 0.15 / 2.0))
}
