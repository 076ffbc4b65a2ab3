//! When two texts are the same value of an option: monitors keep `0.001` as `0.001000`, `64K` as `65536`, `yes` as `true`, and the level of a
//! log, `20`, as that of file and memory, `20/20`.
//! And which texts are none.

use serde_json::Value;

/// Monitors write floating-point numbers with six decimals.
const DECIMALS: f64 = 5e-7;

pub fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim(), b.trim());
    a.eq_ignore_ascii_case(b)
        || matches!((truth(a), truth(b)), (Some(a), Some(b)) if a == b)
        || [(a, b), (b, a)]
            .into_iter()
            .any(|(both, one)| one.parse::<u8>().is_ok() && both.split_once('/') == Some((one, one)))
        || meanings(a).iter().any(|a| meanings(b).iter().any(|b| (a - b).abs() <= DECIMALS))
}

/// What monitors say of the values of an option (`config help`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionValues {
    /// As Ceph names it: `bool`, `int`, `uint`, `float`, `size`, `secs`, `str`.
    kind: String,
    /// Empty: any of the kind.
    words: Vec<String>,
    least: Option<f64>,
    most: Option<f64>,
}

impl OptionValues {
    pub fn of(help: &Value) -> OptionValues {
        let text = |key: &str| help.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
        let number =
            |key: &str| help.get(key).and_then(|bound| bound.as_f64().or_else(|| bound.as_str()?.parse().ok()));
        let words = help.get("enum_values").and_then(Value::as_array).into_iter().flatten();
        OptionValues {
            kind: text("type"),
            words: words.filter_map(Value::as_str).map(str::to_string).collect(),
            least: number("min"),
            most: number("max"),
        }
    }

    /// What it may be, where it can't be this: what is not sure is left to the monitors.
    pub fn instead_of(&self, value: &str) -> Option<String> {
        let value = value.trim();
        if !self.words.is_empty() {
            let known = self.words.iter().any(|word| word.eq_ignore_ascii_case(value));
            return (!known).then(|| format!("one of {}", self.words.join(", ")));
        }
        if value.is_empty() {
            return None;
        }
        let number = match self.kind.as_str() {
            "bool" => return (truth(value).is_none() && !begins_a_number(value)).then(|| "true or false".to_string()),
            "int" | "uint" | "float" | "size" | "secs" | "millisecs" => plain(value),
            _ => return None,
        };
        // Units, other bases and exponents are the monitors' to read.
        let fits = match number {
            Some(number) => self.within(number),
            None => begins_a_number(value) || ["inf", "nan"].iter().any(|word| value.eq_ignore_ascii_case(word)),
        };
        (!fits).then(|| self.range())
    }

    /// Bounds that contradict each other are an unsigned number that wrapped around.
    fn bounds(&self) -> (Option<f64>, Option<f64>) {
        match (self.least, self.most) {
            (Some(least), Some(most)) if least > most => (None, None),
            bounds => bounds,
        }
    }

    fn within(&self, value: f64) -> bool {
        let (least, most) = self.bounds();
        least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most)
    }

    fn range(&self) -> String {
        match self.bounds() {
            (Some(least), Some(most)) => format!("a number from {least} to {most}"),
            (Some(least), None) => format!("a number from {least}"),
            (None, Some(most)) => format!("a number up to {most}"),
            (None, None) => "a number".to_string(),
        }
    }
}

/// Digits alone, with a sign and a point: a number in any language.
fn plain(value: &str) -> Option<f64> {
    let plain = value.chars().all(|c| c.is_ascii_digit() || "+-.".contains(c));
    value.parse().ok().filter(|_| plain)
}

fn begins_a_number(value: &str) -> bool {
    value.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit())
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
            ("20", "20/20"),
            ("", ""),
        ] {
            assert!(same(set, kept), "{set} {kept}");
            assert!(same(kept, set), "{kept} {set}");
        }
        assert!(!same("20", "20/5") && !same("20/5", "5"));
    }

    #[test]
    fn what_can_be_no_value_is_told_with_what_can() {
        let help = |kind: &str, more: Value| {
            let mut help = more;
            help["type"] = kind.into();
            OptionValues::of(&help)
        };
        let queue = help("str", serde_json::json!({"enum_values": ["wpq", "mclock_scheduler"], "min": "", "max": ""}));
        assert_eq!(queue.instead_of("qpw").as_deref(), Some("one of wpq, mclock_scheduler"));
        assert_eq!(queue.instead_of("wpq"), None);
        let ratio = help("float", serde_json::json!({"min": "0", "max": 1.0}));
        assert_eq!(ratio.instead_of("1.5").as_deref(), Some("a number from 0 to 1"));
        assert_eq!(ratio.instead_of("0.85"), None);
        let count = help("uint", serde_json::json!({"min": "", "max": ""}));
        assert_eq!((count.instead_of("many").as_deref(), count.instead_of("4K")), (Some("a number"), None));
        assert_eq!(help("bool", serde_json::json!({})).instead_of("maybe").as_deref(), Some("true or false"));
        let contradictory = help("int", serde_json::json!({"min": 18446744073709551606u64, "max": 10}));
        assert_eq!((contradictory.instead_of("5"), contradictory.instead_of("x").as_deref()), (None, Some("a number")));
        // All of these are kept by the monitors of 16.2.
        for (kind, values) in [
            ("float", &["1e-3", "1e3", "0x10", "0x1p-3", "inf", "nan", "-15"][..]),
            ("secs", &["1 hour", "1hr", "1second", "1mo", "1h30m", "1h 30m", ""]),
            ("size", &["1024B", "1073741824B", "4K"]),
            ("bool", &["2", "-1", "+5", "010", " 5", "yes"]),
        ] {
            let help = help(kind, serde_json::json!({"min": "", "max": ""}));
            values.iter().for_each(|value| assert_eq!(help.instead_of(value), None, "{kind} {value}"));
        }
        // What this program does not know, the monitors may.
        assert_eq!(help("uuid", serde_json::json!({})).instead_of("x"), None);
        assert_eq!(OptionValues::of(&Value::Null).instead_of("x"), None);
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
