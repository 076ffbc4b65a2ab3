//! What a run was asked for besides figures, in its document: verdicts, highest rates, clients, A/B, sweeps, hosts.

use super::all;
use super::compared::{DifferenceDocument, differences};
use super::parts::{Interval, Keyed, LabelName, Unit, interval_of, value_of};
use crate::sections::verdicts;
use crate::words;
use model::{
    AbFound, Beyond, DiskSecond, Doubled, Estimate, HostLoad, Interrupts, Knee, Layer, Limit, MdsSecond, NicSecond,
    OpClass, OsdSecond, Outcome, Pattern, Percentile, Pressure, Reading, ScaledLoad, Setting, SweepAxis, Swept,
    TriedRate, Verdict,
};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(super) struct VerdictDocument {
    layer: Layer,
    pattern: Pattern,
    kind: OpClass,
    target: String,
    unit: Unit,
    #[schemars(extend("enum" = ["at most", "at least"]))]
    bound: &'static str,
    threshold: f64,
    value: Option<f64>,
    ci95: Option<Interval>,
    outcome: Outcome,
    why: Option<String>,
}

impl From<&Verdict> for VerdictDocument {
    fn from(verdict: &Verdict) -> Self {
        let threshold = &verdict.threshold;
        VerdictDocument {
            layer: threshold.layer,
            pattern: threshold.pattern,
            kind: threshold.kind(),
            target: verdict.target.clone(),
            unit: Unit(threshold.metric().unit()),
            bound: verdicts::bound(threshold.metric()),
            threshold: threshold.value,
            value: value_of(verdict.estimate.as_ref()),
            ci95: interval_of(verdict.estimate.as_ref()),
            outcome: verdict.outcome,
            why: verdict.why.clone(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LimitDocument {
    layer: Layer,
    target: String,
    pattern: Pattern,
    percent: f64,
    below_ms: f64,
    rate: Option<f64>,
    confirmed_seconds: f64,
    closed_loop: Option<f64>,
    tried: Vec<TriedDocument>,
    why: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct TriedDocument {
    rate: f64,
    confirms: bool,
    kept: bool,
    seconds: f64,
    slower: f64,
    slower_ci90: Interval,
    /// Value, low, high.
    p50_ms: Option<[Option<f64>; 3]>,
    percentile_ms: Option<[Option<f64>; 3]>,
}

impl From<&Limit> for LimitDocument {
    fn from(limit: &Limit) -> Self {
        LimitDocument {
            layer: limit.layer,
            target: limit.target.clone(),
            pattern: limit.pattern,
            percent: limit.bound.percent,
            below_ms: limit.bound.ms,
            rate: limit.rate,
            confirmed_seconds: limit.seconds,
            closed_loop: limit.capacity,
            tried: all(&limit.probes),
            why: limit.why.clone(),
        }
    }
}

impl From<&TriedRate> for TriedDocument {
    fn from(probe: &TriedRate) -> Self {
        let milliseconds =
            |of: &Option<Percentile>| of.as_ref().map(|found| [Some(found.value_ms), found.low_ms, found.high_ms]);
        TriedDocument {
            rate: probe.rate,
            confirms: probe.confirms,
            kept: probe.kept,
            seconds: probe.seconds,
            slower: probe.over,
            slower_ci90: [probe.over_low, probe.over_high],
            p50_ms: milliseconds(&probe.median),
            percentile_ms: milliseconds(&probe.bounded),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SweepDocument {
    axes: Vec<AxisDocument>,
    left_out: u32,
    points: Vec<PointDocument>,
    knees: Vec<KneeDocument>,
}

#[derive(Serialize, JsonSchema)]
struct AxisDocument {
    name: String,
    unit: Option<&'static str>,
    values: Vec<Setting>,
}

/// One combination on one target; null where the figure is void, implausible or unwritten.
#[derive(Serialize, JsonSchema)]
struct PointDocument {
    figure: usize,
    at: Keyed<Option<Setting>>,
    throughput: Option<f64>,
    throughput_ci95: Option<Interval>,
    throughput_unit: Unit,
    latency: Option<f64>,
    latency_ci95: Option<Interval>,
}

#[derive(Serialize, JsonSchema)]
struct KneeDocument {
    points: Vec<usize>,
    depth: u32,
    between: [u32; 2],
    reaches: f64,
    best: u32,
    balance: u32,
    balance_between: [u32; 2],
    beyond: Beyond,
    says: String,
}

impl From<&Swept> for SweepDocument {
    fn from(swept: &Swept) -> Self {
        let axes = &swept.sweep.axes;
        SweepDocument {
            axes: all(axes),
            left_out: swept.sweep.left_out,
            points: swept.readings.iter().map(|reading| point(axes, reading)).collect(),
            knees: all(&swept.knees),
        }
    }
}

impl From<&SweepAxis> for AxisDocument {
    fn from(axis: &SweepAxis) -> Self {
        AxisDocument { name: axis.name.clone(), unit: words::axis_unit(&axis.name), values: axis.values.clone() }
    }
}

fn point(axes: &[SweepAxis], reading: &Reading) -> PointDocument {
    let value = |(axis, place): (&SweepAxis, &u32)| (axis.name.clone(), axis.values.get(*place as usize).cloned());
    let finite = |of: Option<Estimate>| of.filter(|estimate| estimate.value.is_finite());
    let (throughput, latency) = (finite(reading.throughput), finite(reading.latency));
    PointDocument {
        figure: reading.figure,
        at: Keyed::from(axes.iter().zip(&reading.at).map(value).collect()),
        throughput: value_of(throughput.as_ref()),
        throughput_ci95: interval_of(throughput.as_ref()),
        throughput_unit: Unit(reading.metric.unit()),
        latency: value_of(latency.as_ref()),
        latency_ci95: interval_of(latency.as_ref()),
    }
}

impl From<&Knee> for KneeDocument {
    fn from(knee: &Knee) -> Self {
        KneeDocument {
            points: knee.curve.clone(),
            depth: knee.knee.depth,
            between: [knee.knee.from, knee.knee.to],
            reaches: knee.reaches,
            best: knee.best,
            balance: knee.balance.depth,
            balance_between: [knee.balance.from, knee.balance.to],
            beyond: knee.beyond,
            says: knee.says.clone(),
        }
    }
}

/// One load by more and more clients.
#[derive(Serialize, JsonSchema)]
pub(super) struct ClientsDocument {
    layer: Layer,
    target: String,
    pattern: Pattern,
    unit: String,
    full: Option<u32>,
    says: String,
    tried: Vec<ScaledDocument>,
}

#[derive(Serialize, JsonSchema)]
struct ScaledDocument {
    clients: u32,
    hosts: u32,
    value: Option<f64>,
    ci95: Option<Interval>,
    label: LabelName,
}

impl From<&Doubled> for ClientsDocument {
    fn from(doubled: &Doubled) -> Self {
        ClientsDocument {
            layer: doubled.layer,
            target: doubled.target.clone(),
            pattern: doubled.pattern,
            unit: doubled.unit.clone(),
            full: doubled.full,
            says: doubled.says.clone(),
            tried: all(&doubled.loads),
        }
    }
}

impl From<&ScaledLoad> for ScaledDocument {
    fn from(load: &ScaledLoad) -> Self {
        ScaledDocument {
            clients: load.hosts * load.each,
            hosts: load.hosts,
            value: value_of(load.estimate.as_ref()),
            ci95: interval_of(load.estimate.as_ref()),
            label: LabelName(load.label.clone()),
        }
    }
}

/// One setting against another; widths are of logarithms.
#[derive(Serialize, JsonSchema)]
pub(super) struct AbDocument {
    what: String,
    a: String,
    b: String,
    pairs: u32,
    /// null: there is no pair.
    half_width: Option<f64>,
    half_width_apart: Option<f64>,
    restarts: Vec<u32>,
    permanent: Vec<String>,
    /// As in `fathom.compare/1`.
    differences: Vec<DifferenceDocument>,
}

impl From<&AbFound> for AbDocument {
    fn from(found: &AbFound) -> Self {
        AbDocument {
            what: found.what.clone(),
            a: found.a.clone(),
            b: found.b.clone(),
            pairs: found.pairs,
            half_width: (found.pairs > 0).then_some(found.half_width),
            half_width_apart: (found.pairs > 0).then_some(found.apart),
            restarts: found.restarts.clone(),
            permanent: found.permanent.clone(),
            differences: differences(&found.comparison),
        }
    }
}

/// Of one step on one host: what its kernel counted.
#[derive(Serialize, JsonSchema)]
pub(super) struct HostLoadDocument {
    host: String,
    step: u32,
    layer: Layer,
    target: String,
    pattern: Pattern,
    seconds: f64,
    cpu: f64,
    steal: f64,
    pressure: Option<Pressure>,
    disks: Vec<DiskSecond>,
    nics: Vec<NicSecond>,
    segments: u64,
    retransmitted: u64,
    osds: Vec<OsdSecond>,
    interrupts: Option<Interrupts>,
    metadata_servers: Vec<MdsSecond>,
}

impl From<&HostLoad> for HostLoadDocument {
    fn from(load: &HostLoad) -> Self {
        let mean = load.mean.clone();
        HostLoadDocument {
            host: load.host.clone(),
            step: load.step.0,
            layer: load.layer,
            target: load.target.clone(),
            pattern: load.pattern,
            seconds: mean.seconds,
            cpu: mean.cpu,
            steal: mean.steal,
            pressure: mean.pressure,
            disks: mean.disks,
            nics: mean.nics,
            segments: mean.segments,
            retransmitted: mean.retransmitted,
            osds: mean.osds,
            interrupts: mean.interrupts,
            metadata_servers: mean.metadata_servers,
        }
    }
}
