//! A target that seemed slower than its peers, measured once more beside some of them: is it?

use crate::entry::Entry;
use crate::outliers::{LEAST_EFFECT, peers_of};
use crate::pooled::PRIOR_SPREAD;
use crate::series::{mean, median};
use crate::side_by_side::{Speed, speeds};
use model::{Estimate, FromTo, Metric, Outlier, Scope};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// At most this many peers are measured: more would add little, and each takes time.
const PEERS: usize = 4;
/// Variance of a median of `n` normal values, times `n`, over theirs: π/2.
const OF_MEDIAN: f64 = 1.57;

/// What the second measurement says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retest {
    /// Share by which it is slower than the median of its peers, with its 95 % interval; negative: it is faster.
    pub slower_by: Estimate,
    /// Its own value, and the median of its peers'.
    pub own: Estimate,
    pub others: Estimate,
    pub metric: Metric,
}

impl Retest {
    /// Slower beyond the noise, and by a tenth at least.
    pub fn is_slower(&self) -> bool {
        self.slower_by.low > 0.0 && self.slower_by.value >= LEAST_EFFECT
    }

    /// What it would gain as fast as its peers: of a time less, of a rate more.
    pub fn from_to(&self) -> Option<FromTo> {
        let share = |slower: f64| if self.metric.lower_is_better() { -slower } else { slower / (1.0 - slower) };
        let Estimate { value, low, high } = self.slower_by;
        let mut ends = [share(low), share(high)];
        ends.sort_by(f64::total_cmp);
        let change = Estimate { value: share(value), low: ends[0], high: ends[1] };
        FromTo { from: self.own, to: self.others, change }.known()
    }

    /// Slower by a tenth at most, beyond the noise.
    pub fn is_alike(&self) -> bool {
        self.slower_by.high < LEAST_EFFECT
    }
}

/// The figure of a slow target, and those of the peers that are nearest to their median, which it is to be measured beside; `None`: it
/// has no figure of its own, or too few peers.
pub fn to_retest<'e, 'a>(
    entries: &'e [Entry<'a>],
    outlier: &Outlier,
    scope: &Scope,
) -> Option<(&'e Entry<'a>, Vec<&'e Entry<'a>>)> {
    let (own, others) = peers_of(entries, outlier, scope)?;
    Some((own, nearest_to_median(others)?))
}

/// Those of these peers that are nearest to the median of all; `None`: they are too few to tell what is usual.
pub fn nearest_to_median<'e, 'a>(mut peers: Vec<&'e Entry<'a>>) -> Option<Vec<&'e Entry<'a>>> {
    let value = |entry: &Entry| entry.usable().map_or(f64::NAN, |estimate| estimate.value.ln());
    let centre = median(&peers.iter().map(|entry| value(entry)).collect::<Vec<_>>());
    peers.sort_by(|a, b| (value(a) - centre).abs().total_cmp(&(value(b) - centre).abs()));
    peers.truncate(PEERS);
    (peers.len() >= 2).then_some(peers)
}

/// `None`: one of them has no value.
pub fn retested(own: &Entry, others: &[&Entry]) -> Option<Retest> {
    let all: Vec<&Entry> = std::iter::once(own).chain(others.iter().copied()).collect();
    let estimates = all.iter().map(|entry| entry.usable()).collect::<Option<Vec<Estimate>>>()?;
    let [first, theirs @ ..] = &speeds(&all)[..] else { return None };
    let slices = all.iter().map(|entry| entry.figure.slices).min().unwrap_or(0);
    let slower_by = slower_by(first, theirs, slices)?;
    Some(Retest { slower_by, own: estimates[0], others: of_median(&estimates[1..]), metric: own.figure.metric })
}

/// The median of several values, as sure as theirs are on average.
fn of_median(all: &[Estimate]) -> Estimate {
    let values: Vec<f64> = all.iter().map(|one| one.value).collect();
    let squares: Vec<f64> = all.iter().map(|one| one.half_width().powi(2)).collect();
    let of_median = if all.len() > 1 { OF_MEDIAN } else { 1.0 };
    Estimate::new(median(&values), (of_median * mean(&squares) / all.len() as f64).sqrt())
}

