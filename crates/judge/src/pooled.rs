//! Slices become one value with one interval: what the inside of the slices says, and how far they lie apart.

use crate::batch_means::{half_width, t_quantile};
use crate::series::{Ratio, mean, sample_sd};

/// Spread of slice means between passes that is assumed before any is seen, and how many degrees of freedom it is worth.
const PRIOR_SPREAD: f64 = 0.02;
const PRIOR_FREEDOM: f64 = 2.0;
/// No interval is narrower than this share of the value.
pub const FLOOR: f64 = 0.02;
/// Half-width to standard error, for the batches' usual degrees of freedom.
const WIDTHS_PER_ERROR: f64 = 2.1;

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
    let slices: Vec<f64> = ratios.iter().map(Ratio::value).collect();
    let between = sample_sd(&slices.iter().map(|slice| slice / value).collect::<Vec<_>>()).powi(2);
    let within = (inside / (WIDTHS_PER_ERROR * value)).powi(2) * count;
    let moderated = moderated_half_width(PRIOR_SPREAD.powi(2) + within, between, count);
    let half_width = (moderated * value).max(inside).max(FLOOR * value);
    Some(Pooled { value, half_width, between, within, windows: residuals.len(), slices })
}

/// Moderated t: the prior's variance and what is seen between `count` slices, each weighed by its degrees of freedom.
/// With one slice only the prior speaks, with its two degrees of freedom: t = 4.3.
pub fn moderated_half_width(prior: f64, between: f64, count: f64) -> f64 {
    let freedom = PRIOR_FREEDOM + count - 1.0;
    let variance = (PRIOR_FREEDOM * prior + (count - 1.0) * between) / freedom;
    t_quantile(freedom) * (variance / count).sqrt()
}
