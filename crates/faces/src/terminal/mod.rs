//! A run on a terminal: every part a plain text that fits the width.

mod chart;
mod grid;
mod hosts;
mod ledger;
mod notes;
mod plan;
mod runs;
mod style;
mod sweep;
mod table;
mod targets;

pub use plan::{plan, workload};
pub use runs::{RunRow, runs};
pub use style::Style;

use crate::scene;
use model::{Report, Scope};
use style::Paint;
use table::{Align, Table};

/// The whole run: head, depth chart, ledger, targets, what is not settled and why, what went wrong.
pub fn summary(report: &Report, scope: &Scope, style: &Style) -> String {
    let parts = [
        head(report, scope, style),
        notes::verdicts(report, style),
        notes::verified(report, style),
        notes::sustained(report, style),
        sweep::sweep(report, style),
        chart::chart(report, style),
        notes::speaks(report, style),
        ledger::ledger(report, style),
        floor(report, style),
        targets::targets(report, scope, style),
        hosts::matrix(report, style),
        notes::ab(report, style),
        notes::limits(report, style),
        notes::clients(report, style),
        notes::responses(report, style),
        notes::beside(report, style),
        notes::spread(report, style),
        notes::both_ways(report, style),
        notes::sums(report, style),
        notes::read_from(report, style),
        hosts::host_loads(report, style),
        notes::outliers(report, style),
        notes::findings(report, style),
        notes::unsettled(report, style),
        notes::compaction(report, style),
        notes::warnings(report, style),
        notes::errors(report, style),
        notes::left_behind(report, style),
    ];
    joined(&parts)
}

fn floor(report: &Report, style: &Style) -> String {
    let rows = crate::floor::rows(report);
    if rows.is_empty() {
        return String::new();
    }
    let title = chart::paragraph(crate::floor::TITLE, 0, Paint::Bold, style);
    title + &plain_table(&crate::floor::HEADING, rows, |_| false, style)
}

/// After a pass, while the run goes on: the depth chart alone.
pub fn provisional(report: &Report, style: &Style) -> String {
    joined(&[chart::chart(report, style)])
}

fn head(report: &Report, scope: &Scope, style: &Style) -> String {
    let mut text = String::new();
    for (i, line) in scene::head(report, scope).iter().enumerate() {
        let paint = if i == 0 { Paint::Bold } else { Paint::Plain };
        text +=
            &table::wrapped(line, style.room(), 0).lines().map(|l| style.paint(l, paint) + "\n").collect::<String>();
    }
    text
}

/// Text that wraps at the style's width.
pub(crate) fn wrapped(text: &str, style: &Style) -> String {
    chart::paragraph(text, 0, Paint::Plain, style)
}

/// A table by itself, all columns to the left; `bad` says which rows stand out.
pub(crate) fn plain_table(
    heading: &[&str],
    rows: Vec<Vec<String>>,
    bad: impl Fn(&[String]) -> bool,
    style: &Style,
) -> String {
    let columns: Vec<(&str, Align)> = heading.iter().map(|title| (*title, Align::Left)).collect();
    let mut table = Table::new(&columns);
    for cells in rows {
        let paint = if bad(&cells) { Paint::Bad } else { Paint::Plain };
        table.row(cells, paint);
    }
    table.text(0, style)
}

fn joined(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n")
}
