//! What a diagnosis says that mending the cause would gain, against what is measured before the fault is on and once it is off again.

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
    /// What it was before.
    pub before: Level,
    /// What it is once the fault is off. Nobody knows what it would have been meanwhile, on a machine that others use as well:
    /// what lies between the two.
    pub after: Level,
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
    /// What was told lies between the two, or its difference from the nearer one may be none, each with its own error.
    pub fn holds(&self) -> bool {
        let (told, before, after) = (&self.told, &self.before, &self.after);
        let least = if before.value < after.value { before } else { after };
        let most = if before.value < after.value { after } else { before };
        told.value >= least.value - (told.high - told.value).hypot(least.value - least.low)
            && told.value <= most.value + (told.value - told.low).hypot(most.high - most.value)
    }

    /// `5.10 ms, told to become 1.20 (1.10 to 1.30), was 1.21 (1.16 to 1.26) before and 1.25 (1.21 to 1.29) after`
    pub fn words(&self) -> String {
        let level = |level: &Level| format!("{:.2} ({:.2} to {:.2})", level.value, level.low, level.high);
        let [told, before, after] = [&self.told, &self.before, &self.after].map(level);
        format!("{:.2} ms, told to become {told}, was {before} before and {after} after", self.with_fault.value)
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
    fn what_was_told_holds_where_it_lies_between_or_the_difference_lies_within_both_errors() {
        let check = |told, before, after| Check { with_fault: level(9.0, 1.0), told, before, after };
        let steady = |told, then: f64| check(told, level(then, 0.1), level(then, 0.1));
        assert!(steady(level(1.0, 0.1), 1.1).holds());
        assert!(!steady(level(1.0, 0.1), 1.2).holds() && !steady(level(1.2, 0.1), 1.0).holds());
        // The end that faces the other one counts.
        let open = Level { value: 1.0, low: 0.9, high: 2.0 };
        assert!(steady(open, 1.9).holds() && !steady(open, 0.5).holds());
        // Slower or faster meanwhile.
        let (low, high) = (level(0.8, 0.01), level(1.2, 0.01));
        assert!(check(level(1.0, 0.01), low, high).holds() && check(level(1.0, 0.01), high, low).holds());
        assert!(!check(level(0.7, 0.01), low, high).holds() && !check(level(1.3, 0.01), high, low).holds());
        assert_eq!(
            check(level(1.0, 0.1), level(1.05, 0.05), level(1.1, 0.1)).words(),
            "9.00 ms, told to become 1.00 (0.90 to 1.10), was 1.05 (1.00 to 1.10) before and 1.10 (1.00 to 1.20) after"
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
