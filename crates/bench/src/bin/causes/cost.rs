//! What a diagnosis says that mending the cause would gain, against what is measured once the fault is off.

use crate::expected::Expected;
use crate::told::Told;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value with its 95 % interval; ms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Of all writes of a pool, each OSD as often the primary as the replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    pub with_fault: Level,
    /// What it is to be without its cause.
    pub told: Level,
    /// What it is.
    pub then: Level,
}

impl Level {
    fn of(document: &Value, name: &str) -> Option<Level> {
        let ends = &document[format!("{name}_ci95")];
        Some(Level { value: document[name].as_f64()?, low: ends[0].as_f64()?, high: ends[1].as_f64()? })
    }

    /// All writes of a diagnosis' pairs of OSDs.
    pub fn of_all_writes(diagnosis: &Value) -> Option<Level> {
        Level::of(&diagnosis["positions"], "mean")
    }
}

impl Check {
    /// Two values, each with its own error, whose difference may be none.
    pub fn holds(&self) -> bool {
        let (told, then) = (&self.told, &self.then);
        let errors = if told.value < then.value {
            (told.high - told.value).hypot(then.value - then.low)
        } else {
            (told.value - told.low).hypot(then.high - then.value)
        };
        (told.value - then.value).abs() <= errors
    }

    /// `5.10 ms, told to become 1.20 (1.10 to 1.30), was 1.25 (1.21 to 1.29)`
    pub fn words(&self) -> String {
        let level = |level: &Level| format!("{:.2} ({:.2} to {:.2})", level.value, level.low, level.high);
        format!("{:.2} ms, told to become {}, was {}", self.with_fault.value, level(&self.told), level(&self.then))
    }
}

/// What all writes take with the right cause, and would take without it; `None`: it was not told, or not what it costs them.
pub fn told(diagnosis: &Value, expected: &Expected, target: &[String]) -> Option<(Level, Level)> {
    let mut findings = diagnosis["findings"].as_array()?.iter();
    let right = findings.find(|one| one["standing"] == "confirmed" && Told::of(one).is_right(expected, target))?;
    let mut gains = right["cost"]["gains"].as_array()?.iter();
    // That of other loads is none of the positions'.
    let all = gains.find(|gain| gain["whole"] == true && gain["target"] == "pairs of OSDs")?;
    Level::of(all, "from").zip(Level::of(all, "to"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn level(value: f64, half: f64) -> Level {
        Level { value, low: value - half, high: value + half }
    }

    #[test]
    fn what_was_told_holds_where_the_difference_lies_within_both_errors() {
        let check = |told, then| Check { with_fault: level(9.0, 1.0), told, then };
        assert!(check(level(1.0, 0.1), level(1.1, 0.1)).holds());
        assert!(!check(level(1.0, 0.1), level(1.2, 0.1)).holds() && !check(level(1.2, 0.1), level(1.0, 0.1)).holds());
        // The end that faces the other one counts.
        let open = Level { value: 1.0, low: 0.9, high: 2.0 };
        assert!(check(open, level(1.9, 0.1)).holds() && !check(open, level(0.5, 0.1)).holds());
        assert_eq!(
            check(level(1.0, 0.1), level(1.1, 0.1)).words(),
            "9.00 ms, told to become 1.00 (0.90 to 1.10), was 1.10 (1.00 to 1.20)"
        );
    }

    #[test]
    fn only_the_right_cause_of_all_writes_is_looked_at() {
        let gain = |whole, to| json!({"whole": whole, "target": "pairs of OSDs", "from": 5.0, "from_ci95": [4.0, 6.0], "to": to, "to_ci95": [0.5, 1.5]});
        let document = |standing, target| {
            json!({"findings": [{"id": "osd-process-slow", "target": target, "says": "", "standing": standing,
                                 "cost": {"gains": [gain(false, 0.7), gain(true, 1.0)]}}]})
        };
        let row = Expected::of("stutter").unwrap();
        let told = |document: &Value| told(document, row, &["osd.1".to_string()]);
        assert_eq!(told(&document("confirmed", "osd.1")), Some((level(5.0, 1.0), level(1.0, 0.5))));
        assert_eq!((told(&document("hint", "osd.1")), told(&document("confirmed", "osd.2"))), (None, None));
        let after = json!({"positions": {"mean": 2.0, "mean_ci95": [1.5, 2.5]}});
        assert_eq!(Level::of_all_writes(&after), Some(level(2.0, 0.5)));
        assert_eq!(Level::of_all_writes(&json!({"positions": null})), None);
    }
}
