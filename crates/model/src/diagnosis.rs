//! Looking for causes: the measurements that rules asked for, and what they refuted.

use crate::phrase::Phrase;
use crate::step_id::StepId;
use crate::subject::Subject;
use serde::{Deserialize, Serialize};

/// After the survey, rules ask for measurements that tell their suspects from what only looks like them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Seconds since the run began after which no further test is begun.
    pub seconds_max: f64,
    /// In the order in which they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<CauseTest>,
    /// Why writes between pairs of OSDs are no part of it; `None`: they are, or an older run did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_pairs: Option<LeftOut>,
}

/// Something that is not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub why: String,
    /// What would make it possible.
    pub needs: String,
}

/// What a diagnosis says beside its findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagnosed {
    pub refuted: Vec<Refuted>,
    pub untested: Vec<Untested>,
}

/// What would have told more, and was not measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Untested {
    /// The rule's id; of what serves several rules a name of its own.
    pub id: String,
    pub subject: Subject,
    /// What is suspected, or was to be found out.
    pub says: Phrase,
    pub left_out: LeftOut,
}

/// One measurement that a rule asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CauseTest {
    /// The rule's id.
    pub rule: String,
    /// The suspect.
    pub subject: Subject,
    /// What it is to find out, as a question.
    pub asks: String,
    /// Steps of the plan that were added for it.
    pub steps: Vec<StepId>,
}

/// Who was suspected, and is not the cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refuted {
    /// The rule's id.
    pub id: String,
    pub subject: Subject,
    /// What was suspected.
    pub says: Phrase,
    /// The measurement that refuted it.
    pub because: Phrase,
}
