//! Figures over a series of runs: their levels, and where they changed. On a terminal, as Markdown, as `fathom.history/1`.

use crate::markdown;
use crate::terminal::{Style, plain_table};
use crate::{numbers, words};
use model::{Finds, Trend};
use serde_json::{Value, json};

pub const SCHEMA: &str = "fathom.history/1";

const HEADING: [&str; 6] = ["finds", "target", "pattern", "runs", "newest", "levels"];
const ORDER: [Finds; 4] = [Finds::Worse, Finds::Better, Finds::Undecided, Finds::Same];

pub fn summary(trends: &[Trend], until: &str, style: &Style) -> String {
    let table = plain_table(&HEADING, rows(trends), |cells| cells[0] == Finds::Worse.name(), style);
    format!("{}\n{}\n\n{table}", title(until), counts(trends))
}

pub fn page(trends: &[Trend], until: &str) -> String {
    let rows = rows(trends).into_iter().map(|row| row.iter().map(|cell| markdown::escaped(cell)).collect());
    let table = markdown::table(&HEADING.map(String::from), rows);
    format!("# {}\n\n{}.\n\n{table}", markdown::escaped(&title(until)), counts(trends))
}

pub fn document(trends: &[Trend], until: &str) -> Value {
    json!({"schema": SCHEMA, "until": until, "trends": sorted(trends).into_iter().map(trend).collect::<Vec<_>>()})
}

fn trend(one: &Trend) -> Value {
    json!({
        "layer": one.layer.name(),
        "target": one.target,
        "pattern": one.pattern.name(),
        "kind": words::kind(one.kind),
        "at_once": one.at_once,
        "unit": one.metric.unit(),
        "points": one.points,
        "levels": one.levels.iter().map(|level| json!({"run": one.points[level.begins].run, "value": level.value}))
            .collect::<Vec<_>>(),
        "change": one.change,
        "finds": one.finds.name(),
    })
}

fn title(until: &str) -> String {
    format!("History up to run {until}")
}

fn counts(trends: &[Trend]) -> String {
    let count = |finds| trends.iter().filter(|one| one.finds == finds).count();
    let said = ORDER.into_iter().map(|finds| (count(finds), finds.name())).filter(|(count, _)| *count > 0);
    said.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

fn sorted(trends: &[Trend]) -> Vec<&Trend> {
    let mut sorted: Vec<&Trend> = trends.iter().collect();
    let place = |one: &Trend| ORDER.iter().position(|finds| *finds == one.finds);
    sorted.sort_by(|a, b| place(a).cmp(&place(b)).then(b.change.abs().total_cmp(&a.change.abs())));
    sorted
}

fn rows(trends: &[Trend]) -> Vec<Vec<String>> {
    sorted(trends).into_iter().map(row).collect()
}

fn row(one: &Trend) -> Vec<String> {
    let unit = one.metric.unit();
    let newest = one.points.last().map_or(numbers::NOTHING.to_string(), |point| numbers::rough(point.value));
    vec![
        one.finds.name().to_string(),
        words::place(one.layer, &one.target),
        one.pattern.name().to_string(),
        one.points.len().to_string(),
        format!("{newest} {unit}"),
        levels(one),
    ]
}

/// `1,020, from run 20261101-… on 905 (−11 %)`.
fn levels(one: &Trend) -> String {
    let mut text = String::new();
    let mut last: Option<f64> = None;
    for level in &one.levels {
        let value = numbers::rough(level.value);
        text += &match last {
            None => value,
            Some(last) => {
                let percent = format!("{:+.0} %", (level.value / last - 1.0) * 100.0).replace('-', "−");
                let run = one.points.get(level.begins).map_or("", |point| point.run.as_str());
                format!(", from run {run} on {value} ({percent})")
            }
        };
        last = Some(level.value);
    }
    text
}
