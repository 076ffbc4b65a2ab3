//! Shapes in a series that a mean hides: dips, two levels, a fall that stays, a trend.

use crate::series::{mad, mean, median};

/// Fewer operations a window than this are too grainy to tell a dip or a level from chance.
pub const OPERATIONS_A_WINDOW: f64 = 10.0;

/// What dips took away.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dips {
    pub count: usize,
    /// Sum over windows of what lay below the level, in the unit of the series.
    pub lost: f64,
}

/// Runs of at least two windows whose smoothed rate lies a quarter, and six robust deviations, below the level; gaps
/// shorter than half a second join them.
pub fn dips(rates: &[f64], windows_per_second: usize) -> Dips {
    let (level, runs) = (median(rates), dip_runs(rates, windows_per_second));
    let lost = runs.iter().flat_map(|(start, end)| &rates[*start..*end]).map(|rate| level - rate).sum();
    Dips { count: runs.len(), lost }
}

/// Where they begin, and the first window after each.
pub fn dip_runs(rates: &[f64], windows_per_second: usize) -> Vec<(usize, usize)> {
    if rates.len() < 20 {
        return Vec::new();
    }
    let level = median(rates);
    let bottom = level - (0.25 * level).max(6.0 * mad(rates) / 3f64.sqrt());
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for index in (0..rates.len()).filter(|index| smoothed(rates, *index) < bottom) {
        match runs.last_mut() {
            Some((_, end)) if index - *end < windows_per_second.div_ceil(2).max(1) || index == *end => *end = index + 1,
            _ => runs.push((index, index + 1)),
        }
    }
    runs.retain(|(start, end)| end - start >= 2);
    runs
}

/// Mean of a window and its two neighbours; beyond the ends there is nothing, so the ends stand for themselves.
fn smoothed(rates: &[f64], index: usize) -> f64 {
    mean(&rates[index.saturating_sub(1)..(index + 2).min(rates.len())])
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoLevels {
    pub low: f64,
    pub high: f64,
    /// Share of the windows at the lower level.
    pub share_low: f64,
    /// Windows below it are at the lower level.
    pub border: f64,
}

/// Two clusters that a normal or an evenly spread distribution never shows, visited more than once each. `parts`: the
/// slices; time passes between them.
pub fn two_levels(parts: &[Vec<f64>]) -> Option<TwoLevels> {
    let all: Vec<f64> = parts.concat();
    let border = best_border(&all)?;
    let (low, high): (Vec<f64>, Vec<f64>) = all.iter().partition(|rate| **rate < border);
    let found =
        TwoLevels { low: mean(&low), high: mean(&high), share_low: low.len() as f64 / all.len() as f64, border };
    let spread = (variance(&low) + variance(&high)).sqrt();
    // Ashman's D; splitting a normal distribution gives 2.7, an even one 3.5.
    let apart = 2f64.sqrt() * (found.high - found.low) >= 4.0 * spread;
    let matters = found.high - found.low >= 0.1 * mean(&all);
    let both = (0.1..=0.9).contains(&found.share_low);
    (apart && matters && both && changes(&all, border) >= 2).then_some(found)
}

/// The border between two groups that leaves the least variance inside them.
fn best_border(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (n, total) = (sorted.len() as f64, sorted.iter().sum::<f64>());
    let (mut sum, mut best) = (0.0, (0.0, None));
    for (index, pair) in sorted.windows(2).enumerate() {
        sum += pair[0];
        let (left, right) = ((index + 1) as f64, n - (index + 1) as f64);
        let between = left * right * (sum / left - (total - sum) / right).powi(2);
        if between > best.0 {
            best = (between, Some((pair[0] + pair[1]) / 2.0));
        }
    }
    best.1
}

fn variance(values: &[f64]) -> f64 {
    crate::series::sample_sd(values).powi(2)
}

/// How often the smoothed series crosses the border.
fn changes(rates: &[f64], border: f64) -> usize {
    let sides: Vec<bool> = (0..rates.len()).map(|index| smoothed(rates, index) < border).collect();
    sides.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Chance, autoregressive, independent, recorded};

    /// `low` for `dwell` windows in every `period`, else `high`, with noise.
    fn alternating(low: f64, high: f64, dwell: usize, period: usize) -> Vec<f64> {
        let mut chance = Chance(4);
        (0..240).map(|i| if i % period < dwell { low } else { high } + 15.0 * chance.normal()).collect()
    }

    #[test]
    fn two_levels_are_seen_with_their_share() {
        let found = two_levels(&[alternating(200.0, 430.0, 20, 80), alternating(200.0, 430.0, 20, 80)]).unwrap();
        assert!((found.low / 200.0 - 1.0).abs() < 0.02 && (found.high / 430.0 - 1.0).abs() < 0.02, "{found:?}");
        assert!((found.share_low - 0.25).abs() < 0.01);
    }

    #[test]
    fn one_level_is_not_two() {
        let drift: Vec<f64> = (0..240).map(|i| 1000.0 + f64::from(i) * 4.0).collect();
        let fallen = alternating(200.0, 430.0, 120, 240);
        for series in [independent(1, 240, 1000.0, 200.0), autoregressive(2, 240, 1000.0, 200.0, 0.9), drift, fallen] {
            assert_eq!(two_levels(&[series]), None);
        }
        assert_eq!(two_levels(&[recorded("sr1m_q4")]), None);
    }

    #[test]
    fn dips_are_counted_once_and_weighed() {
        let found = dips(&alternating(300.0, 1000.0, 10, 80), 10);
        assert_eq!(found.count, 3);
        assert!((found.lost / (3.0 * 10.0 * 700.0) - 1.0).abs() < 0.05, "{found:?}");
        assert_eq!(dips(&independent(9, 240, 1000.0, 100.0), 10).count, 0);
    }
}