/// `slices`: of the one that has fewest. Targets of one test have their passes in common, and so what these differ by: all of them together
/// say how much that is, and the passes how well it is known.
fn slower_by(own: &Speed, others: &[Speed], slices: u32) -> Option<Estimate> {
    let off = own.log - median(&others.iter().map(|other| other.log).collect::<Vec<_>>());
    let each = mean(&others.iter().chain([own]).map(|one| one.error.powi(2)).collect::<Vec<_>>());
    let error = (each * (1.0 + OF_MEDIAN / others.len() as f64)).sqrt().max(LEAST_ERROR);
    let freedom = f64::from(slices.max(2)) - 1.0;
    let width = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975) * error;
    let share = |log: f64| 1.0 - log.exp();
    let found = Estimate { value: share(off), low: share(off + width), high: share(off - width) };
    [found.value, found.low, found.high].iter().all(|value| value.is_finite()).then_some(found)
}

/// No difference of two figures is known better than this standard error: passes differ by [`PRIOR_SPREAD`], and a test has three.
const LEAST_ERROR: f64 = PRIOR_SPREAD / 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(value: f64, error: f64) -> Speed {
        Speed { log: value.ln(), error }
    }

    fn retest(values: &[f64], error: f64) -> Retest {
        let all: Vec<Speed> = values.iter().map(|value| speed(*value, error)).collect();
        let slower_by = slower_by(&all[0], &all[1..], 3).unwrap();
        let own = Estimate { value: values[0], low: values[0], high: values[0] };
        Retest { slower_by, own, others: Estimate::new(values[1], error), metric: Metric::Iops }
    }

    #[test]
    fn a_third_slower_is_confirmed_and_as_fast_is_refuted() {
        let slow = retest(&[700.0, 1000.0, 1010.0, 990.0], 0.012);
        assert!((slow.slower_by.value - 0.3).abs() < 1e-9 && slow.is_slower() && !slow.is_alike(), "{slow:?}");
        let alike = retest(&[995.0, 1000.0, 1010.0, 990.0], 0.012);
        assert!(alike.is_alike() && !alike.is_slower(), "{alike:?}");
    }

    #[test]
    fn a_gain_is_less_of_a_time_and_more_of_a_rate() {
        let rate = retest(&[700.0, 1000.0, 1010.0, 990.0], 0.012);
        let gain = rate.from_to().unwrap().change;
        assert!((gain.value - 0.3 / 0.7).abs() < 1e-9 && gain.low < gain.value && gain.value < gain.high, "{gain:?}");
        let gain = Retest { metric: Metric::LatencyMean, ..rate }.from_to().unwrap().change;
        assert!((gain.value + 0.3).abs() < 1e-9 && gain.low < gain.value && gain.value < gain.high, "{gain:?}");
    }

    #[test]
    fn what_the_noise_hides_is_neither() {
        let unknown = retest(&[880.0, 1000.0, 1010.0], 0.08);
        assert!(!unknown.is_alike() && !unknown.is_slower(), "{unknown:?}");
        // A difference that is no more than a tenth is none that was asked for.
        let little = retest(&[940.0, 1000.0, 1000.0, 1000.0], 0.005);
        assert!(!little.is_slower(), "{little:?}");
    }

    /// Of healthy targets that were suspected, one in forty would be slower beyond its interval by chance, at whatever their passes differ by.
    #[test]
    fn healthy_suspects_are_seldom_confirmed() {
        for spread in [0.02, 0.05, 0.1, 0.2] {
            let mut chance = crate::testing::Chance(7);
            let mut confirmed = 0;
            for _ in 0..2000 {
                let mut one = || {
                    let passes: Vec<f64> = (0..3).map(|_| spread * chance.normal()).collect();
                    crate::side_by_side::paired(&passes)
                };
                let (own, others) = (one(), [one(), one(), one()]);
                let slower_by = slower_by(&own, &others, 3).unwrap();
                let found = Retest {
                    slower_by,
                    own: Estimate { value: 1.0, low: 1.0, high: 1.0 },
                    others: Estimate::new(1.0, 0.0),
                    metric: Metric::Iops,
                };
                confirmed += usize::from(found.is_slower());
            }
            // Seen: none at 2 % and 5 %, 10 of 2000 at 10 %, 13 at 20 %; one in forty would be 50.
            assert!(confirmed <= 25, "{confirmed} of 2000 at {spread}");
        }
    }
}
