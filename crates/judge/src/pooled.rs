//! Slices become one value with one interval: what the inside of the slices says, and how far they lie apart.

use crate::batch_means::{half_width, t_quantile};
use crate::series::{Ratio, mean, sample_sd};

/// Spread of slice means between passes that is assumed before any is seen, and how many degrees of freedom it is worth.
pub const PRIOR_SPREAD: f64 = 0.02;
const PRIOR_FREEDOM: f64 = 2.0;
/// No interval is narrower than this share of the value.
pub const FLOOR: f64 = 0.02;
/// Half-width to standard error, for the batches' usual degrees of freedom.
pub const WIDTHS_PER_ERROR: f64 = 2.1;

#[derive(Clone, Debug)]
pub struct Pooled {
    pub value: f64,
    /// Half-width of the 95 % interval.
    pub half_width: f64,
    /// Variance of the slices' values, relative.
    pub between: f64,
    /// Variance of one slice's value as seen from inside, relative.
    pub within: f64,
    pub windows: usize,
    pub slices: Vec<f64>,
    /// What a window of each slice weighs in the value.
    pub window_weights: Vec<f64>,
}

impl Pooled {
    pub fn relative(&self) -> f64 {
        self.half_width / self.value
    }
}

/// `None`: too few windows for an interval, or nothing to divide by.
pub fn pool(ratios: &[Ratio]) -> Option<Pooled> {
    let weight: f64 = ratios.iter().map(Ratio::weight).sum();
    let value = ratios.iter().flat_map(|ratio| &ratio.over).sum::<f64>() / weight;
    if weight <= 0.0 || value <= 0.0 {
        return None;
    }
    let under: Vec<f64> = ratios.iter().flat_map(|ratio| ratio.under.iter().copied()).collect();
    let scale = mean(&under);
    let residuals: Vec<f64> = ratios.iter().flat_map(Ratio::residuals).map(|residual| residual / scale).collect();
    let inside = half_width(&residuals)?;
    let count = ratios.len() as f64;
    let slices: Vec<f64> = ratios.iter().map(|ratio| ratio.value_beside(value, scale)).collect();
    let between = sample_sd(&slices.iter().map(|slice| slice / value).collect::<Vec<_>>()).powi(2);
    let within = (inside / (WIDTHS_PER_ERROR * value)).powi(2) * count;
    let moderated = moderated_half_width(PRIOR_SPREAD.powi(2) + within, between, count);
    let half_width = (moderated * value).max(inside).max(FLOOR * value);
    let window_weights = vec![1.0; ratios.len()];
    Some(Pooled { value, half_width, between, within, windows: residuals.len(), slices, window_weights })
}

/// The same of slices of unequal lengths at many moments: each weighs what it knows, with what the slices differ by, so that a long first
/// one does not speak for all.
///
/// Inside of slices from the batches of all windows; between them by moments (DerSimonian and Laird, 1986); freedom of the weights
/// as if there were (Σw)²/Σw² equal slices.
pub fn weighted(ratios: &[Ratio]) -> Option<Pooled> {
    let pooled = pool(ratios)?;
    if ratios.len() < 2 {
        return Some(pooled);
    }
    let lengths: Vec<f64> = ratios.iter().map(|ratio| ratio.over.len() as f64).collect();
    let own: Vec<f64> = pooled.slices.iter().map(|slice| slice / pooled.value).collect();
    // Variance of one window's share in a mean, with what neighbours have in common.
    let window = pooled.within / ratios.len() as f64 * pooled.windows as f64;
    let inside: Vec<f64> = lengths.iter().map(|length| window / length).collect();
    let apart = between(&own, &inside);
    let weights: Vec<f64> = inside.iter().map(|inside| 1.0 / (PRIOR_SPREAD.powi(2) + apart + inside)).collect();
    let each = |of: fn(&Ratio) -> f64| -> f64 {
        ratios.iter().zip(&lengths).zip(&weights).map(|((ratio, length), weight)| weight / length * of(ratio)).sum()
    };
    let value = each(|ratio| ratio.over.iter().sum()) / each(Ratio::weight);
    let sum: f64 = weights.iter().sum();
    let count = sum.powi(2) / weights.iter().map(|weight| weight.powi(2)).sum::<f64>();
    let off = |slice: &f64| (slice / value - 1.0).powi(2);
    let seen: f64 = pooled.slices.iter().zip(&weights).map(|(slice, weight)| weight * off(slice)).sum::<f64>() / sum;
    let seen = seen * count / (count - 1.0).max(1.0);
    let expected: f64 = inside.iter().zip(&weights).map(|(inside, weight)| weight * inside).sum::<f64>() / sum;
    let moderated = moderated_half_width(PRIOR_SPREAD.powi(2) + expected, seen, count);
    let half_width = value * moderated.max(FLOOR);
    let window_weights = weights.iter().zip(&lengths).map(|(weight, length)| weight / length).collect();
    Some(Pooled { value, half_width, between: apart, within: expected, window_weights, ..pooled })
}

/// Variance between slices beyond what their insides explain.
fn between(slices: &[f64], inside: &[f64]) -> f64 {
    let weights: Vec<f64> = inside.iter().map(|inside| 1.0 / inside.max(1e-12)).collect();
    let sum: f64 = weights.iter().sum();
    let centre = slices.iter().zip(&weights).map(|(slice, weight)| slice * weight).sum::<f64>() / sum;
    let q: f64 = slices.iter().zip(&weights).map(|(slice, weight)| weight * (slice - centre).powi(2)).sum();
    let scale = sum - weights.iter().map(|weight| weight.powi(2)).sum::<f64>() / sum;
    ((q - (slices.len() as f64 - 1.0)) / scale).max(0.0)
}

