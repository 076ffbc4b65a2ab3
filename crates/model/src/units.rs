//! Plain numbers as text: bytes, seconds, counts, three digits, thousands separated.

use crate::workload::Bytes;

/// Shown where there is no number.
pub const NOTHING: &str = "–";

/// `4 KiB`, `1.5 GiB`: binary units, as sizes of blocks and disks are meant.
pub fn bytes(bytes: Bytes) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (bytes.max(1).ilog2() / 10) as usize;
    let scaled = bytes as f64 / (1u64 << (10 * power)) as f64;
    let number = if scaled.fract() == 0.0 { separated(&format!("{scaled:.0}")) } else { rough(scaled) };
    format!("{number} {}", UNITS[power])
}

/// `850 ms`, `8.2 s`, `4 min 12 s`, `2 h 5 min`
pub fn seconds(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return NOTHING.to_string();
    }
    let whole = seconds.round();
    if whole >= 3600.0 {
        let minutes = (seconds / 60.0).round();
        let hours = rounded((minutes / 60.0).floor(), 0);
        return if minutes % 60.0 == 0.0 { format!("{hours} h") } else { format!("{hours} h {} min", minutes % 60.0) };
    }
    match seconds {
        0.0 => "0 s".to_string(),
        s if s < 0.9995 => format!("{} ms", rounded(s * 1000.0, if s < 0.0095 { -1 } else { 0 })),
        s if s < 9.95 => format!("{} s", rounded(s, -1)),
        _ if whole < 60.0 => format!("{whole} s"),
        _ if whole % 60.0 == 0.0 => format!("{} min", whole / 60.0),
        _ => format!("{} min {} s", (whole / 60.0).floor(), whole % 60.0),
    }
}

/// A number without an interval, to three digits: an expectation, a ceiling, a rate seen in passing.
pub fn rough(value: f64) -> String {
    let place = exponent(value).map_or(0, |e| e - 2);
    // 99.97 has become 100, and needs no digit behind the point.
    let carried = (value.abs() / 10f64.powi(place)).round() >= 1000.0;
    rounded(value, if carried { place + 1 } else { place })
}

/// `5,420`
pub fn count(n: u64) -> String {
    separated(&n.to_string())
}

/// `1 pass`, `3 passes`: `many` is the plural.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// Power of ten of the first digit; `None` for zero and what is not finite.
pub fn exponent(value: f64) -> Option<i32> {
    (value != 0.0 && value.is_finite()).then(|| value.abs().log10().floor() as i32)
}

/// `value` to the digit at 10^`place`, with separated thousands.
pub fn rounded(value: f64, place: i32) -> String {
    if !value.is_finite() {
        return NOTHING.to_string();
    }
    if value.abs() >= 1e15 || (value != 0.0 && value.abs() < 1e-9) {
        return format!("{value:.1e}");
    }
    let text = if place > 0 {
        let unit = 10f64.powi(place);
        format!("{:.0}", (value / unit).round() * unit)
    } else {
        format!("{value:.*}", (-place).min(12) as usize)
    };
    match text.strip_prefix('-') {
        // Rounding may leave a zero with a sign.
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => separated(digits),
        Some(digits) => format!("-{}", separated(digits)),
        None => separated(&text),
    }
}

pub fn separated(digits: &str) -> String {
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = String::with_capacity(digits.len() + whole.len() / 3);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::rough;

    #[test]
    fn rough_numbers_have_three_digits() {
        let said = [5423.7, 1.2345, 0.041249, 431.2, 99.97, 9.996, 1_234_567.0, 0.0, -999.6].map(rough);
        assert_eq!(said, ["5,420", "1.23", "0.0412", "431", "100", "10.0", "1,230,000", "0", "-1,000"]);
    }
}
