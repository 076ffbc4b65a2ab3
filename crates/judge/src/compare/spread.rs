//! How well a figure's slices tell its value: what one of them varies by, and as how many equal ones they count.

use crate::series::{Ratio, sample_sd};

/// The relative variance of the value is `variance / count`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Relative variance of one slice.
    pub variance: f64,
    pub freedom: f64,
    /// So many slices of equal weight would tell the value as well (Kish's effective sample size).
    pub count: f64,
}

impl Spread {
    /// Of a value Σ c·over / Σ c·under; `window_weights`: c of each slice. And that value.
    ///
    /// The variance is that of a ratio, made linear (Cochran, Sampling Techniques, 1977, 6.3), or that of the slices' logarithms, whichever
    /// is more: of values that are far apart the first is too small where few slices carry the value.
    pub fn of(ratios: &[Ratio], window_weights: &[f64], logs: &[f64]) -> (Spread, f64) {
        let sums = |ratio: &Ratio| (ratio.over.iter().sum::<f64>(), ratio.weight());
        let weighed = |(ratio, weight): (&Ratio, &f64)| (weight * sums(ratio).0, weight * sums(ratio).1);
        let slices: Vec<(f64, f64)> = ratios.iter().zip(window_weights).map(weighed).collect();
        let (over, under) = slices.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let value = over / under;
        let squares: f64 = slices.iter().map(|one| (one.1 / under).powi(2)).sum();
        let count = if squares > 0.0 { 1.0 / squares } else { 1.0 };
        let freedom = slices.len().saturating_sub(1) as f64;
        let off: f64 = slices.iter().map(|one| ((one.0 - value * one.1) / over).powi(2)).sum();
        let linear = if freedom > 0.0 { (freedom + 1.0) / freedom * off * count } else { 0.0 };
        let variance = linear.max(sample_sd(logs).powi(2));
        (Spread { variance: if variance.is_finite() { variance } else { 0.0 }, freedom, count }, value)
    }

    /// The mean of several values.
    pub fn of_mean(spreads: &[Spread]) -> Spread {
        let freedom: f64 = spreads.iter().map(|one| one.freedom).sum();
        let within: f64 = spreads.iter().map(|one| one.variance * one.freedom).sum();
        let parts: f64 = spreads.iter().map(|one| 1.0 / one.count).sum();
        let variance = if freedom > 0.0 { within / freedom } else { 0.0 };
        Spread { variance, freedom, count: (spreads.len() as f64).powi(2) / parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(values: &[f64]) -> Ratio {
        Ratio { over: values.to_vec(), under: vec![1.0; values.len()] }
    }

    #[test]
    fn of_equal_slices_it_is_the_relative_variance_of_their_values() {
        let values = [90.0, 100.0, 110.0];
        let logs = values.map(f64::ln);
        let (spread, value) = Spread::of(&values.map(|one| ratio(&[one; 4])), &[1.0; 3], &logs);
        assert!((value - 100.0).abs() < 1e-9 && (spread.count - 3.0).abs() < 1e-9, "{spread:?}");
        // The logarithms' variance is a little more here.
        assert!((spread.variance - sample_sd(&logs).powi(2)).abs() < 1e-12 && spread.variance > 0.01, "{spread:?}");
        let (linear, _) = Spread::of(&values.map(|one| ratio(&[one; 4])), &[1.0; 3], &[]);
        assert!((linear.variance - 0.01).abs() < 1e-12 && linear.freedom == 2.0, "{linear:?}");
    }

    #[test]
    fn what_carries_most_of_the_value_counts_for_few() {
        let slices = [ratio(&[100.0; 12]), ratio(&[110.0; 2]), ratio(&[90.0; 2])];
        let (spread, _) = Spread::of(&slices, &[1.0; 3], &[]);
        assert!(spread.count > 1.0 && spread.count < 2.0, "{spread:?}");
        // As equals, they count as three.
        let (spread, _) = Spread::of(&slices, &[1.0 / 12.0, 0.5, 0.5], &[]);
        assert!((spread.count - 3.0).abs() < 1e-9, "{spread:?}");
    }

    #[test]
    fn a_mean_of_runs_is_known_by_all_their_slices() {
        let one = Spread { variance: 0.01, freedom: 3.0, count: 4.0 };
        let mean = Spread::of_mean(&[one, Spread { variance: 0.03, freedom: 1.0, count: 2.0 }]);
        assert_eq!((mean.variance, mean.freedom), (0.015, 4.0));
        assert!((mean.count - 4.0 / 0.75).abs() < 1e-12, "{mean:?}");
        assert_eq!(Spread::of_mean(&[one]), one);
    }
}
