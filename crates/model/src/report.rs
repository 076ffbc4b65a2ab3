//! What a run says: figures, depth chart, ledger, findings. A pure function of what is recorded.

use crate::change::Undo;
use crate::cost::Cost;
use crate::effort::Overhead;
use crate::experiment::Answer;
use crate::figure::{Estimate, Figure};
use crate::layer::Layer;
use crate::observed::HostLoad;
use crate::operation::OpClass;
use crate::osd_times::LatencyParts;
use crate::pattern::{Metric, Pattern};
use crate::phrase::Phrase;
use crate::positions::Positions;
use crate::record::{Ending, RunHead};
use crate::slow_operations::SlowestOfStep;
use crate::stores::StoreTimes;
use crate::subject::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub head: RunHead,
    pub seconds: f64,
    /// Passes done so far.
    pub passes: u32,
    /// `None`: it goes on, or was killed.
    #[serde(default)]
    pub ending: Option<Ending>,
    /// What measuring costs by itself.
    #[serde(default)]
    pub overhead: Option<Overhead>,
    pub figures: Vec<Figure>,
    pub chart: Vec<ChartCell>,
    pub ledger: Vec<LedgerRow>,
    /// Of what latencies are made, by the OSDs' own timers.
    #[serde(default)]
    pub latency_parts: Vec<LatencyParts>,
    /// What OSDs' stores do on which of their devices.
    #[serde(default)]
    pub stores: Vec<StoreTimes>,
    /// Of each step the slowest operation that its OSDs remember.
    #[serde(default)]
    pub slow_operations: Vec<SlowestOfStep>,
    /// Who slows a pool, by position; `None`: not measured.
    #[serde(default)]
    pub positions: Option<Positions>,
    /// Where the floor was measured.
    #[serde(default)]
    pub distances: Vec<Distance>,
    #[serde(default)]
    pub doors: Vec<DoorPrice>,
    /// Of several gateways the slowest beside the quickest, for each kind of operation.
    #[serde(default)]
    pub gateways: Vec<GatewayPair>,
    /// To the question of its experiment.
    #[serde(default)]
    pub answer: Answer,
    /// What other hosts' kernels counted, by step.
    #[serde(default)]
    pub host_loads: Vec<HostLoad>,
    pub outliers: Vec<Outlier>,
    pub findings: Vec<Finding>,
    pub changes: Vec<Undo>,
    /// What is to be known about how it was measured, in words.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What went wrong, in words.
    pub errors: Vec<String>,
}

impl Report {
    /// Was all that was planned measured, or tried?
    pub fn finished(&self) -> bool {
        self.ending == Some(Ending::Done)
    }

    /// Targets that are slower than their peers, without those that were not when they were measured again.
    pub fn standing_outliers(&self) -> impl Iterator<Item = &Outlier> {
        let refuted = |outlier: &&Outlier| self.answer.refuted().iter().any(|one| one.subject == outlier.subject);
        self.outliers.iter().filter(move |outlier| !refuted(outlier))
    }
}

/// One layer × one pattern: the mean over its targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChartCell {
    pub layer: Layer,
    /// Which of several gateways, or file systems: a mean over them would be of none. `None`: the layer has no such choice, or one alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<String>,
    /// The targets whose figures it is of, where the layer has others as well; empty: all of the layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    pub pattern: Pattern,
    /// `None`: every figure of the cell is void or implausible; `why` says so.
    pub estimate: Option<Estimate>,
    pub targets: u32,
    /// The target with the worst figure, if there are several.
    pub worst: Option<String>,
    /// The label's name of the cell: `settled`, or the worst of its figures'.
    pub label: String,
    pub why: Option<String>,
}

impl ChartCell {
    /// The row of the chart in which it stands: `rbd`, `file nfs://server/cephfs`.
    pub fn row(&self) -> String {
        let layer = self.layer.name();
        self.door.as_ref().map_or(layer.to_string(), |door| format!("{layer} {door}"))
    }

    /// Is it, among others, of this figure?
    pub fn has(&self, figure: &Figure) -> bool {
        let own = (figure.layer, figure.pattern) == (self.layer, self.pattern);
        figure.chart && own && (self.only.is_empty() || self.only.contains(&figure.target))
    }
}

