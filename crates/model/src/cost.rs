//! What mending a cause would gain, and what is the limit then.

use crate::figure::Estimate;
use crate::layer::Layer;
use crate::pattern::{Metric, Pattern};
use crate::phrase::Phrase;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Never empty.
    pub gains: Vec<Gain>,
    /// What the gain ends at: the next ceiling.
    pub until: Phrase,
}

/// What one figure is with the cause, and what it would be without.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// In words: `writes with osd.1 as the primary`.
    pub of: Phrase,
    pub layer: Layer,
    pub pattern: Pattern,
    pub target: String,
    pub metric: Metric,
    pub from: Estimate,
    pub to: Estimate,
    /// `to` against `from`, as a share: -0.37 is 37 % less.
    pub change: Estimate,
    /// Is it of all operations of a pool, and not only of those that the cause is in the way of?
    pub whole: bool,
}

/// A figure with its cause and without, and the change as a share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FromTo {
    pub from: Estimate,
    pub to: Estimate,
    pub change: Estimate,
}

impl Cost {
    /// The largest share that it changes of all operations, or, where that is not known, of those that the cause is in the way of; the
    /// first says which of both.
    pub fn size(&self) -> (bool, f64) {
        let most = |whole: bool| {
            let own = self.gains.iter().filter(|gain| gain.whole == whole);
            own.map(|gain| gain.change.value.abs()).filter(|share| share.is_finite()).reduce(f64::max)
        };
        most(true).map_or((false, most(false).unwrap_or(0.0)), |share| (true, share))
    }
}

impl FromTo {
    /// What is left without the cause, and what the cause adds: two values whose errors have nothing to do with each other. `unlike`:
    /// half-width of what healthy ones differ by, since the mended one will be one of them. `None`: something is not a number.
    pub fn of(rest: Estimate, adds: Estimate, unlike: f64) -> Option<FromTo> {
        let sum = rest.value + adds.value;
        let from = Estimate::new(sum, rest.half_width().hypot(adds.half_width()));
        let to = Estimate::new(rest.value, rest.half_width().hypot(unlike));
        // d(-adds/sum)/d(adds) = -rest/sum², d/d(rest) = adds/sum².
        let by_adds = rest.value * adds.half_width().hypot(unlike);
        let change = Estimate::new(-adds.value / sum, by_adds.hypot(adds.value * rest.half_width()) / sum.powi(2));
        FromTo { from, to, change }.known()
    }

    /// Only where all of it is numbers.
    pub fn known(self) -> Option<FromTo> {
        let finite = |one: &Estimate| one.value.is_finite() && one.low.is_finite() && one.high.is_finite();
        [self.from, self.to, self.change].iter().all(finite).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_gain_is_that_of_both_its_parts() {
        let found = FromTo::of(Estimate::new(1.2, 0.05), Estimate::new(0.6, 0.08), 0.06).unwrap();
        assert!((found.from.value - 1.8).abs() < 1e-9 && (found.from.half_width() - 0.0943).abs() < 1e-3);
        assert!((found.to.value - 1.2).abs() < 1e-9 && (found.to.half_width() - 0.0781).abs() < 1e-3);
        // 1.2 × 0.1 and 0.6 × 0.05, over 1.8².
        assert!((found.change.value + 1.0 / 3.0).abs() < 1e-9 && (found.change.half_width() - 0.0382).abs() < 1e-3);
        assert_eq!(FromTo::of(Estimate::new(1.2, f64::NAN), Estimate::new(0.6, 0.08), 0.06), None);
    }

    #[test]
    fn what_is_known_of_all_operations_says_how_large_a_cost_is() {
        let gain = |change: f64, whole| Gain {
            of: "writes".into(),
            layer: Layer::ALL[0],
            pattern: Pattern::WriteLatency,
            target: String::new(),
            metric: Metric::LatencyMean,
            from: Estimate::new(1.0, 0.1),
            to: Estimate::new(1.0 + change, 0.1),
            change: Estimate::new(change, 0.1),
            whole,
        };
        let cost = |gains| Cost { gains, until: Phrase::default() };
        assert_eq!(cost(vec![gain(-0.4, false), gain(-0.1, true)]).size(), (true, 0.1));
        assert_eq!(cost(vec![gain(-0.4, false), gain(1.5, false)]).size(), (false, 1.5));
    }
}
