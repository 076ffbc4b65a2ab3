//! The interval of a mean of windows that follow each other: three batch-mean estimators, the widest wins.
//!
//! Any single number of batches is fooled by some series, and a rule that stops at the first small interval picks exactly the
//! moments at which its estimator is too small.

use crate::series::{mean, sample_sd};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Below this there is no interval at all.
pub const WINDOWS_MIN: usize = 4;
/// Below this the batches hold one window each and their correlation is assumed, not measured.
pub const WINDOWS_FOR_BATCHES: usize = 16;
/// Assumed lag-1 correlation of windows too few to measure it.
const ASSUMED_CORRELATION: f64 = 0.8;

/// Two-sided 95 % quantile of Student's t.
pub fn t_quantile(freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(t) => t.inverse_cdf(0.975),
        Err(_) => f64::INFINITY,
    }
}

/// Half-width of the 95 % interval of the mean of `y`, in order of time; `None` for fewer than [`WINDOWS_MIN`].
pub fn half_width(y: &[f64]) -> Option<f64> {
    match y.len() {
        0..WINDOWS_MIN => None,
        WINDOWS_MIN..WINDOWS_FOR_BATCHES => Some(few(y)),
        // Too few for 16 batches: the windows themselves, or a slow series would look quiet.
        n @ WINDOWS_FOR_BATCHES..32 => Some(correlated(y, n).max(plain(y, 8))),
        n => {
            let fine = [32, 16].into_iter().filter(|batches| n >= 2 * batches).map(|batches| correlated(y, batches));
            Some(fine.fold(plain(y, 8), f64::max))
        }
    }
}

/// `batches` means of equally many windows; what doesn't fit is left out at the front.
fn batch_means(y: &[f64], batches: usize) -> Vec<f64> {
    let size = y.len() / batches;
    y[y.len() - batches * size..].chunks_exact(size).map(mean).collect()
}

fn plain(y: &[f64], batches: usize) -> f64 {
    t_quantile(batches as f64 - 1.0) * sample_sd(&batch_means(y, batches)) / (batches as f64).sqrt()
}

/// Batch means, widened for their lag-1 correlation (Kendall's bias correction), with the freedom that is left.
fn correlated(y: &[f64], batches: usize) -> f64 {
    let k = batches as f64;
    let means = batch_means(y, batches);
    let measured = lag1(&means);
    let r = (measured + (1.0 + 3.0 * measured) / k).clamp(0.0, 0.95);
    let freedom = ((k - 1.0) * (1.0 - r * r) / (1.0 + r * r)).max(2.0);
    t_quantile(freedom) * sample_sd(&means) / k.sqrt() * ((1.0 + r) / (1.0 - r)).sqrt()
}

fn few(y: &[f64]) -> f64 {
    let n = y.len() as f64;
    t_quantile(n - 1.0) * sample_sd(y) / n.sqrt() * ((1.0 + ASSUMED_CORRELATION) / (1.0 - ASSUMED_CORRELATION)).sqrt()
}

fn lag1(y: &[f64]) -> f64 {
    let centre = mean(y);
    let total: f64 = y.iter().map(|v| (v - centre).powi(2)).sum();
    if total <= 0.0 {
        return 0.0;
    }
    y.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{autoregressive, independent, recorded};

    fn close(got: f64, want: f64) {
        assert!((got / want - 1.0).abs() < 1e-6, "{got} instead of {want}");
    }

    /// The wanted numbers are those of a Python implementation of the same formulas with numpy and scipy.
    #[test]
    fn agrees_with_the_reference_on_seeded_series() {
        for (n, wanted) in [(40, 77.23348771152853), (64, 60.08828673479562), (100, 34.963450658328775)] {
            close(half_width(&independent(7, n, 1000.0, 150.0)).unwrap(), wanted);
        }
        for (n, wanted) in [(40, 469.44077824749127), (64, 820.9490066177449), (600, 102.94160931593755)] {
            close(half_width(&autoregressive(8, n, 1000.0, 200.0, 0.9)).unwrap(), wanted);
        }
    }

    #[test]
    fn agrees_with_the_reference_on_recorded_series() {
        for (name, wanted) in [
            ("sr1m_q4", 0.7476998382708944),
            ("rw4k_q1", 506.83110749907),
            ("sw1m_q4", 16.18164926059353),
            ("buf_sw1m", 73.18588687543703),
            ("quiet_rr4k_q32", 68.1960852671242),
        ] {
            close(half_width(&recorded(name)).unwrap(), wanted);
        }
    }

    #[test]
    fn few_windows_give_a_wide_interval_or_none() {
        let y = independent(5, 100, 1000.0, 150.0);
        assert_eq!(half_width(&y[..3]), None);
        let widths: Vec<f64> = [4, 8, 15, 31, 100].iter().map(|n| half_width(&y[..*n]).unwrap()).collect();
        assert!(widths[0] > widths[4] && widths[1] > 2.0 * widths[4] && widths[2] > 2.0 * widths[4], "{widths:?}");
    }

    /// How often the interval holds the truth, which is zero.
    fn coverage(series: impl Fn(u64) -> Vec<f64>) -> usize {
        let holds = |y: Vec<f64>| mean(&y).abs() <= half_width(&y).unwrap();
        (0..200).filter(|seed| holds(series(*seed))).count()
    }

    #[test]
    fn covers_the_truth_of_independent_and_of_correlated_windows() {
        for n in [80, 240, 600] {
            let independent = coverage(|seed| independent(seed, n, 0.0, 1.0));
            let correlated = coverage(|seed| autoregressive(seed + 1000, n, 0.0, 1.0, 0.9));
            assert!(independent >= 184 && correlated >= 180, "{n} windows: {independent}, {correlated} of 200");
        }
    }

    #[test]
    fn quantiles_of_t_are_those_of_the_tables() {
        for (freedom, wanted) in [(1.0, 12.7062), (2.0, 4.30265), (7.0, 2.36462), (31.0, 2.03951), (2.5, 3.57465)] {
            assert!((t_quantile(freedom) - wanted).abs() < 1e-3, "{freedom}: {}", t_quantile(freedom));
        }
    }
}
