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
