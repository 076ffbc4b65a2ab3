//! What a run was told, and whether that is right.

use crate::cost::Check;
use crate::expected::Expected;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A finding of a diagnosis, or a hint of an audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    pub rule: String,
    pub target: String,
    pub says: String,
    pub confirmed: bool,
}

/// One run with a fault, or with none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub target: Vec<String>,
    /// Of the diagnosis, in its order.
    pub found: Vec<Told>,
    /// Of the audit.
    pub hints: Vec<Told>,
    pub audit_seconds: f64,
    pub diagnosis_seconds: f64,
    /// What each OSD adds as primary and replica, in lines; empty: not measured.
    pub positions: Vec<String>,
    /// Of a fault whose cause was told with what it costs all writes: that, and what they take without it.
    #[serde(default)]
    pub cost: Option<Check>,
    /// What a diagnosis tells after that, when nothing is wrong any more.
    #[serde(default)]
    pub after: Option<Vec<Told>>,
    /// Why there is nothing of it.
    pub failed: Option<String>,
}

impl Told {
    pub fn all(document: &Value, field: &str) -> Vec<Told> {
        document[field].as_array().into_iter().flatten().map(Told::of).collect()
    }

    pub fn of(one: &Value) -> Told {
        let text = |field: &str| one[field].as_str().unwrap_or_default().to_string();
        let confirmed = one["standing"] == "confirmed";
        Told { rule: text("id"), target: text("target"), says: text("says"), confirmed }
    }

    pub fn is_right(&self, expected: &Expected, target: &[String]) -> bool {
        expected.causes.iter().any(|cause| {
            cause.rule == self.rule
                && cause.of.is(&self.target, expected.fault, target)
                && self.says.contains(cause.says)
        })
    }

    /// `osd-store-slow osd.3`
    pub fn name(&self) -> String {
        format!("{} {}{}", self.rule, self.target, if self.confirmed { "" } else { " (hint)" })
    }
}

impl Outcome {
    pub fn first_is_right(&self, expected: &Expected) -> bool {
        self.found.first().is_some_and(|told| told.is_right(expected, &self.target))
    }

    pub fn first_has_subject(&self, expected: &Expected) -> bool {
        self.found.first().is_some_and(|told| expected.is_subject(&told.target, &self.target))
    }

    /// The right one is anywhere among what the diagnosis has confirmed.
    pub fn confirms(&self, expected: &Expected) -> bool {
        self.found.iter().any(|told| told.confirmed && told.is_right(expected, &self.target))
    }

    /// The right one is anywhere among hints, of the diagnosis or the audit.
    pub fn hints_at(&self, expected: &Expected) -> bool {
        let hints = self.found.iter().filter(|told| !told.confirmed).chain(&self.hints);
        { hints }.any(|told| told.is_right(expected, &self.target))
    }

    /// Confirmed, and neither the cause nor what comes with it.
    pub fn wrong(&self, expected: Option<&Expected>) -> Vec<&Told> {
        let true_of = |told: &Told| {
            expected.is_some_and(|row| row.beside.contains(&told.rule.as_str()) || told.is_right(row, &self.target))
        };
        self.found.iter().filter(|told| told.confirmed && !true_of(told)).collect()
    }

    /// Confirmed although the fault is off.
    pub fn wrong_after(&self) -> Vec<&Told> {
        self.after.iter().flatten().filter(|told| told.confirmed).collect()
    }

    /// From the command to the right cause: of the diagnosis, if that tells it, or of the audit.
    pub fn seconds(&self, expected: &Expected) -> Option<f64> {
        if self.found.iter().any(|told| told.is_right(expected, &self.target)) {
            Some(self.diagnosis_seconds)
        } else {
            self.hints_at(expected).then_some(self.audit_seconds)
        }
    }
}