/// With one slice only the prior speaks, with its two degrees of freedom: t = 4.3.
pub fn moderated_half_width(prior: f64, between: f64, count: f64) -> f64 {
    let (variance, freedom) = moderated_variance(prior, between, count);
    t_quantile(freedom) * (variance / count).sqrt()
}

/// The prior's variance and what is seen between `count` slices, each weighed by its degrees of freedom; and their sum.
pub fn moderated_variance(prior: f64, between: f64, count: f64) -> (f64, f64) {
    let freedom = PRIOR_FREEDOM + count - 1.0;
    ((PRIOR_FREEDOM * prior + (count - 1.0) * between) / freedom, freedom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{autoregressive, independent, recorded};

    fn ratio(rates: &[f64]) -> Ratio {
        Ratio { over: rates.to_vec(), under: vec![1.0; rates.len()] }
    }

    /// Slices that grow by a second each, thirty seconds apart; numbers of the Python reference.
    #[test]
    fn agrees_with_the_reference() {
        for (name, passes, value, half_width) in [
            ("sr1m_q4", 1, 152.1125, 13.509872022301577),
            ("sr1m_q4", 2, 152.7235294117647, 5.862134724404022),
            ("sr1m_q4", 4, 152.97995203786263, 3.0595990407572526),
            ("rw4k_q1", 1, 680.0600294013949, 351.96672108353414),
            ("rw4k_q1", 2, 1055.3052633601017, 819.0355408471127),
            ("rw4k_q1", 3, 1006.2869090366645, 452.6321881576922),
            ("rr4k_poisson10k", 4, 1037.4742822904532, 185.07799276216426),
        ] {
            let rates = recorded(name);
            let slices: Vec<Ratio> = (0..passes).map(|p| ratio(&rates[20 + 300 * p..100 + 310 * p])).collect();
            let pooled = pool(&slices).unwrap();
            assert!((pooled.value / value - 1.0).abs() < 1e-9, "{name} {passes}: {}", pooled.value);
            assert!((pooled.half_width / half_width - 1.0).abs() < 1e-6, "{name} {passes}: {}", pooled.half_width);
        }
    }

    #[test]
    fn one_slice_says_no_more_than_the_prior_allows() {
        let pooled = pool(&[ratio(&[1000.0; 80])]).unwrap();
        assert!((pooled.relative() - 4.30265 * PRIOR_SPREAD).abs() < 1e-4);
    }

    #[test]
    fn a_mean_latency_weighs_operations_not_windows() {
        // Half of the windows: ten operations of 1 ms; the others: one operation of 10 ms.
        let (over, under) = (0..80).map(|i| if i % 2 == 0 { (10.0, 10.0) } else { (10.0, 1.0) }).unzip();
        let pooled = pool(&[Ratio { over, under }]).unwrap();
        assert!((pooled.value - 20.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn a_long_slice_does_not_speak_for_many_short_ones() {
        // A first slice that met a level 10 % higher, then thirteen that did not.
        let mut slices = vec![ratio(&independent(1, 50, 1100.0, 30.0))];
        slices.extend((0..13).map(|n| ratio(&independent(n + 2, 6, 1000.0, 30.0))));
        let (one, many) = (pool(&slices).unwrap(), weighted(&slices).unwrap());
        assert!(one.value > 1035.0 && many.value < 1020.0, "{} {}", one.value, many.value);
        assert!((many.value - 1000.0).abs() < many.half_width, "{many:?}");
    }

    #[test]
    fn short_slices_cover_the_truth() {
        let covered = |of: &dyn Fn(u64, usize) -> Vec<f64>| {
            let pooled = |seed: u64| {
                let slices = (0..14).map(|n| ratio(&of(seed * 14 + n, if n == 0 { 50 } else { 6 })));
                weighted(&slices.collect::<Vec<_>>()).unwrap()
            };
            (0..300).map(pooled).filter(|pooled| (pooled.value - 1000.0).abs() <= pooled.half_width).count()
        };
        let shifted = |seed: u64, n: usize| {
            independent(seed, n, 1000.0 * (1.0 + 0.06 * crate::testing::Chance(seed + 7777).normal()), 30.0)
        };
        let covered = [
            covered(&|seed, n| independent(seed, n, 1000.0, 150.0)),
            covered(&|seed, n| autoregressive(seed, n, 1000.0, 80.0, 0.9)),
            covered(&shifted),
        ];
        assert!(covered.iter().all(|covered| *covered >= 276), "{covered:?} of 300");
    }

    #[test]
    fn passes_cover_the_truth() {
        let pooled = |series: &dyn Fn(u64) -> Vec<f64>, seed: u64| {
            pool(&[0, 1, 2].map(|pass| ratio(&series(seed * 3 + pass)))).unwrap()
        };
        let covered = |series: &dyn Fn(u64) -> Vec<f64>| {
            (0..200)
                .filter(|seed| (pooled(series, *seed).value - 1000.0).abs() <= pooled(series, *seed).half_width)
                .count()
        };
        assert!(covered(&|seed| independent(seed, 80, 1000.0, 150.0)) >= 188);
        assert!(covered(&|seed| autoregressive(seed, 80, 1000.0, 150.0, 0.9)) >= 184);
        // The level differs by 2 % from pass to pass, which the inside of a slice never shows.
        let shifted = |seed: u64| {
            let level = 1000.0 * (1.0 + 0.02 * crate::testing::Chance(seed + 7777).normal());
            independent(seed, 80, level, 30.0)
        };
        assert!(covered(&shifted) >= 184);
    }
}
