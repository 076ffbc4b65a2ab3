//! What each doubling of the clients brought: rows for a terminal and for Markdown, and the document's own.

use crate::{numbers, words};
use model::{Doubled, Report, ScaledLoad};
use serde_json::{Value, json};

pub(crate) const TITLE: &str = "Enough clients?";
pub(crate) const HEADING: [&str; 5] = ["target", "pattern", "clients", "all together", ""];

pub(crate) fn rows(report: &Report) -> Vec<Vec<String>> {
    report.doubled.iter().flat_map(|one| one.loads.iter().map(move |load| row(one, load))).collect()
}

fn row(of: &Doubled, load: &ScaledLoad) -> Vec<String> {
    let clients = match (load.hosts, load.each) {
        (1, each) => each.to_string(),
        (hosts, 1) => format!("{hosts}, a host each"),
        (hosts, each) => format!("{}, {each} on each of {hosts} hosts", hosts * each),
    };
    let metric = of.pattern.metric(of.layer);
    let value = load.estimate.map_or(numbers::NOTHING.to_string(), |value| numbers::figure(&value, metric).with_unit());
    let label = if words::mark(&load.label).is_some() { load.label.clone() } else { String::new() };
    vec![words::place(of.layer, &of.target), of.pattern.name().to_string(), clients, value, label]
}

/// A sentence for each target and pattern.
pub(crate) fn says(report: &Report) -> Vec<String> {
    let line =
        |one: &Doubled| format!("{} {}: {}.", words::place(one.layer, &one.target), one.pattern.name(), one.says);
    report.doubled.iter().map(line).collect()
}

pub(crate) fn document(doubled: &Doubled) -> Value {
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
