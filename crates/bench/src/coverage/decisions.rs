//! What is decided from figures, tried on figures of which it is known what is true: who is slow, when a level changed, where a
//! curve bends, whether two programs agree.

use crate::coverage::noise::{autoregressive, normal};
use judge::{CurvePoint, agreement, agreement_known, knee, levels, slow_ones};
use model::{Agrees, Estimate, Pair, Turn};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// How much of a hundred, over `times` tries with seeds of their own.
fn share(times: u64, hit: impl Fn(&mut StdRng) -> bool) -> f64 {
    let hits = (0..times).filter(|seed| hit(&mut StdRng::seed_from_u64(*seed))).count();
    100.0 * hits as f64 / times.max(1) as f64
}

/// Standard error of a figure among its peers.
const ERROR: f64 = 0.012;

/// False alarms in healthy clusters, and single devices that are slower and found, by number of devices and their spread.
pub fn peers(times: u64) -> String {
    let mut text = String::from(
        "The slow one: alarms in healthy clusters % / found at -20 % / found at -30 %, by number and spread of the devices\n",
    );
    for spread in [0.02, 0.06] {
        for count in [3, 6, 12, 60, 1000] {
            // A thousand devices are a thousand medians of a thousand.
            let times = if count == 1000 { times / 20 } else { times };
            let slow = |by: f64| {
                move |chance: &mut StdRng| {
                    let width = f64::hypot(spread, ERROR);
                    let mut speeds: Vec<f64> = (0..count).map(|_| width * normal(chance)).collect();
                    speeds[0] += by.ln();
                    slow_ones(&speeds, &vec![ERROR; count])
                }
            };
            let found = |by: f64| share(times, |chance| slow(by)(chance).iter().any(|(index, _)| *index == 0));
            let alarms = share(times, |chance| !slow(1.0)(chance).is_empty());
            let line = format!("{count:>5} devices, {:.0} %", 100.0 * spread);
            text += &format!("{line:<24}{alarms:>6.1} /{:>6.1} /{:>6.1}\n", found(0.8), found(0.7));
        }
    }
    text
}

/// Runs of a history, and where a tenth is lost.
const RUNS: usize = 60;
const CHANGE: usize = 40;

/// Unchanged histories in which a change is seen, and changes that are found where they are.
pub fn histories(times: u64) -> String {
    let mut text = format!(
        "History of {RUNS} runs: unchanged and said to have changed % / -10 % found within a run of where it was\n"
    );
    for (name, sd, phi) in
        [("2 %", 0.02, 0.0), ("5 %", 0.05, 0.0), ("3 %, correlated by .5", 0.03, 0.5), ("2 %, heavy tails", 0.02, -1.0)]
    {
        let values = |chance: &mut StdRng, by: f64| {
            let logs = if phi < 0.0 { heavy(chance, sd) } else { autoregressive(chance, RUNS, phi, sd) };
            let level = |at: usize| if at >= CHANGE { by } else { 1.0 };
            logs.iter().enumerate().map(|(at, log)| log.exp() * level(at)).collect::<Vec<f64>>()
        };
        let alarms = share(times, |chance| levels(&values(chance, 1.0)).len() > 1);
        let found = share(times, |chance| {
            levels(&values(chance, 0.9)).iter().skip(1).any(|level| level.begins.abs_diff(CHANGE) <= 1)
        });
        text += &format!("{name:<24}{alarms:>6.1} /{found:>6.1}\n");
    }
    text
}

/// Student's t with three degrees of freedom, scaled to a standard deviation of `sd`.
fn heavy(chance: &mut StdRng, sd: f64) -> Vec<f64> {
    let one = |chance: &mut StdRng| {
        let squares: f64 = (0..3).map(|_| normal(chance).powi(2)).sum();
        sd / 3f64.sqrt() * normal(chance) / (squares / 3.0).sqrt()
    };
    (0..RUNS).map(|_| one(chance)).collect()
}

/// Curves with noise: how often the two depths hold the true knee.
pub fn curves(times: u64) -> String {
    const NOISE: f64 = 0.015;
    const ENOUGH: f64 = 0.95;
    let disk = |depth: f64| depth.min(16.0) * 1000.0;
    let stations = |depth: f64| 1000.0 * depth / (depth + 3.0);
    let crosstalk = |depth: f64| 1000.0 * depth / (1.0 + 0.05 * (depth - 1.0) + 0.0004 * depth * (depth - 1.0));
    let mut text = String::from("The knee: its two depths hold the true one % (noise of 1.5 %)\n");
    let laws: [(&str, &dyn Fn(f64) -> f64); 3] =
        [("16 channels", &disk), ("four equal stations", &stations), ("crosstalk", &crosstalk)];
    for (name, law) in laws {
        let depths: Vec<u32> = (0..9).map(|power| 1 << power).collect();
        let most = depths.iter().map(|depth| law(f64::from(*depth))).fold(0.0, f64::max);
        let truth = depths.iter().find(|depth| law(f64::from(**depth)) >= ENOUGH * most).copied().unwrap_or(0);
        let held = share(times, |chance| {
            let point = |depth: &u32| {
                let value = law(f64::from(*depth)) * (NOISE * normal(chance)).exp();
                let throughput = Estimate::new(value, 1.96 * NOISE * value);
                CurvePoint { depth: *depth, throughput, latency: f64::from(*depth) / value }
            };
            let points: Vec<CurvePoint> = depths.iter().map(point).collect();
            knee(&points).is_some_and(|bend| (bend.knee.from..=bend.knee.to).contains(&truth))
        });
        text += &format!("{name:<24}{held:>6.1}\n");
    }
    text
}

/// Pairs of loads, looked at as they come in: wrong answers, right ones, and pairs that it took.
pub fn contests(times: u64) -> String {
    const PAIRS: usize = 100;
    let mut text = format!(
        "Agreement within 3 %, at most {PAIRS} pairs: said to agree % / to differ % / open %, by the true ratio and the noise of a pair\n"
    );
    for truth in [1.0, 1.02, 1.05] {
        for noise in [0.01, 0.05, 0.10] {
            let mut counts = [0u64; 3];
            for seed in 0..times {
                let finds = contest(truth, noise, PAIRS, &mut StdRng::seed_from_u64(seed));
                counts[match finds {
                    Agrees::Agrees => 0,
                    Agrees::Differs => 1,
                    Agrees::Open => 2,
                }] += 1;
            }
            let [agree, differ, open] = counts.map(|count| 100.0 * count as f64 / times.max(1) as f64);
            let line = format!("{truth:.2}, {:.0} %", 100.0 * noise);
            text += &format!("{line:<24}{agree:>6.1} /{differ:>6.1} /{open:>6.1}\n");
        }
    }
    text
}

fn contest(truth: f64, noise: f64, most: usize, chance: &mut StdRng) -> Agrees {
    let turn = |iops: f64| Turn { iops, mean_ms: 1.0 / iops, p99_ms: None };
    let mut pairs: Vec<Pair> = Vec::new();
    while pairs.len() < most && !agreement_known(&pairs, 0.03, 1) {
        let ours_first = pairs.len().is_multiple_of(2);
        pairs.push(Pair { ours: turn(truth * (noise * normal(chance)).exp()), theirs: turn(1.0), ours_first });
    }
    agreement(&pairs, 0.03, 1).finds
}
