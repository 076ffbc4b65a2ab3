//! Variances of many figures, each known by few slices, lend each other strength (Smyth 2004, limma).

use super::gamma::{inverse_trigamma, trigamma};
use crate::series::{mean, sample_sd};
use statrs::function::gamma::digamma;

/// With at least this many figures it is learned how much their spreads differ.
const FIGURES_LEAST: usize = 10;
/// From this many degrees of freedom on, all figures count as having the same variance.
const FREEDOM_MOST: f64 = 1e5;
/// A variance below this comes from rounding.
const SMALLEST: f64 = 1e-10;

/// The usual variance of a figure's slices, and how many degrees of freedom that knowledge is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    pub variance: f64,
    pub freedom: f64,
}

impl Prior {
    /// What is taken where there are too few figures to learn it: 2 % with two degrees of freedom, as for a figure's slices; or what they
    /// show if that is more, with as much less freedom as a figure's own part in that.
    pub const FALLBACK: Prior = Prior { variance: 0.0004, freedom: 2.0 };

    /// From variances of logarithms, each with its degrees of freedom.
    pub fn learn(variances: &[(f64, f64)]) -> Prior {
        let known: Vec<(f64, f64)> = variances.iter().copied().filter(|(_, freedom)| *freedom > 0.0).collect();
        if known.len() < FIGURES_LEAST {
            // The little that is known may show that 2 % is too small here; it can't show that it is too large.
            let freedom: f64 = known.iter().map(|(_, freedom)| freedom).sum();
            let seen: f64 = known.iter().map(|(variance, freedom)| variance * freedom).sum();
            if freedom == 0.0 || seen / freedom <= Self::FALLBACK.variance {
                return Self::FALLBACK;
            }
            // What a figure itself has shown is in there, and is no news of it.
            let of_others = 1.0 - 1.0 / known.len() as f64;
            return Prior { variance: seen / freedom, freedom: Self::FALLBACK.freedom * of_others };
        }
        let centred = |(variance, freedom): &(f64, f64)| {
            variance.max(SMALLEST).ln() - digamma(freedom / 2.0) + (freedom / 2.0).ln()
        };
        let logs: Vec<f64> = known.iter().map(centred).collect();
        let chance = mean(&known.iter().map(|(_, freedom)| trigamma(freedom / 2.0)).collect::<Vec<_>>());
        let beyond = sample_sd(&logs).powi(2) - chance;
        if beyond <= 1e-6 {
            return Prior { variance: mean(&logs).exp(), freedom: FREEDOM_MOST };
        }
        let freedom = (2.0 * inverse_trigamma(beyond)).min(FREEDOM_MOST);
        let variance = (mean(&logs) + digamma(freedom / 2.0) - (freedom / 2.0).ln()).exp();
        Prior { variance, freedom }
    }

    /// The variance of one figure, and its degrees of freedom.
    pub fn moderate(&self, variance: f64, freedom: f64) -> (f64, f64) {
        let all = self.freedom + freedom;
        if all == 0.0 {
            // All that is known is from one other figure.
            return (self.variance, Self::FALLBACK.freedom);
        }
        ((self.freedom * self.variance + freedom * variance) / all, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Chance;

    /// Variances drawn from a scaled inverse chi-square: the prior is found again.
    #[test]
    fn the_prior_that_made_them_is_learnt() {
        let mut chance = Chance(4);
        let chi = |n: usize, chance: &mut Chance| (0..n).map(|_| chance.normal().powi(2)).sum::<f64>();
        let variances: Vec<(f64, f64)> = (0..4000)
            .map(|_| {
                let own = 0.0009 * 6.0 / chi(6, &mut chance);
                (own * chi(4, &mut chance) / 4.0, 4.0)
            })
            .collect();
        let prior = Prior::learn(&variances);
        assert!((prior.variance / 0.0009 - 1.0).abs() < 0.1, "{prior:?}");
        assert!((prior.freedom / 6.0 - 1.0).abs() < 0.25, "{prior:?}");
    }

    #[test]
    fn few_figures_teach_nothing() {
        assert_eq!(Prior::learn(&[(0.0001, 2.0); 9]), Prior::FALLBACK);
        assert_eq!(Prior::learn(&[]), Prior::FALLBACK);
    }

    #[test]
    fn few_restless_figures_are_not_taken_for_quiet_ones() {
        let prior = Prior::learn(&[(0.01, 4.0), (0.004, 2.0)]);
        assert!((prior.variance - 0.008).abs() < 1e-12 && prior.freedom == 1.0, "{prior:?}");
    }

    #[test]
    fn what_a_figure_shows_is_counted_once() {
        let alone = Prior::learn(&[(0.01, 2.0)]);
        assert_eq!(alone.moderate(0.01, 2.0), (0.01, 2.0));
        assert_eq!(alone.moderate(0.0, 0.0), (0.01, Prior::FALLBACK.freedom));
        assert_eq!(Prior::learn(&[(0.0001, 2.0)]), Prior::FALLBACK);
    }
}