/// What a layer adds (latency, ms) or which share of its ceiling it delivers (throughput).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRow {
    pub pattern: Pattern,
    pub layer: Layer,
    /// Latency patterns: ms more than the layers below; throughput: how much less than the ceiling, in the metric's unit.
    pub adds: Estimate,
    /// What a model of the layer expects for `adds`; `None`: no model.
    pub expected: Option<f64>,
    /// `adds` minus `expected`.
    pub unexplained: Option<f64>,
    /// Latency: share of the top layer's total. Throughput: share of its ceiling that the layer delivers. `None`: a value that it would
    /// be made of is not known; `because` says which.
    pub share: Option<f64>,
    /// The most that the layer could give; throughput patterns only, and of these only where the share is known.
    pub ceiling: Option<f64>,
    /// The share may be lower. Throughput: what the ceiling was made of may have been limited by who loaded it, and the ceiling be higher.
    /// Latency: the round trip was not measured, and is in what the layer adds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// How expected or ceiling was made: `osd.* 5,420 IOPS / 3 replicas`.
    pub because: String,
}

/// What each doubling of the clients brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Doubled {
    pub layer: Layer,
    pub target: String,
    pub pattern: Pattern,
    pub unit: String,
    pub loads: Vec<ScaledLoad>,
    /// The number of clients at which the cluster was full; `None`: it was not full, or that is not known: see `says`.
    pub full: Option<u32>,
    /// More need not be tried.
    pub ended: bool,
    pub says: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaledLoad {
    pub hosts: u32,
    /// Clients on each of them.
    pub each: u32,
    /// All together; `None`: nothing that may be used.
    pub estimate: Option<Estimate>,
    pub label: String,
}

/// What Ceph does, against what any replicated store could do at best on the same disks and network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    pub pattern: Pattern,
    /// Of both values.
    pub metric: Metric,
    /// Of the pool, and of the floor.
    pub replicas: u32,
    /// The floor's target.
    pub on: String,
    pub floor: Estimate,
    pub ceph: Estimate,
    /// Names of both figures' labels: where the load generator limited the floor, the distance is greater.
    pub floor_label: String,
    pub ceph_label: String,
    /// How many times slower Ceph is.
    pub times: Multiple,
}

/// What a door to a pool costs, against objects of RADOS under the same work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoorPrice {
    pub layer: Layer,
    pub pattern: Pattern,
    /// Of both values.
    pub metric: Metric,
    /// The door's.
    pub target: String,
    pub at_door: Estimate,
    pub of_rados: Estimate,
    /// Names of both figures' labels.
    pub door_label: String,
    pub rados_label: String,
    /// How many times slower it is at the door.
    pub times: Multiple,
}

/// The slowest and the quickest of several gateways under the same work, each loaded alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GatewayPair {
    pub pattern: Pattern,
    pub kind: OpClass,
    /// Of both values.
    pub metric: Metric,
    pub slow: String,
    pub quick: String,
    pub of_slow: Estimate,
    pub of_quick: Estimate,
    /// How many times slower the one is.
    pub times: Multiple,
    /// It is slower beyond the noise, by at least a tenth.
    pub apart: bool,
}

/// One value over another, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Multiple {
    pub value: f64,
    pub low: f64,
    /// `None`: the lower value may be next to nothing, so that there is no upper bound.
    pub high: Option<f64>,
}

/// A target that is worse than its peers beyond the noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outlier {
    pub layer: Layer,
    pub pattern: Pattern,
    pub subject: Subject,
    pub target: String,
    /// Slower than the median of the others by this share (0.2 = 20 %).
    pub slower_by: f64,
    pub standing: Standing,
    pub says: Phrase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// By a measurement.
    Confirmed,
    Hint,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub id: String,
    pub standing: Standing,
    pub subject: Subject,
    pub says: Phrase,
    /// Its own.
    pub evidence: Vec<Phrase>,
    /// Consequences of it, which would be findings without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explains: Vec<Explained>,
    /// What mending it would gain; `None`: that was not measured.
    #[serde(default)]
    pub cost: Option<Cost>,
    /// A state of the cluster that costs no time, as a flag that stops scrubs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slows_nothing: bool,
    /// The measurement that would make a hint certain, in words; of what is confirmed empty.
    #[serde(default)]
    pub confirm: String,
    pub fix: String,
    pub risk: String,
}

/// Who was suspected as well, until the cause was known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The rule's id.
    pub id: String,
    pub subject: Subject,
    /// As one piece of evidence of the cause.
    pub says: Phrase,
    pub evidence: Vec<Phrase>,
}

impl Finding {
    /// Its own, then what it explains.
    pub fn all_evidence(&self) -> impl Iterator<Item = &Phrase> {
        self.evidence.iter().chain(self.explains.iter().map(|one| &one.says))
    }

    /// The subject, as it is shown.
    pub fn target(&self) -> String {
        self.subject.to_string()
    }
}
