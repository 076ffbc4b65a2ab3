//! A sweep on a terminal: a table for each target, a line for each point, and what its curves say.

use super::chart::paragraph;
use super::style::{Paint, Style};
use super::table::{Align, Table};
use crate::sweep;
use model::Report;

pub(crate) fn sweep(report: &Report, style: &Style) -> String {
    sweep::blocks(report).iter().map(|block| table(block, style)).collect::<Vec<_>>().join("\n")
}

fn table(block: &sweep::Block, style: &Style) -> String {
    let last = block.heading.len().saturating_sub(1);
    let align = |column: usize| if column < last { Align::Right } else { Align::Left };
    let label = block.rows.iter().map(|row| row.label.len()).max().unwrap_or(0);
    let heading: Vec<(&str, Align)> =
        block.heading.iter().enumerate().map(|(column, title)| (title.as_str(), align(column))).collect();
    let mut table = Table::new(&heading);
    for row in &block.rows {
        let paint = match (row.holds, row.mark.contains("knee")) {
            (false, _) => Paint::Warn,
            (true, true) => Paint::Bold,
            (true, false) => Paint::Plain,
        };
        let last = format!("{:label$}  {}", row.label, row.mark).trim_end().to_string();
        table.row(row.cells.iter().cloned().chain([last]).collect(), paint);
    }
    let title = paragraph(&block.title, 0, Paint::Bold, style);
    let knees = block.knees.iter().map(|knee| paragraph(knee, 2, Paint::Plain, style));
    let reasons = block.reasons.iter().map(|reason| paragraph(&format!("- {reason}"), 2, Paint::Dim, style));
    title + &table.text(0, style) + &knees.chain(reasons).collect::<String>()
}
