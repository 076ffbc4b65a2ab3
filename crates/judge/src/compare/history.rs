//! Where a series of runs changed: exact optimal partitioning into levels, with a penalty that grows with the noise.

use crate::batch_means::t_quantile;
use crate::series::{MAD_TO_SD, mad, mean, median, sample_sd};
use model::{Estimate, Level};

/// A level needs at least this many runs.
const RUNS_LEAST: usize = 3;
/// A smaller step does not count.
const STEP_LEAST: f64 = 0.05;
/// Noise is never taken to be less than this (a standard deviation of logarithms).
const NOISE_LEAST: f64 = 1e-4;
/// How far slow noise may raise the penalty.
const CORRELATION_MOST: f64 = 0.7;

/// Indices at which a new level begins. `values`: one for each run, positive, in order of time.
///
/// Penalty (3 ln n + 3) f σ² for each change (docs/method.md, "History"); σ from differences of neighbours, which a step
/// does not hide in; f makes up for noise that is slower than one run, judged by what a coarse partition leaves.
fn changes(values: &[f64]) -> Vec<usize> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    if logs.len() < 2 * RUNS_LEAST || logs.iter().any(|log| !log.is_finite()) {
        return Vec::new();
    }
    let n = logs.len() as f64;
    let sigma = noise(&logs);
    let penalty = (3.0 * n.ln() + 3.0) * sigma * sigma;
    let mut found = partition(&logs, 2.0 * penalty);
    for _ in 0..2 {
        found = partition(&logs, penalty * slow_noise(&logs, &found, sigma));
    }
    found
}

/// A series of runs as levels: each with where it begins and its mean (geometric).
pub fn levels(values: &[f64]) -> Vec<Level> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let bounds = bounds(&changes(values), values.len());
    let level = |pair: &[usize]| Level { begins: pair[0], estimate: centre(&logs[pair[0]..pair[1]]) };
    bounds.windows(2).map(level).collect()
}

/// The mean of some logarithms as a value, with its 95 % interval by Student's t; without an end where there is but one.
fn centre(logs: &[f64]) -> Estimate {
    let count = logs.len() as f64;
    let half = if count < 2.0 { f64::INFINITY } else { t_quantile(count - 1.0) * sample_sd(logs) / count.sqrt() };
    let centre = mean(logs);
    Estimate { value: centre.exp(), low: (centre - half).exp(), high: (centre + half).exp() }
}

fn noise(logs: &[f64]) -> f64 {
    let steps: Vec<f64> = logs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    (mad(&steps) / 2f64.sqrt()).max(NOISE_LEAST)
}

fn slow_noise(logs: &[f64], found: &[usize], sigma: f64) -> f64 {
    let residuals: Vec<f64> = bounds(found, logs.len())
        .windows(2)
        .flat_map(|pair| {
            let level = &logs[pair[0]..pair[1]];
            let centre = mean(level);
            level.iter().map(move |log| log - centre).collect::<Vec<_>>()
        })
        .collect();
    let squares: f64 = residuals.iter().map(|e| e * e).sum();
    let products: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let seen = products / squares.max(1e-12);
    let r = (seen + (1.0 + 3.0 * seen.max(0.0)) / residuals.len() as f64).clamp(0.0, CORRELATION_MOST);
    let middle = median(&residuals);
    let wide = MAD_TO_SD * median(&residuals.iter().map(|e| (e - middle).abs()).collect::<Vec<_>>());
    (wide / sigma).powi(2).max(1.0) * (1.0 + r) / (1.0 - r)
}

fn bounds(found: &[usize], n: usize) -> Vec<usize> {
    std::iter::once(0).chain(found.iter().copied()).chain([n]).collect()
}

/// The partition with the least sum of squares plus `penalty` for each change, then without steps that are too small.
fn partition(logs: &[f64], penalty: f64) -> Vec<usize> {
    let n = logs.len();
    let sums = |of: &dyn Fn(f64) -> f64| {
        let mut sums = vec![0.0];
        logs.iter().for_each(|log| sums.push(sums[sums.len() - 1] + of(*log)));
        sums
    };
    let (first, second) = (sums(&|x| x), sums(&|x| x * x));
    let cost =
        |from: usize, to: usize| second[to] - second[from] - (first[to] - first[from]).powi(2) / (to - from) as f64;
    let (mut best, mut previous) = (vec![f64::INFINITY; n + 1], vec![0; n + 1]);
    best[0] = -penalty;
    for end in RUNS_LEAST..=n {
        for begin in 0..=end - RUNS_LEAST {
            let total = best[begin] + cost(begin, end) + penalty;
            if total < best[end] {
                (best[end], previous[end]) = (total, begin);
            }
        }
    }
    let mut found = Vec::new();
    let mut end = previous[n];
    while end > 0 {
        found.push(end);
        end = previous[end];
    }
    found.reverse();
    without_small_steps(logs, found)
}

/// The smallest step goes first, since what it joins may make the next one small.
fn without_small_steps(logs: &[f64], mut found: Vec<usize>) -> Vec<usize> {
    while !found.is_empty() {
        let levels: Vec<f64> =
            bounds(&found, logs.len()).windows(2).map(|pair| mean(&logs[pair[0]..pair[1]])).collect();
        let steps: Vec<f64> = levels.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        let smallest = (0..steps.len()).min_by(|a, b| steps[*a].total_cmp(&steps[*b])).unwrap_or(0);
        if steps[smallest] >= STEP_LEAST.ln_1p() {
            break;
        }
        found.remove(smallest);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{autoregressive, independent};

    fn runs(seed: u64, sd: f64, phi: Option<f64>) -> Vec<f64> {
        let logs = match phi {
            None => independent(seed, 60, 0.0, sd),
            Some(phi) => autoregressive(seed, 60, 0.0, sd, phi),
        };
        logs.iter().map(|log| 1000.0 * log.exp()).collect()
    }

    #[test]
    fn unchanged_histories_have_no_change() {
        for (sd, phi, most) in [(0.02, None, 1), (0.05, None, 2), (0.03, Some(0.5), 6)] {
            let alarms = (0..100).filter(|seed| !changes(&runs(*seed, sd, phi)).is_empty()).count();
            assert!(alarms <= most, "sd {sd}, correlation {phi:?}: {alarms} of 100");
        }
    }

    #[test]
    fn a_tenth_less_is_found_where_it_began() {
        let found = |seed| {
            let mut values = runs(seed, 0.02, None);
            values[40..].iter_mut().for_each(|value| *value *= 0.9);
            changes(&values).iter().any(|at| at.abs_diff(40) <= 1)
        };
        let count = (0..100).filter(|seed| found(*seed)).count();
        assert!(count >= 97, "{count} of 100");
    }

    #[test]
    fn levels_are_told_with_their_means() {
        let values: Vec<f64> = (0..20).map(|at| if at < 8 { 100.0 } else { 80.0 } + f64::from(at % 2)).collect();
        let levels = levels(&values);
        assert_eq!(levels.iter().map(|level| level.begins).collect::<Vec<_>>(), [0, 8]);
        let Estimate { value, low, high } = levels[1].estimate;
        assert!((value - 80.5).abs() < 0.1 && low > 80.0 && low < value && high > value && high < 81.0, "{levels:?}");
    }

    #[test]
    fn few_runs_say_nothing() {
        assert!(changes(&[1.0, 2.0, 3.0, 4.0, 5.0]).is_empty());
        assert!(changes(&[]).is_empty());
    }
}
