//! What two runs, or two groups of runs, differ by; and where a series of runs changed.

use crate::figure::{Estimate, Figure};
use crate::fitness::Fitness;
use crate::layer::Layer;
use crate::operation::OpClass;
use crate::pattern::{Metric, Pattern};
use crate::workload::Workload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub differences: Vec<Difference>,
    /// Drives whose fitness both sides judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<DriveChange>,
    /// Figures that the other side does not have, or has of another workload.
    pub only_before: Vec<String>,
    /// Figures that were measured before, and that came to nothing after, with the reason.
    pub lost: Vec<String>,
    pub only_after: Vec<String>,
    /// What else is not the same on both sides, and may be why figures differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<OtherCondition>,
    /// What unchanged runs are taken to differ by, as a share, where a side has one run of a figure (the largest of all figures: a brief
    /// one is taken to differ by more); `None`: of every figure it was seen, between the runs of each group.
    pub run_spread: Option<f64>,
}

/// Which figure it is, whatever its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureKey {
    pub layer: Layer,
    pub target: String,
    pub pattern: Pattern,
    pub kind: OpClass,
    pub at_once: u32,
    pub metric: Metric,
    /// Does it count for the depth chart? Others are told apart by their workload.
    pub chart: bool,
    pub workload: Workload,
}

impl FigureKey {
    pub fn of(figure: &Figure) -> FigureKey {
        FigureKey {
            layer: figure.layer,
            target: figure.target.clone(),
            pattern: figure.pattern,
            kind: figure.kind,
            at_once: figure.at_once,
            metric: figure.metric,
            chart: figure.chart,
            workload: figure.workload.clone(),
        }
    }
}

/// One figure on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub figure: FigureKey,
    /// In the metric's unit; of several runs their mean.
    pub before: Estimate,
    pub after: Estimate,
    /// False: an interval is as wide as its value, so that the value says nothing.
    pub before_known: bool,
    pub after_known: bool,
    /// (after − before)/before of these values, with its 95 % interval.
    pub change: Estimate,
    pub finds: Finds,
}

/// What a drive is fit for, on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DriveChange {
    pub target: String,
    pub before: Fitness,
    pub after: Fitness,
    pub finds: Finds,
}

/// What both sides tell, and not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherCondition {
    pub what: Condition,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// By its fsid.
    Cluster,
    /// Of the cluster's daemons.
    CephRelease,
    /// Its version.
    ClientLibrary,
    /// The hosts that load.
    ClientHosts,
}

impl Condition {
    pub fn name(self) -> &'static str {
        match self {
            Condition::Cluster => "cluster",
            Condition::CephRelease => "Ceph release",
            Condition::ClientLibrary => "Ceph release of the client library",
            Condition::ClientHosts => "client hosts",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Finds {
    /// Beyond the noise, and by enough to matter.
    Worse,
    Better,
    /// Not by enough to matter, and that is certain.
    Same,
    /// Neither is certain.
    Undecided,
}

impl Finds {
    pub fn name(self) -> &'static str {
        match self {
            Finds::Worse => "worse",
            Finds::Better => "better",
            Finds::Same => "same",
            Finds::Undecided => "undecided",
        }
    }
}

/// One figure over a series of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    pub figure: FigureKey,
    /// In order of time.
    pub points: Vec<TrendPoint>,
    /// Where each level begins (an index into the points), and its mean. At least one.
    pub levels: Vec<Level>,
    /// The newest run against the level before it, or, if a level has just begun, that level against the one before.
    pub finds: Finds,
    /// By how much, as a share.
    pub change: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrendPoint {
    pub run: String,
    pub estimate: Estimate,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    pub begins: usize,
    /// Geometric mean of its runs, and the 95 % interval of that by how far they lie apart.
    pub estimate: Estimate,
}
