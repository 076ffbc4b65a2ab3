//! Targets of one layer side by side, with host, device and class, and the outliers marked.

use super::chart::{heading, paragraph};
use super::grid::{Cell, Column, Grid};
use super::style::{Paint, Style};
use crate::scene::{self, TargetRow, Targets};
use crate::{numbers, words};
use model::{Figure, Report, Scope};

/// More rows than this hide the rest of the summary; all are in the report and in the JSON document.
const ROWS_MAX: usize = 32;

pub(crate) fn targets(report: &Report, scope: &Scope, style: &Style) -> String {
    let tables = scene::targets(report, scope);
    tables.iter().map(|table| one(report, table, style)).collect::<Vec<_>>().join("\n")
}

fn one(report: &Report, table: &Targets<'_>, style: &Style) -> String {
    let mut rows: Vec<&TargetRow<'_>> = table.rows.iter().collect();
    let all = rows.len();
    if all > ROWS_MAX {
        // Outliers first, then the others in their order.
        rows.sort_by_key(|row| !row.figures.iter().flatten().any(|figure| scene::outlier(report, figure).is_some()));
        rows.truncate(ROWS_MAX);
    }
    let columns = table.patterns.iter().enumerate().map(|(i, pattern)| Column {
        heading: heading(*pattern, &[table.layer]),
        cells: rows.iter().map(|row| cell(report, row.figures.get(i).copied().flatten())).collect(),
    });
    let grid = Grid { labels: labels(&rows), columns: columns.collect() };
    let mut text = style.paint(&table.title(), Paint::Bold) + "\n" + &grid.text(style);
    text += &paragraph(&table.note(), 0, Paint::Dim, style);
    // An outlier's mark stands in place of its label's.
    let plain = |figure: &&&Figure| scene::outlier(report, figure).is_none();
    let marked = rows.iter().flat_map(|row| row.figures.iter().flatten()).filter(plain).copied();
    for (mark, meaning) in scene::further_marks(report, marked) {
        text += &(style.paint(&format!("{mark}  {meaning}"), Paint::Dim) + "\n");
    }
    if all > ROWS_MAX {
        let note = format!("and {} more; `fathom report` shows all", all - ROWS_MAX);
        text += &(style.paint(&note, Paint::Dim) + "\n");
    }
    if rows.iter().any(|row| row.figures.iter().flatten().any(|figure| scene::outlier(report, figure).is_some())) {
        text += &(style.paint("!  slower than its peers beyond the noise", Paint::Dim) + "\n");
    }
    text
}

/// Name, and of host, device and class those that are known.
fn labels(rows: &[&TargetRow<'_>]) -> Vec<(String, Vec<String>)> {
    type Field = fn(&TargetRow<'_>) -> String;
    let fields: [(&str, Field); 4] = [
        ("target", |row| row.name.to_string()),
        ("host", |row| row.host.to_string()),
        ("device", |row| row.device.trim_start_matches("/dev/").to_string()),
        ("class", |row| row.class.to_string()),
    ];
    let filled =
        fields.into_iter().map(|(name, field)| (name.to_string(), rows.iter().map(|row| field(row)).collect()));
    // One class for all says nothing and takes room; the names must be there.
    let says = |(name, texts): &(String, Vec<String>)| match name.as_str() {
        "target" => true,
        "class" => texts.iter().any(|text| *text != texts[0]),
        _ => texts.iter().any(|text| !text.is_empty()),
    };
    filled.filter(says).collect()
}

fn cell(report: &Report, figure: Option<&Figure>) -> Cell {
    let Some(figure) = figure else { return Cell::default() };
    let Some(estimate) = &figure.estimate else {
        return Cell { value: numbers::NOTHING.into(), paint: Some(Paint::Warn), ..Cell::default() };
    };
    let shown = numbers::figure(estimate, figure.metric);
    if !words::holds(&figure.label) {
        return Cell {
            value: numbers::NOTHING.into(),
            within: "x".into(),
            paint: Some(Paint::Warn),
            ..Cell::default()
        };
    }
    let odd = scene::outlier(report, figure).is_some();
    let mark =
        if odd { "!".to_string() } else { words::mark(figure.label.name()).map(String::from).unwrap_or_default() };
    Cell { value: shown.value, within: shown.within, mark, paint: odd.then_some(Paint::Bad) }
}
