//! Peers measured in the same passes: what differs from pass to pass for all of them is no difference between them.

use crate::entry::Entry;
use crate::figure::void_reason;
use crate::pooled::{PRIOR_SPREAD, moderated_variance};
use crate::series::{Ratio, mean, sample_sd};
use std::collections::{BTreeMap, BTreeSet};

/// How fast one of several peers is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Natural logarithm; only differences between peers mean something.
    pub log: f64,
    /// Its standard error.
    pub error: f64,
}

/// In the order of `peers`, which all have a value. With two common passes or more, slices are compared with the slices
/// of the same pass; else, or where one of them stood still during a slice, which no slice of the others tells, figures with figures.
pub fn speeds(peers: &[&Entry]) -> Vec<Speed> {
    let by_pass: Vec<BTreeMap<u32, f64>> = peers.iter().map(|entry| of_passes(entry)).collect();
    let passes = |of: &BTreeMap<u32, f64>| of.keys().copied().collect::<BTreeSet<u32>>();
    let common = by_pass.iter().map(passes).reduce(|all, own| &all & &own).unwrap_or_default();
    if common.len() < 2 || peers.iter().any(|entry| entry.stood_still()) {
        return peers.iter().map(|entry| alone(entry)).collect();
    }
    let centre = |pass: &u32| mean(&by_pass.iter().map(|of| of[pass]).collect::<Vec<_>>());
    let contrasts = |own: &BTreeMap<u32, f64>| common.iter().map(|pass| own[pass] - centre(pass)).collect::<Vec<f64>>();
    by_pass.iter().map(|own| paired(&contrasts(own))).collect()
}

pub(crate) fn paired(contrasts: &[f64]) -> Speed {
    let (count, seen) = (contrasts.len() as f64, sample_sd(contrasts).powi(2));
    let (variance, _) = moderated_variance(PRIOR_SPREAD.powi(2), seen, count);
    Speed { log: mean(contrasts), error: (variance / count).sqrt() }
}

fn alone(entry: &Entry) -> Speed {
    let value = entry.figure.estimate.map_or(f64::NAN, |estimate| estimate.value);
    Speed { log: faster(entry, value), error: entry.relative_error() }
}

fn of_passes(entry: &Entry) -> BTreeMap<u32, f64> {
    let good = entry.slices.iter().filter(|slice| void_reason(slice).is_none());
    let value = |slice| faster(entry, Ratio::of(entry.step, slice).value());
    good.map(|slice| (slice.pass, value(slice))).filter(|(_, log)| log.is_finite()).collect()
}

/// Logarithm of a value, turned so that more is faster.
fn faster(entry: &Entry, value: f64) -> f64 {
    if entry.figure.metric.lower_is_better() { -value.ln() } else { value.ln() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_that_agree_leave_only_the_prior() {
        let speed = paired(&[-0.2, -0.2, -0.2, -0.2]);
        // 2 of 5 degrees of freedom say 2 %, over 4 slices.
        assert!((speed.error - (0.0004f64 * 2.0 / 5.0 / 4.0).sqrt()).abs() < 1e-12);
        assert!((speed.log + 0.2).abs() < 1e-12);
    }
}
