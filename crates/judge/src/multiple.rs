//! How many times one value is another, with the errors of both.

use crate::entry::spread;
use model::{Estimate, Multiple};

/// Of two independent values, by Fieller's theorem. Where the interval of what it is divided by reaches zero, nothing bounds the ratio
/// from above.
pub(crate) fn over(a: &Estimate, b: &Estimate) -> Option<Multiple> {
    let square = |one: &Estimate| (spread(one) / one.value).powi(2);
    let (value, of_a, of_b) = (a.value / b.value, square(a), square(b));
    let root = (1.0 - (1.0 - of_a) * (1.0 - of_b)).max(0.0).sqrt();
    (value.is_finite() && root.is_finite()).then(|| Multiple {
        value,
        low: value * (1.0 - of_a).max(0.0) / (1.0 + root),
        high: (of_b < 1.0).then(|| value * (1.0 + root) / (1.0 - of_b)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_has_the_errors_of_both() {
        let ratio = over(&Estimate::new(6.0, 0.18), &Estimate::new(2.0, 0.08)).unwrap();
        assert!((ratio.value - 3.0).abs() < 1e-12);
        // Nearly 5 %: 3 % and 4 % in squares.
        let high = ratio.high.unwrap();
        assert!((high / 3.155 - 1.0).abs() < 1e-3 && (ratio.low / 2.855 - 1.0).abs() < 1e-3, "{ratio:?}");
        assert_eq!(over(&Estimate::new(1.0, 0.1), &Estimate::new(0.0, 0.1)), None);
    }

    #[test]
    fn over_what_may_be_nothing_there_is_no_upper_bound() {
        let ratio = over(&Estimate::new(142.0, 24.0), &Estimate::new(2.3, 2.6)).unwrap();
        // The most that the floor may be, 4.9 ms, fits 29 times into 142 ms.
        assert!(ratio.high.is_none() && (ratio.low / 28.3 - 1.0).abs() < 0.01, "{ratio:?}");
        let near = over(&Estimate::new(142.0, 24.0), &Estimate::new(2.3, 2.29)).unwrap();
        assert!(near.high.unwrap() > 100.0 * near.value && (near.low / ratio.low - 1.0).abs() < 0.2, "{near:?}");
        assert_eq!(over(&Estimate::new(1.0, 2.0), &Estimate::new(1.0, 0.1)).unwrap().low, 0.0);
    }
}
