//! Operations that failed, or had no answer: figures are of the others.

use crate::block::{Block, Column, Row, Table};
use crate::{numbers, words};
use model::{Figure, Label, Report, Scope};

const TITLE: &str = "Operations that failed: the figures are of the others";
const HEADING: [&str; 4] = ["figure", "failed", "share", "the first of them"];

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let rows: Vec<Row> = figures(report).map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![Block::title(TITLE), Table::new(HEADING.map(Column::left), rows).into()]
}

/// Of a void one the label tells it.
fn figures(report: &Report) -> impl Iterator<Item = &Figure> {
    report
        .figures
        .iter()
        .filter(|figure| (figure.errors > 0 || figure.first_error.is_some()) && !matches!(figure.label, Label::Void(_)))
}

fn row(figure: &Figure) -> Row {
    let why = figure.first_error.clone().unwrap_or_else(|| numbers::NOTHING.to_string());
    let failed = if figure.errors == 0 { numbers::NOTHING.to_string() } else { figure.errors.to_string() };
    let share = if figure.errors == 0 { numbers::NOTHING.to_string() } else { numbers::share(share(figure)) };
    Row::new([name(figure), failed, share, why])
}

fn name(figure: &Figure) -> String {
    format!("{} {}{}", words::place(figure.layer, &figure.target), figure.pattern.name(), words::class(figure))
}

fn share(figure: &Figure) -> f64 {
    figure.errors as f64 / figure.errors.saturating_add(figure.operations).max(1) as f64
}

/// A line for each of them.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    let line = |figure: &Figure| {
        let why = figure.first_error.as_ref().map_or(String::new(), |why| format!(": {why}"));
        let share = numbers::share(share(figure));
        match figure.errors {
            0 => format!("{}{why}", name(figure)),
            _ => format!("{}: {share} of the operations failed, and the figure is of the others{why}", name(figure)),
        }
    };
    figures(report).map(line).collect()
}
