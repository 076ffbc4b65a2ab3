//! The plan is data: which steps, on which targets, with which workloads, and when a figure is good enough.

use crate::change::Change;
use crate::experiment::PlannedExperiment;
use crate::layer::Layer;
use crate::pattern::{Metric, Pattern};
use crate::plan_fields::PlanFields;
use crate::step_id::StepId;
use crate::target::{Place, Target, on_network};
use crate::workload::Workload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One cell on one or more targets, loaded at once. One target: it is measured alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub id: StepId,
    pub layer: Layer,
    pub pattern: Pattern,
    /// Loaded side by side, each with the whole workload.
    pub targets: Vec<Target>,
    pub workload: Workload,
    pub metric: Metric,
    /// Does this step stand for its cell in the depth chart? Others (one stream, all OSDs at once) are shown beside it.
    pub chart: bool,
    /// Its targets share nothing: each is measured as if it were alone, and there is no figure of all together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// One operation at a time, over all its targets in shuffled turns: their figures differ by nothing but the targets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_turns: bool,
}

impl Step {
    /// A cell of the depth chart, on targets that are loaded at once.
    pub fn new(id: u32, layer: Layer, pattern: Pattern, targets: Vec<Target>, workload: Workload) -> Step {
        let metric = pattern.metric(layer);
        Step { id: StepId(id), layer, pattern, targets, workload, metric, chart: true, apart: false, in_turns: false }
    }

    /// Does it load the cluster that this run is connected with?
    pub fn loads_ceph(&self) -> bool {
        let of_cluster = |place: &Place| matches!(place, Place::Cephfs { .. } | Place::Nfs { of_cluster: true, .. });
        self.layer.of_ceph() || self.targets.iter().any(|target| of_cluster(&target.place))
    }

    /// May gateways or metadata servers of the cluster be asked by its operations? Their counters tell whether they were.
    pub fn may_ask_services(&self) -> bool {
        self.layer.of_buckets()
            || self.layer.of_folders() && (self.loads_ceph() || self.targets.iter().any(|target| target.on_cephfs))
    }

    /// Compactions come with writes to an object store; raw devices and networks have none.
    pub fn meets_compactions(&self) -> bool {
        self.workload.writes() && self.layer.of_ceph()
    }

    /// What the figure of all targets together is called: `osd.*`, `node1.*` for the disks of one host, or the one target's own
    /// name, or what all clients load.
    pub fn together(&self) -> String {
        match self.targets.as_slice() {
            [only] => only.name.clone(),
            [first, more @ ..] if self.apart => format!("{} and {} more", first.name, more.len()),
            [first, ..] if self.of_clients() => {
                first.client.as_ref().map_or_else(String::new, |client| client.of.clone())
            }
            _ => match self.only_host() {
                Some(host) => format!("{host}.*"),
                None => on_network(format!("{}.*", self.layer.name()), self.network()),
            },
        }
    }

    /// Between which addresses of hosts; `None`: those at which they load the cluster, or it is between no hosts.
    pub fn network(&self) -> Option<&str> {
        self.targets.first().and_then(|target| target.network.as_deref())
    }

    /// Is there a figure of all its targets together?
    pub fn has_whole(&self) -> bool {
        self.targets.len() > 1 && !self.apart && !self.in_turns
    }

    /// The host whose disks these are, if they are those of one host that loads them itself.
    pub fn only_host(&self) -> Option<&str> {
        let host = |target: &Target| Some(target.client.as_ref()?.host.clone());
        let first = self.targets.first().filter(|first| first.layer.of_disks())?.client.as_ref()?;
        self.targets.iter().all(|target| host(target).as_ref() == Some(&first.host)).then_some(first.host.as_str())
    }

    /// Are its targets one and the same, as several hosts see it? Then all together are the cluster's figure, and each is a host's.
    pub fn of_clients(&self) -> bool {
        let of = |target: &Target| target.client.as_ref().map(|client| client.of.clone());
        let first = self.targets.first().and_then(of);
        self.targets.len() > 1 && first.is_some() && self.targets.iter().all(|target| of(target) == first)
    }
}

/// Steps that differ in their clients only, each with more than the one before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Doubling {
    #[serde(rename = "rungs")]
    pub loads: Vec<ScalingStep>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingStep {
    pub step: StepId,
    pub hosts: u32,
    /// Clients on each of them.
    pub each: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "PlanFields", into = "PlanFields")]
pub struct Plan {
    /// Made before the first step, journalled, undone at the end.
    pub changes: Vec<Change>,
    pub steps: Vec<Step>,
    /// Nobody asked for these working sets: one that takes long to write full may be cut.
    pub may_shrink: bool,
    /// Steps whose working set was.
    pub cut: Vec<StepId>,
    pub goal: Goal,
    pub experiment: PlannedExperiment,
}

