//! The document `fathom.run/1`: all that a run says, for programs. `docs/json.md` describes every field.

mod asked;

use crate::words;
use model::{
    ChartCell, Distance, Estimate, Figure, Finding, Label, Layer, LedgerRow, OtherWay, Outlier, Percentile, Record,
    Report, Standing, secrets,
};
use serde_json::{Map, Value, json};

pub const SCHEMA: &str = "fathom.run/1";

/// The whole document. A number that is not finite becomes `null`: JSON has no other word for it.
pub fn document(report: &Report, record: &Record) -> Value {
    let mut scope = json!(record.scope);
    if let Some(options) = scope.get_mut("options").and_then(Value::as_object_mut) {
        // An archive may be older than the list of what is secret.
        for (name, value) in options {
            *value = json!(secrets::value(name, value.as_str().unwrap_or_default()));
        }
    }
    json!({
        "schema": SCHEMA,
        "run": report.head.run,
        "started": report.head.started,
        "seconds": report.seconds,
        "version": report.head.version,
        "command": report.head.command,
        "imported": report.head.imported,
        "passes": report.passes,
        "finished": report.finished(),
        "ending": report.ending,
        "overhead": report.overhead,
        // Another tool was asked for nothing of the kind.
        "goal": report.head.imported.is_none().then_some(&record.plan.goal),
        "scope": scope,
        "figures": list(&report.figures, figure),
        "chart": list(&report.chart, cell),
        "ledger": list(&report.ledger, row),
        "floor": list(&report.distances, distance),
        "verdicts": list(&report.verdicts, asked::verdict),
        "limits": list(&report.limits, asked::limit),
        "clients": list(&report.doubled, asked::clients),
        "ab": asked::ab(report),
        "sweep": report.sweep.as_deref().map(asked::sweep),
        "sustained": list(&report.sustained, asked::sustained),
        "path_mtus": record.path_mtus(),
        "bonds": record.bonds(),
        "host_loads": list(&report.host_loads, asked::host_load),
        "outliers": list(&report.outliers, outlier),
        "findings": list(&report.findings, finding),
        "changes": list(&report.changes, |undo| json!({"what": undo.change.what(), "undone": undo.undone,
            "left_as_it_is": undo.left})),
        "warnings": report.warnings,
        "errors": report.errors,
    })
}

/// The same document of a command that failed before there was a run: `error` is all that it knows.
pub fn failed(error: &str, version: &str) -> Value {
    json!({
        "schema": SCHEMA,
        "run": null,
        "started": null,
        "seconds": 0.0,
        "version": version,
        "command": null,
        "imported": null,
        "passes": 0,
        "finished": false,
        "ending": "failed",
        "overhead": null,
        "goal": null,
        "scope": null,
        "figures": [],
        "chart": [],
        "ledger": [],
        "floor": [],
        "verdicts": [],
        "limits": [],
        "clients": [],
        "ab": null,
        "sweep": null,
        "sustained": [],
        "path_mtus": [],
        "bonds": [],
        "host_loads": [],
        "outliers": [],
        "findings": [],
        "changes": [],
        "warnings": [],
        "errors": [error],
    })
}

fn list<T>(items: &[T], document: impl Fn(&T) -> Value) -> Value {
    items.iter().map(document).collect()
}

fn other_way(other: &OtherWay) -> Value {
    json!({
        "durability": words::durability_name(other.durability),
        "value": other.estimate.map(|estimate| estimate.value),
        "ci95": interval(other.estimate.as_ref()),
        "label": other.label,
    })
}

