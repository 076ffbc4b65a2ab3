//! Numbers as words, for the reasons that figures carry.

use model::Metric;
pub use model::units::{bytes as volume, rough as number};

pub fn quantity(value: f64, metric: Metric) -> String {
    format!("{} {}", number(value), metric.unit())
}

/// A share as percent: `8.7 %`, `31 %`; nearly all is not all: `99.64 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() {
        0.0..10.0 => format!("{percent:.1} %"),
        99.5..100.0 => format!("{:.2} %", (percent * 100.0).trunc() / 100.0),
        _ => format!("{percent:.0} %"),
    }
}

pub fn seconds(seconds: f64) -> String {
    if seconds < 100.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}

/// `1 pass`, `3 passes`; the plural is given where it isn't the singular with an s.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_is_not_all() {
        let said: Vec<String> = [0.0874, 0.0996, 0.31, 0.994, 0.9964, 0.999_999, 1.0, -0.9964]
            .iter()
            .map(|share| percent(*share))
            .collect();
        assert_eq!(said, ["8.7 %", "10.0 %", "31 %", "99 %", "99.64 %", "99.99 %", "100 %", "-99.64 %"]);
    }

    #[test]
    fn units_and_plurals() {
        assert_eq!(quantity(0.5, Metric::LatencyMean), "0.500 ms");
        assert_eq!((percent(0.087), percent(0.31)), ("8.7 %".to_string(), "31 %".to_string()));
        assert_eq!((count(1, "pass", "passes"), count(2, "pass", "passes")), ("1 pass".into(), "2 passes".into()));
    }
}
