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
        ("started, UTC", Align::Left),
        ("took", Align::Right),
        ("slices", Align::Right),
        ("done", Align::Left),
        ("cluster", Align::Left),
    ]);
    for row in rows {
        let cells = vec![
            row.run.clone(),
            minute(&row.started),
            numbers::seconds(row.seconds),
            numbers::count(row.slices as u64),
            if row.finished { "yes" } else { "no" }.to_string(),
            row.cluster.clone().unwrap_or_else(|| numbers::NOTHING.to_string()),
        ];
        table.row(cells, Paint::Plain);
    }
    table.text(0, &Style::default())
}

/// Without the seconds: a run's name has them.
fn minute(started: &str) -> String {
    let when = numbers::when(started);
    when.strip_suffix(" UTC").and_then(|when| when.get(..16)).map_or(when.clone(), str::to_string)
}
