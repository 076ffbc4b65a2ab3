//! What a figure must reach, and whether it does.

use crate::figure::Estimate;
use crate::layer::Layer;
use crate::operation::OpClass;
use crate::pattern::{Metric, Pattern};
use crate::workload::Workload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bound on the figures of one cell of the depth chart: at most that much where less is better, else at least.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Threshold {
    pub layer: Layer,
    pub pattern: Pattern,
    /// Of which operations of a load that reads and writes. `None`: of those that the pattern is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OpClass>,
    /// `None`: every target of the cell.
    pub target: Option<String>,
    /// In the metric's unit.
    pub value: f64,
    /// What was loaded when an earlier run had it; `None`: somebody wrote it down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    /// The depth chart has no figure of this target; it is about those beside the chart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
}

impl Threshold {
    /// Of the pattern's own operations and whatever workload.
    pub fn of(layer: Layer, pattern: Pattern, target: Option<&str>, value: f64) -> Threshold {
        Threshold { layer, pattern, kind: None, target: target.map(String::from), value, workload: None, beside: false }
    }

    pub fn kind(&self) -> OpClass {
        self.kind.unwrap_or(self.pattern.kind())
    }

    pub fn metric(&self) -> Metric {
        self.pattern.metric(self.layer)
    }

    /// Which side of the bound the whole interval lies on.
    pub fn outcome(&self, estimate: &Estimate) -> Outcome {
        let less_is_better = self.metric().lower_is_better();
        match (estimate.high <= self.value, estimate.low >= self.value) {
            (true, _) if less_is_better => Outcome::Pass,
            (_, true) if !less_is_better => Outcome::Pass,
            (false, false) => Outcome::Open,
            _ => Outcome::Fail,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The whole interval is within the bound.
    Pass,
    /// The whole interval is beyond it.
    Fail,
    /// The bound lies inside the interval, there is no figure, or operations failed of one that would keep it.
    Open,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Open => "open",
        }
    }
}

/// A threshold and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub threshold: Threshold,
    pub target: String,
    /// `None`: there is no figure that may be used; `why` says so.
    pub estimate: Option<Estimate>,
    pub outcome: Outcome,
    pub why: Option<String>,
}
