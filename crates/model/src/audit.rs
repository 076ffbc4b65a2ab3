//! What facts alone hint at, and what is known of a rule: as data, for whoever shows it.

use crate::report::Finding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of looking at facts with all rules that need nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Rules that had what they need.
    pub looked: u32,
    /// The worst first.
    pub hints: Vec<Hint>,
    pub not_looked: Vec<NotLooked>,
    /// What of the cluster or its hosts could not be looked at, in words.
    pub left_out: Vec<String>,
}

/// Something that facts suggest; that it costs anything is not measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    pub finding: Finding,
    /// The area of its rule: `network`.
    pub area: String,
    /// Why it matters, with figures of others.
    pub why: String,
    /// What would confirm it.
    pub confirm: String,
    pub sources: Vec<String>,
    /// It says what goes on in the cluster, not how it is set.
    pub of_state: bool,
}

/// Rules that lacked the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotLooked {
    pub rules: Vec<String>,
    /// What they read.
    pub lacks: String,
    /// What would make it known.
    pub needs: String,
}

/// All that is known of a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RulePage {
    pub id: String,
    pub area: String,
    pub what: String,
    /// Why it matters, with figures of others; empty: see the evidence.
    pub why: String,
    /// How it is seen.
    pub seen: String,
    /// Where its evidence is from.
    pub from: Vec<String>,
    /// The measurement that tells a suspect from what only looks like one.
    pub confirm: String,
    /// `fathom diagnose` takes that measurement by itself.
    pub tested: bool,
    /// Which of other rules' suspects it explains.
    pub explains: Vec<String>,
    pub fix: String,
    pub special_fixes: Vec<String>,
    pub risk: String,
    pub releases: String,
    pub sources: Vec<String>,
    /// On what it was tried.
    pub tried: String,
}
