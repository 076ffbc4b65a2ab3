//! When two texts are the same value of an option: monitors keep `0.001` as `0.001000`, `64K` as `65536`, `yes` as `true`.

/// Monitors write floating-point numbers with six decimals.
const DECIMALS: f64 = 5e-7;

pub fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim(), b.trim());
    a.eq_ignore_ascii_case(b)
        || matches!((truth(a), truth(b)), (Some(a), Some(b)) if a == b)
        || meanings(a).iter().any(|a| meanings(b).iter().any(|b| (a - b).abs() <= DECIMALS))
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// What a number with a unit may mean: bytes, decimal counts or seconds.
fn meanings(text: &str) -> Vec<f64> {
    let split = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(text.len());
    let Ok(number) = text[..split].parse::<f64>() else { return Vec::new() };
    let unit = text[split..].trim().to_ascii_lowercase();
    let power = |base: f64, letters: &str| {
        let letter = unit.trim_end_matches('b').trim_end_matches('i');
        letters.find(letter).filter(|_| letter.len() == 1).map(|at| number * base.powi(at as i32 + 1))
    };
    let seconds = match unit.as_str() {
        "s" | "sec" | "seconds" | "ms" | "" => Some(1.0),
        "m" | "min" | "minutes" => Some(60.0),
        "h" | "hours" => Some(3600.0),
        "d" | "days" => Some(86400.0),
        "w" | "weeks" => Some(604800.0),
        _ => None,
    };
    [power(1024.0, "kmgtpe"), power(1000.0, "kmgtpe"), seconds.map(|seconds| number * seconds)]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_monitors_keep_is_what_was_set() {
        for (set, kept) in [
            ("0.001", "0.001000"),
            ("64K", "65536"),
            ("64KiB", "65536"),
            ("1M", "1048576"),
            ("1M", "1000000"),
            ("yes", "true"),
            ("True", "true"),
            ("0", "false"),
            ("5m", "300"),
            ("1h", "3600"),
            ("bitmap", "bitmap"),
            ("10", "10"),
            ("", ""),
        ] {
            assert!(same(set, kept), "{set} {kept}");
            assert!(same(kept, set), "{kept} {set}");
        }
    }

    #[test]
    fn other_values_are_other_values() {
        for (ours, theirs) in
            [("0.001", "0.002000"), ("64K", "65537"), ("true", "false"), ("1", "10"), ("a", "b"), ("", "0")]
        {
            assert!(!same(ours, theirs), "{ours} {theirs}");
        }
    }
}