/// The table of positions, a line for each OSD.
pub fn positions(document: &Value) -> Vec<String> {
    let all = &document["positions"];
    let number = |value: &Value| value.as_f64().map_or("–".to_string(), |number| format!("{number:.2}"));
    let signed = |value: &Value| value.as_f64().map_or("–".to_string(), |number| format!("{number:+.2}"));
    let role = |osd: &Value, role: &str| {
        let half = |name: &str| {
            let ends = &osd[role][format!("{name}_ci95")];
            ends[1]
                .as_f64()
                .zip(ends[0].as_f64())
                .map_or("–".to_string(), |(high, low)| format!("{:.2}", (high - low) / 2.0))
        };
        let part = |name: &str| format!("{} ±{}", signed(&osd[role][name]), half(name));
        ["median", "mean", "p90"].map(part).join(", ")
    };
    let line = |osd: &Value| {
        format!(
            "osd.{} on {}: primary {}; replica {}; software {}, commit {}",
            osd["osd"],
            osd["host"].as_str().unwrap_or("?"),
            role(osd, "primary"),
            role(osd, "replica"),
            number(&osd["own_stages"]["software"]),
            number(&osd["own_stages"]["commit"]),
        )
    };
    let Some(osds) = all["osds"].as_array() else { return Vec::new() };
    let usual = format!(
        "usual: median {}, mean {}, p90 {} ms; {} writes",
        number(&all["usual_median"]),
        number(&all["usual_mean"]),
        number(&all["usual_p90"]),
        all["operations"]
    );
    [usual].into_iter().chain(osds.iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outcome(found: &[(&str, &str, bool)]) -> Outcome {
        let told = |(rule, target, confirmed): &(&str, &str, bool)| Told {
            rule: (*rule).to_string(),
            target: (*target).to_string(),
            says: "what host host1 sends is slow, for all its OSDs".to_string(),
            confirmed: *confirmed,
        };
        let found = found.iter().map(told).collect();
        Outcome {
            target: vec!["host1".into()],
            found,
            diagnosis_seconds: 50.0,
            audit_seconds: 1.0,
            ..Outcome::default()
        }
    }

    #[test]
    fn the_right_rule_of_the_right_subject_in_the_right_direction_counts() {
        let row = |fault| Expected::of(fault).unwrap();
        let right = outcome(&[("host-way-slow", "host1", true), ("osd-slow", "osd.2", true)]);
        assert!(right.first_is_right(row("link-slow-from")) && right.first_has_subject(row("link-slow-from")));
        assert!(!right.first_is_right(row("link-slow-to")) && right.first_has_subject(row("link-slow-to")));
        let wrong: Vec<String> = right.wrong(Some(row("link-slow-from"))).iter().map(|told| told.name()).collect();
        assert_eq!(wrong, ["osd-slow osd.2"]);
        assert_eq!(right.seconds(row("link-slow-from")), Some(50.0));
        let elsewhere = outcome(&[("host-way-slow", "host2", true)]);
        assert!(!elsewhere.first_is_right(row("link-slow-from")) && !elsewhere.confirms(row("link-slow-from")));
        assert_eq!(elsewhere.seconds(row("link-slow-from")), None);
    }

    #[test]
    fn a_clean_run_may_have_hints_and_nothing_confirmed() {
        assert!(outcome(&[("osd-slow", "osd.2", false)]).wrong(None).is_empty());
        assert_eq!(outcome(&[("osd-slow", "osd.2", true)]).wrong(None).len(), 1);
    }

    #[test]
    fn positions_are_told_in_a_line_for_each_osd() {
        let role = json!({"median": 0.1, "median_ci95": [0.0, 0.2], "mean": 0.2, "mean_ci95": [0.1, 0.3], "p90": 1.0, "p90_ci95": null});
        let osd = json!({"osd": 1, "host": "host2", "primary": role, "replica": role, "own_stages": {"software": 0.4, "commit": null}});
        let document = json!({"positions": {"usual_median": 1.0, "usual_mean": 1.2, "usual_p90": null, "operations": 7, "osds": [osd]}});
        let lines = positions(&document);
        assert_eq!(lines[0], "usual: median 1.00, mean 1.20, p90 – ms; 7 writes");
        assert_eq!(
            lines[1],
            "osd.1 on host2: primary +0.10 ±0.10, +0.20 ±0.10, +1.00 ±–; replica +0.10 ±0.10, +0.20 ±0.10, +1.00 ±–; software 0.40, commit –"
        );
        assert_eq!(positions(&json!({"positions": null})), Vec::<String>::new());
    }
}
