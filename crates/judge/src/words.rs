//! Numbers as words, for the reasons that figures carry: three digits, thousands separated, with the unit.

use model::{Bytes, Metric};

/// Three significant digits, whole numbers with separators: `5,420`, `1.24`, `0.0412`.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let digits = value.abs().log10().floor() as i32;
    let unit = 10f64.powi(digits - 2);
    let rounded = (value / unit).round() * unit;
    // 99.97 has become 100 and needs no digit behind the point.
    let digits = (rounded.abs() * (1.0 + f64::EPSILON)).log10().floor() as i32;
    if digits >= 2 { grouped(rounded) } else { format!("{rounded:.*}", (2 - digits) as usize) }
}

/// A whole number with separators: `12,345`.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::from(if value < 0.0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

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

pub fn volume(bytes: Bytes) -> String {
    const UNITS: [(&str, f64); 3] = [("GiB", 1073741824.0), ("MiB", 1048576.0), ("KiB", 1024.0)];
    let bytes = bytes as f64;
    match UNITS.into_iter().find(|(_, size)| bytes >= *size) {
        Some((unit, size)) => format!("{} {unit}", number(bytes / size)),
        None => format!("{bytes} bytes"),
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
    fn numbers_have_three_digits() {
        let said: Vec<String> =
            [5423.7, 1.2345, 0.041249, 431.2, 99.97, 1_234_567.0, 0.0].iter().map(|value| number(*value)).collect();
        assert_eq!(said, ["5,420", "1.23", "0.0412", "431", "100", "1,230,000", "0"]);
    }

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
        assert_eq!((volume(3 << 30), volume(5000)), ("3.00 GiB".to_string(), "4.88 KiB".to_string()));
        assert_eq!((count(1, "pass", "passes"), count(2, "pass", "passes")), ("1 pass".into(), "2 passes".into()));
    }
}
