//! Figures over a series of runs: their levels, and where they changed. On a terminal, as Markdown, as `fathom.history/1`.

use crate::compare::came_to_nothing;
use crate::markdown;
use crate::terminal::{Style, plain_table, wrapped};
use crate::{finds, numbers};
use model::{Level, Trend};
use serde_json::{Value, json};

pub const SCHEMA: &str = "fathom.history/1";

const HEADING: [&str; 6] = ["finds", "target", "pattern", "runs", "newest", "levels"];

/// `lost`: figures that earlier runs had and that came to nothing in the newest.
pub fn summary(trends: &[Trend], lost: &[String], until: &str, style: &Style) -> String {
    let table = plain_table(&HEADING, rows(trends), finds::is_worse, style);
    let note = came_to_nothing(lost).map_or(String::new(), |note| format!("\n{}", wrapped(&note, style)));
    format!("{}\n{}\n\n{table}{note}", title(until), counts(trends))
}

pub fn page(trends: &[Trend], lost: &[String], until: &str) -> String {
    let rows = rows(trends).into_iter().map(|row| row.iter().map(|cell| markdown::escaped(cell)).collect());
    let table = markdown::table(&HEADING.map(String::from), rows);
    let note = came_to_nothing(lost).map_or(String::new(), |note| format!("\n{}\n", markdown::escaped(&note)));
    format!("# {}\n\n{}.\n\n{table}{note}", markdown::escaped(&title(until)), counts(trends))
}

pub fn document(trends: &[Trend], lost: &[String], until: &str) -> Value {
    let trends: Vec<Value> = sorted(trends).into_iter().map(trend).collect();
    json!({"schema": SCHEMA, "until": until, "trends": trends, "lost": lost})
}

fn trend(one: &Trend) -> Value {
    let level = |level: &Level| json!({"run": one.points[level.begins].run, "value": level.value});
    let further = json!({
        "points": one.points,
        "levels": one.levels.iter().map(level).collect::<Vec<_>>(),
        "change": one.change,
    });
    finds::fields(one.finds, &one.figure, further)
}

fn title(until: &str) -> String {
    format!("History up to run {until}")
}

fn counts(trends: &[Trend]) -> String {
    finds::counts(trends.iter().map(|one| one.finds))
}

fn sorted(trends: &[Trend]) -> Vec<&Trend> {
    let mut sorted: Vec<&Trend> = trends.iter().collect();
    sorted.sort_by(|a, b| finds::before((a.finds, a.change), (b.finds, b.change)));
    sorted
}

fn rows(trends: &[Trend]) -> Vec<Vec<String>> {
    sorted(trends).into_iter().map(row).collect()
}

fn row(one: &Trend) -> Vec<String> {
    let newest = one.points.last().map_or(numbers::NOTHING.to_string(), |point| numbers::rough(point.value));
    let further = [one.points.len().to_string(), format!("{newest} {}", one.figure.metric.unit()), levels(one)];
    finds::cells(one.finds, &one.figure).into_iter().chain(further).collect()
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