/// When a figure is good enough (`docs/method.md`, "The procedure").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    /// Half-width of the 95 % interval, as a share of the value: 0.05.
    pub settle: f64,
    /// Measuring time of one figure, warm-up included.
    pub seconds_max: f64,
    pub passes_min: u32,
    pub passes_max: u32,
    /// Settled data of one slice that only reads, or that loads a raw device or a network.
    pub read_slice_seconds: f64,
    /// Settled data of one slice that writes through a store: longer, to see compaction dips.
    pub write_slice_seconds: f64,
    /// Slices end at their length, settled or not.
    #[serde(default)]
    pub fixed: bool,
    /// Steps have their turns as they stand in the plan; else they are shuffled in each pass.
    #[serde(default)]
    pub in_order: bool,
    pub window_ms: u64,
    pub seed: u64,
    /// Writes to a device take a slice of writes, as those through a store: its own cache is full within seconds, which a short
    /// slice of reads does not outlast.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outlast_caches: bool,
    /// After the first slice of a figure that needs no warm-up, many short ones; `None`: all slices are long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<ShortSlices>,
    /// Seconds that the run may take before passes beyond the least are left out; `None`: 13 minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_seconds: Option<f64>,
}

/// Short slices see more moments in the same time (docs/method.md, "Rare and long events").
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShortSlices {
    /// Counted seconds of one.
    pub seconds: f64,
    /// At its front, and not counted: until as many operations are in flight as shall be.
    pub front_seconds: f64,
    /// From the end of one slice of a step to the next one's begin, at least.
    pub apart_seconds: f64,
}

/// Settled data of a slice of writes from which a verdict may be told: 8 s, which outlast a cache's first seconds, and 15 % more
/// for a second look at it. Reads have no such cliff, and 4 s have the windows that an interval needs.
const VERDICT_SECONDS: f64 = 9.2;
const VERDICT_READ_SECONDS: f64 = 4.6;

/// The time between two slices is drawn by lot: it may be longer than the least by up to this share.
pub const SPREAD_BY_LOT: f64 = 0.5;

/// Relative half-width that figures are measured to if nothing is said: what is worth its time.
pub const USUAL_SETTLE: f64 = 0.10;

impl Default for Goal {
    fn default() -> Self {
        Goal {
            settle: 0.05,
            seconds_max: 60.0,
            passes_min: 2,
            passes_max: 6,
            read_slice_seconds: 7.0,
            write_slice_seconds: 12.0,
            fixed: false,
            in_order: false,
            window_ms: 100,
            seed: 1,
            outlast_caches: false,
            short: None,
            run_seconds: None,
        }
    }
}

/// Seconds of the first slice of a figure, of reads and of writes; the others are short.
const FIRST_READ_SECONDS: f64 = 5.0;
const FIRST_WRITE_SECONDS: f64 = 9.0;

impl Goal {
    /// How much it is, in slices that are spread over as many moments as the time allows.
    pub fn usual(settle: f64, seconds_max: f64, seed: u64) -> Goal {
        let short = ShortSlices { seconds: 0.6, front_seconds: 0.3, apart_seconds: 4.0 };
        Goal {
            settle,
            seconds_max,
            passes_max: (seconds_max / (short.seconds + short.front_seconds)).ceil() as u32,
            read_slice_seconds: FIRST_READ_SECONDS,
            write_slice_seconds: FIRST_WRITE_SECONDS,
            short: Some(short),
            seed,
            ..Goal::default()
        }
    }

    /// One pass of short slices: every cell with its interval, in the least time. 64 windows of 50 ms are what the
    /// interval's finest batch size needs.
    pub fn quick(seed: u64) -> Goal {
        Goal {
            // One slice can't show what passes would differ by: its interval is never narrower than about ±9 %. Asking for ±10 % marked
            // 52 of 55 figures; ±25 % leaves the marks to what misleads.
            settle: 0.25,
            passes_min: 1,
            passes_max: 1,
            read_slice_seconds: 3.2,
            write_slice_seconds: 3.2,
            window_ms: 50,
            seed,
            ..Goal::default()
        }
    }

    /// On which side of their thresholds are they? One pass, if they are far from them (docs/method.md, "Verdicts").
    pub fn verdict(seed: u64) -> Goal {
        Goal {
            passes_min: 1,
            read_slice_seconds: VERDICT_READ_SECONDS,
            write_slice_seconds: VERDICT_SECONDS,
            seed,
            outlast_caches: true,
            ..Goal::default()
        }
    }

    /// What does A differ from B by? Six pairs of slices show what passes differ by; a machine on which 36 leave a change open needs
    /// longer slices. With a half-width of 4 % a change of 10 % is told from one of 2.5 % in nineteen of twenty cases, also among
    /// several figures (docs/method.md, "A against B in one run").
    pub fn beside(seed: u64) -> Goal {
        Goal { settle: 0.04, seconds_max: f64::from(u32::MAX), passes_min: 6, passes_max: 36, seed, ..Goal::default() }
    }

    /// Seconds of settled data that a slice is to have.
    pub fn slice_seconds(&self, step: &Step) -> f64 {
        let cached = self.outlast_caches && step.layer.of_disks() && step.workload.writes();
        if cached || step.meets_compactions() { self.write_slice_seconds } else { self.read_slice_seconds }
    }
}
