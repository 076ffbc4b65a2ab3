//! The documents `fathom.audit/1`, what facts hint at, and `fathom.rules/1`, the pages of rules.

use crate::audit::says;
use crate::phrase;
use crate::words::Meaning;
use model::{Audit, Hint, NotLooked, RulePage, Standing};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// What settings and states of a cluster and its hosts hint at; json.md says what each field means.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "fathom.audit/1")]
pub(super) struct AuditDocument<'a> {
    schema: &'static str,
    version: &'static str,
    fsid: Option<&'a str>,
    says: Vec<String>,
    looked: u32,
    hints: Vec<HintDocument<'a>>,
    not_looked: &'a [NotLooked],
    left_out: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct HintDocument<'a> {
    id: &'a str,
    area: &'a str,
    standing: Standing,
    of_state: bool,
    target: String,
    says: String,
    evidence: Vec<String>,
    why: &'a str,
    confirm: &'a str,
    fix: &'a str,
    risk: &'a str,
    sources: &'a [String],
}

/// What is known of rules; json.md says what each field means.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "fathom.rules/1")]
pub(super) struct RulesDocument<'a> {
    schema: &'static str,
    version: &'static str,
    rules: &'a [RulePage],
    /// What labels of figures mean.
    labels: Vec<LabelDocument>,
}

/// What a label of figures means, and what to do then.
#[derive(Serialize, JsonSchema)]
struct LabelDocument {
    label: &'static str,
    means: &'static str,
    then: &'static str,
}

/// `fathom.audit/1`. `fsid`: of the cluster that was looked at.
pub fn audit(found: &Audit, fsid: Option<&str>) -> Value {
    json!(AuditDocument {
        schema: super::AUDIT,
        version: env!("CARGO_PKG_VERSION"),
        fsid,
        says: says(found),
        looked: found.looked,
        hints: found.hints.iter().map(HintDocument::from).collect(),
        not_looked: &found.not_looked,
        left_out: &found.left_out,
    })
}

/// `fathom.rules/1`.
pub fn rules(pages: &[RulePage], labels: &[&Meaning]) -> Value {
    let label = |one: &&Meaning| LabelDocument { label: one.label, means: one.means, then: one.then };
    let labels = labels.iter().map(label).collect();
    json!(RulesDocument { schema: super::RULES, version: env!("CARGO_PKG_VERSION"), rules: pages, labels })
}

impl<'a> From<&'a Hint> for HintDocument<'a> {
    fn from(hint: &'a Hint) -> Self {
        let finding = &hint.finding;
        HintDocument {
            id: &finding.id,
            area: &hint.area,
            standing: finding.standing,
            of_state: hint.of_state,
            target: finding.target(),
            says: phrase::text(&finding.says),
            evidence: finding.evidence.iter().map(phrase::text).collect(),
            why: &hint.why,
            confirm: &hint.confirm,
            fix: &finding.fix,
            risk: &finding.risk,
            sources: &hint.sources,
        }
    }
}
