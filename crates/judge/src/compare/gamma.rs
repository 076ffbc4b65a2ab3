//! The trigamma function and its inverse, which the statistics crate does not have.

/// ψ₁(x), x > 0: shifted up by its recurrence, then the asymptotic series (Abramowitz and Stegun 6.4.12).
pub fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = 1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0));
    sum + inverse + square / 2.0 + inverse * square * series
}

/// The x with ψ₁(x) = y, y > 0: it falls steadily, so halving finds it.
pub fn inverse_trigamma(y: f64) -> f64 {
    let (mut low, mut high) = (1e-8f64, 1e8f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > y { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let pi2 = std::f64::consts::PI.powi(2);
        for (x, value) in [(1.0, pi2 / 6.0), (0.5, pi2 / 2.0), (2.0, pi2 / 6.0 - 1.0), (3.0, pi2 / 6.0 - 1.25)] {
            assert!((trigamma(x) - value).abs() < 1e-10, "{x}: {}", trigamma(x));
            assert!((inverse_trigamma(value) / x - 1.0).abs() < 1e-8, "{value}");
        }
    }
}
