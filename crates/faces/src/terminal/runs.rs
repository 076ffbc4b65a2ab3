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
    pub version: String,
    pub cluster: Option<String>,
    pub steps: u32,
    pub slices: u32,
    pub finished: bool,
}

pub fn runs(rows: &[RunRow], style: &Style) -> String {
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
            numbers::count(u64::from(row.steps)),
            numbers::count(u64::from(row.slices)),
            cluster + state,
        ];
        table.row(cells, if row.finished { Paint::Plain } else { Paint::Warn });
    }
    table.text(0, style)
}
