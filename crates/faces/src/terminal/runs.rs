//! The list of runs.

use super::style::{Paint, Style};
use super::table::{Align, Table};
use crate::numbers;

/// One line of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    pub run: String,
    /// RFC 3339, UTC.
    pub started: String,
    pub seconds: f64,
    pub cluster: Option<String>,
    /// Steps of the plan.
    pub steps: usize,
    /// Slices measured so far.
    pub slices: usize,
    pub finished: bool,
}

/// For any terminal that is 80 columns wide or wider; without colours.
pub fn runs(rows: &[RunRow]) -> String {
    if rows.is_empty() {
        return "no runs yet; `fathom run` makes one\n".to_string();
    }
    let mut table = Table::new(&[
        ("run", Align::Left),
        ("started", Align::Left),
        ("took", Align::Right),
        ("steps", Align::Right),
        ("slices", Align::Right),
        ("cluster", Align::Left),
    ]);
    for row in rows {
        let cluster = row.cluster.clone().unwrap_or_else(|| numbers::NOTHING.to_string());
        let state = if row.finished { "" } else { ", not finished" };
        let cells = vec![
            row.run.clone(),
            numbers::when(&row.started),
            numbers::seconds(row.seconds),
            numbers::count(row.steps as u64),
            numbers::count(row.slices as u64),
            cluster + state,
        ];
        table.row(cells, Paint::Plain);
    }
    table.text(0, &Style::default())
}
