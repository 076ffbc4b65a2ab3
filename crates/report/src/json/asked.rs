//! What a run was asked for besides figures, in its document: verdicts, highest rates, clients, A/B, sweeps, sustained writes, hosts.

use super::{interval, list};
use crate::sections::verdicts;
use crate::{compare, words};
use model::{
    Axis, Doubled, Endurance, Estimate, HostLoad, Knee, Limit, Metric, Percentile, Probe, Reading, Report, ScaledLoad,
    Swept, Verdict,
};
use serde_json::{Map, Value, json};

pub(super) fn verdict(verdict: &Verdict) -> Value {
    let threshold = &verdict.threshold;
    json!({
        "layer": threshold.layer.name(),
        "pattern": threshold.pattern.name(),
        "kind": words::kind(threshold.kind()),
        "target": verdict.target,
        "unit": threshold.metric().unit(),
        "bound": verdicts::bound(threshold.metric()),
        "threshold": threshold.value,
        "value": verdict.estimate.map(|estimate| estimate.value),
        "ci95": interval(verdict.estimate.as_ref()),
        "outcome": verdict.outcome.name(),
        "why": verdict.why,
    })
}

pub(super) fn limit(limit: &Limit) -> Value {
    json!({
        "layer": limit.layer.name(),
        "target": limit.target,
        "pattern": limit.pattern.name(),
        "percent": limit.bound.percent,
        "below_ms": limit.bound.ms,
        "rate": limit.rate,
        "confirmed_seconds": limit.seconds,
        "closed_loop": limit.capacity,
        "tried": list(&limit.probes, tried),
        "why": limit.why,
    })
}

fn tried(probe: &Probe) -> Value {
    let milliseconds =
        |of: &Option<Percentile>| of.as_ref().map(|found| json!([found.value_ms, found.low_ms, found.high_ms]));
    json!({
        "rate": probe.rate,
        "confirms": probe.confirms,
        "kept": probe.kept,
        "seconds": probe.seconds,
        "slower": probe.over,
        "slower_ci90": [probe.over_low, probe.over_high],
        "p50_ms": milliseconds(&probe.median),
        "percentile_ms": milliseconds(&probe.bounded),
    })
}

pub(super) fn sweep(swept: &Swept) -> Value {
    let axes = &swept.sweep.axes;
    let point = |reading: &Reading| {
        let value = |(axis, place): (&Axis, &u32)| {
            let value = axis.values.get(*place as usize).map_or(Value::Null, |value| json!(value));
            (axis.name.clone(), value)
        };
        let finite = |of: Option<Estimate>| of.filter(|estimate| estimate.value.is_finite());
        let (throughput, latency) = (finite(reading.throughput), finite(reading.latency));
        json!({
            "figure": reading.figure,
            "at": Value::Object(axes.iter().zip(&reading.at).map(value).collect::<Map<_, _>>()),
            "throughput": throughput.map(|of| of.value),
            "throughput_ci95": interval(throughput.as_ref()),
            "throughput_unit": reading.metric.unit(),
            "latency": latency.map(|of| of.value),
            "latency_ci95": interval(latency.as_ref()),
        })
    };
    let axis = |axis: &Axis| json!({"name": axis.name, "unit": words::axis_unit(&axis.name), "values": axis.values});
    json!({
        "axes": list(axes, axis),
        "left_out": swept.sweep.left_out,
        "points": list(&swept.readings, point),
        "knees": list(&swept.knees, knee),
    })
}

fn knee(knee: &Knee) -> Value {
    json!({
        "points": knee.curve,
        "depth": knee.knee.depth,
        "between": [knee.knee.from, knee.knee.to],
        "reaches": knee.reaches,
        "best": knee.best,
        "balance": knee.balance.depth,
        "balance_between": [knee.balance.from, knee.balance.to],
        "beyond": knee.beyond.name(),
        "says": knee.says,
    })
}

pub(super) fn clients(doubled: &Doubled) -> Value {
    let load = |load: &ScaledLoad| {
        json!({
            "clients": load.hosts * load.each,
            "hosts": load.hosts,
            "value": load.estimate.map(|value| value.value),
            "ci95": load.estimate.map(|value| [value.low, value.high]),
            "label": load.label,
        })
    };
    json!({
        "layer": doubled.layer.name(),
        "target": doubled.target,
        "pattern": doubled.pattern.name(),
        "unit": doubled.unit,
        "full": doubled.full,
        "says": doubled.says,
        "tried": doubled.loads.iter().map(load).collect::<Vec<_>>(),
    })
}

pub(super) fn ab(report: &Report) -> Value {
    let Some(found) = &report.ab else { return Value::Null };
    json!({
        "what": found.what,
        "a": found.a,
        "b": found.b,
        "pairs": found.pairs,
        "half_width": found.half_width,
        "half_width_apart": found.apart,
        "differences": compare::differences(&found.comparison),
    })
}

pub(super) fn sustained(found: &Endurance) -> Value {
    let value = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.value);
    let interval = |estimate: Option<Estimate>| estimate.map(|estimate| [estimate.low, estimate.high]);
    let cliff = found.cliff.map(|cliff| {
        json!({
            "written": cliff.written,
            "between": [cliff.low, cliff.high],
            "from": value(cliff.from),
            "from_ci95": interval(cliff.from),
            "to": value(cliff.to),
            "to_ci95": interval(cliff.to),
            "fall": cliff.fall,
        })
    });
    json!({
        "target": found.target,
        "model": found.model,
        "also": found.also,
        "ended": found.ended.name(),
        "error": found.error,
        "written": found.written,
        "seconds": found.seconds,
        "written_before": found.before,
        "held": found.held,
        "unit": Metric::Bandwidth.unit(),
        "rate": value(found.rate),
        "rate_ci95": interval(found.rate),
        "cliff": cliff,
        "each_second": found.each_second,
        "says": found.says,
    })
}

pub(super) fn host_load(load: &HostLoad) -> Value {
    let mean = &load.mean;
    json!({
        "host": load.host,
        "step": load.step.0,
        "layer": load.layer.name(),
        "target": load.target,
        "pattern": load.pattern.name(),
        "seconds": mean.seconds,
        "cpu": mean.cpu,
        "steal": mean.steal,
        "pressure": mean.pressure,
        "disks": mean.disks,
        "nics": mean.nics,
        "segments": mean.segments,
        "retransmitted": mean.retransmitted,
        "osds": mean.osds,
    })
}
