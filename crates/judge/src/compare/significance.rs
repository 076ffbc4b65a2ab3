//! Is a difference beyond the noise, and by enough to matter?

use crate::batch_means::t_quantile;
use model::{Estimate, Finds, Metric};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The test asks for a difference beyond this: nobody acts on a smaller one.
const LEAST_TESTED: f64 = 0.025;
/// What is shown as a difference is at least this.
pub const LEAST_SHOWN: f64 = 0.05;

/// By how much (logarithm), how sure, and the chance of such a difference where it is no more than the least effect.
pub struct Test {
    pub by: f64,
    error: f64,
    freedom: f64,
    pub chance: f64,
}

impl Test {
    /// Half-width of the 95 % interval of the logarithm.
    pub fn half_width(&self) -> f64 {
        t_quantile(self.freedom) * self.error
    }

    /// As a share of what was before, with its 95 % interval.
    pub fn change(&self) -> Estimate {
        let wide = self.half_width();
        Estimate { value: self.by.exp_m1(), low: (self.by - wide).exp_m1(), high: (self.by + wide).exp_m1() }
    }
}

/// A difference of logarithms with its standard error.
pub fn judged(by: f64, error: f64, freedom: f64) -> Test {
    let t = (by.abs() - LEAST_TESTED.ln_1p()) / error;
    let chance = StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| student.sf(t));
    Test { by, error, freedom, chance }
}

/// `real`: the difference is beyond the noise, all figures considered.
pub fn finds(test: &Test, real: bool, metric: Metric, least: f64) -> Finds {
    let better = if metric.lower_is_better() { test.by < 0.0 } else { test.by > 0.0 };
    if real && test.by.abs() >= least.ln_1p() {
        if better { Finds::Better } else { Finds::Worse }
    } else if test.by.abs() + test.half_width() < least.ln_1p() {
        Finds::Same
    } else {
        Finds::Undecided
    }
}
