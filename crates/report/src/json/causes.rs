//! Causes in the document: findings with their costs, who was refuted, what was not tested.

use super::parts::{Interval, Unit, interval};
use crate::phrase;
use model::{Cost, Explained, Finding, Gain, Layer, LeftOut, Metric, Pattern, Refuted, Standing, Untested};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(super) struct FindingDocument {
    id: String,
    standing: Standing,
    target: String,
    says: String,
    evidence: Vec<String>,
    /// What is a consequence of it.
    explains: Vec<ExplainedDocument>,
    /// null: it was not measured.
    cost: Option<CostDocument>,
    /// The measurement that would make a hint certain; of what is confirmed empty.
    confirm: String,
    fix: String,
    risk: String,
}

impl From<&Finding> for FindingDocument {
    fn from(finding: &Finding) -> Self {
        FindingDocument {
            id: finding.id.clone(),
            standing: finding.standing,
            target: finding.target(),
            says: phrase::text(&finding.says),
            evidence: finding.all_evidence().map(phrase::text).collect(),
            explains: finding.explains.iter().map(ExplainedDocument::from).collect(),
            cost: finding.cost.as_ref().map(CostDocument::from),
            confirm: finding.confirm.clone(),
            fix: finding.fix.clone(),
            risk: finding.risk.clone(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ExplainedDocument {
    id: String,
    target: String,
    says: String,
    evidence: Vec<String>,
}

impl From<&Explained> for ExplainedDocument {
    fn from(one: &Explained) -> Self {
        let evidence = one.evidence.iter().map(phrase::text).collect();
        let (id, target) = (one.id.clone(), one.subject.to_string());
        ExplainedDocument { id, target, says: phrase::text(&one.says), evidence }
    }
}

/// What mending a cause would gain.
#[derive(Serialize, JsonSchema)]
struct CostDocument {
    gains: Vec<GainDocument>,
    /// What is the limit then.
    until: String,
}

/// What one figure is with the cause, and what it would be without.
#[derive(Serialize, JsonSchema)]
struct GainDocument {
    of: String,
    /// Of all operations of a pool, and not only of those that the cause is in the way of.
    whole: bool,
    layer: Layer,
    pattern: Pattern,
    target: String,
    metric: Metric,
    unit: Unit,
    from: f64,
    from_ci95: Interval,
    to: f64,
    to_ci95: Interval,
    /// Share: -0.37 is 37 % less.
    change: f64,
    change_ci95: Interval,
}

impl From<&Cost> for CostDocument {
    fn from(cost: &Cost) -> Self {
        let gain = |gain: &Gain| GainDocument {
            of: phrase::text(&gain.of),
            whole: gain.whole,
            layer: gain.layer,
            pattern: gain.pattern,
            target: gain.target.clone(),
            metric: gain.metric,
            unit: Unit(gain.metric.unit()),
            from: gain.from.value,
            from_ci95: interval(&gain.from),
            to: gain.to.value,
            to_ci95: interval(&gain.to),
            change: gain.change.value,
            change_ci95: interval(&gain.change),
        };
        CostDocument { gains: cost.gains.iter().map(gain).collect(), until: phrase::text(&cost.until) }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RefutedDocument {
    id: String,
    target: String,
    says: String,
    because: String,
}

impl From<&Refuted> for RefutedDocument {
    fn from(one: &Refuted) -> Self {
        let (says, because) = (phrase::text(&one.says), phrase::text(&one.because));
        RefutedDocument { id: one.id.clone(), target: one.subject.to_string(), says, because }
    }
}

/// What would have told more, and was not measured.
#[derive(Serialize, JsonSchema)]
pub(super) struct UntestedDocument {
    id: String,
    target: String,
    says: String,
    why: String,
    /// What would make it possible.
    needs: String,
}

impl From<&Untested> for UntestedDocument {
    fn from(one: &Untested) -> Self {
        let LeftOut { why, needs } = one.left_out.clone();
        UntestedDocument {
            id: one.id.clone(),
            target: one.subject.to_string(),
            says: phrase::text(&one.says),
            why,
            needs,
        }
    }
}