/// A figure has a value exactly if it is not void: a value that is no number makes it so.
fn figure(figure: &Figure) -> Value {
    let void = matches!(figure.label, Label::Void(_));
    let estimate = figure.estimate.filter(|estimate| estimate.value.is_finite() && !void);
    let (label, why) = match estimate {
        Some(_) => (figure.label.name(), figure.label.why()),
        None => ("void", figure.label.why().or(Some("its value is not a finite number"))),
    };
    json!({
        "step": figure.step,
        "layer": figure.layer.name(),
        "target": figure.target,
        "host": figure.host,
        "network": figure.network,
        "pattern": figure.pattern.name(),
        "kind": words::kind(figure.kind),
        "workload": figure.workload,
        "other_way": figure.other_way.as_ref().map(other_way),
        "metric": figure.metric,
        "unit": figure.metric.unit(),
        "value": estimate.map(|estimate| estimate.value),
        "ci95": interval(estimate.as_ref()),
        "label": label,
        "why": why,
        "chart": figure.chart,
        "at_once": figure.at_once,
        "slices": figure.slices,
        "seconds": figure.seconds,
        "operations": figure.operations,
        "bytes": figure.bytes,
        "errors": figure.errors,
        "percentiles": values(&figure.percentiles),
        "percentiles_ci95": intervals(&figure.percentiles),
        "response_percentiles": values(&figure.response),
        "response_percentiles_ci95": intervals(&figure.response),
        "effort": figure.effort,
        "verified": figure.checked,
        "valid_up_to": figure.valid_up_to,
        "gaps": figure.gaps,
        "overlap": figure.overlap,
        "unseen": figure.unseen,
        "empty_pages": figure.empty_pages,
        "pgs_seen": list(&figure.pgs_seen, |seen| json!({"pass": seen.pass, "states": seen.states})),
        "background": figure.background,
        "sight": figure.sight,
    })
}

/// Keyed by the percent as it is spoken: `50`, `99.9`.
fn keyed(percentiles: &[Percentile], value: impl Fn(&Percentile) -> Value) -> Value {
    let entries = percentiles.iter().map(|percentile| (percentile.percent.to_string(), value(percentile)));
    Value::Object(entries.collect::<Map<_, _>>())
}

fn values(percentiles: &[Percentile]) -> Value {
    keyed(percentiles, |percentile| json!(percentile.value_ms))
}

fn intervals(percentiles: &[Percentile]) -> Value {
    keyed(percentiles, |percentile| json!([percentile.low_ms, percentile.high_ms]))
}

fn interval(estimate: Option<&Estimate>) -> Value {
    estimate.map_or(Value::Null, |estimate| json!([estimate.low, estimate.high]))
}

fn cell(cell: &ChartCell) -> Value {
    let metric = cell.pattern.metric(cell.layer);
    let estimate = cell.estimate.filter(|estimate| estimate.value.is_finite());
    json!({
        "layer": cell.layer.name(),
        "pattern": cell.pattern.name(),
        "metric": metric,
        "unit": metric.unit(),
        "value": estimate.map(|estimate| estimate.value),
        "ci95": interval(estimate.as_ref()),
        "targets": cell.targets,
        "worst": cell.worst,
        "label": cell.label,
        "why": cell.why,
    })
}

fn row(row: &LedgerRow) -> Value {
    json!({
        "pattern": row.pattern.name(),
        "layer": row.layer.name(),
        "unit": row.pattern.metric(row.layer).unit(),
        "adds": row.adds.value,
        "ci95": interval(Some(&row.adds)),
        "expected": row.expected,
        "unexplained": row.unexplained,
        "share": row.share,
        "ceiling": row.ceiling,
        "at_least": row.at_least,
        "because": row.because,
    })
}

fn distance(distance: &Distance) -> Value {
    let interval = |estimate: &Estimate| interval(Some(estimate));
    json!({
        "pattern": distance.pattern.name(),
        "replicas": distance.replicas,
        "on": distance.on,
        "unit": distance.pattern.metric(Layer::Rados).unit(),
        "floor": distance.floor.value,
        "floor_ci95": interval(&distance.floor),
        "ceph": distance.ceph.value,
        "ceph_ci95": interval(&distance.ceph),
        "floor_label": distance.floor_label,
        "ceph_label": distance.ceph_label,
        "times": distance.times.value,
        "times_ci95": [distance.times.low, distance.times.high],
    })
}

fn outlier(outlier: &Outlier) -> Value {
    json!({
        "layer": outlier.layer.name(),
        "pattern": outlier.pattern.name(),
        "target": outlier.target,
        "slower_by": outlier.slower_by,
        "standing": standing(outlier.standing),
        "says": outlier.says,
    })
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Confirmed => "confirmed",
        Standing::Hint => "hint",
    }
}

fn finding(finding: &Finding) -> Value {
    json!({
        "id": finding.id,
        "standing": standing(finding.standing),
        "target": finding.target(),
        "says": finding.says,
        "evidence": finding.evidence,
        "cost": null,
        "fix": finding.fix,
        "risk": finding.risk,
    })
}
