//! The list of runs.

use crate::block::{Block, Column, Row, Table, Text};
use crate::numbers;
use model::Ending;

/// One line of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    pub run: String,
    /// RFC 3339, UTC.
    pub started: String,
    pub seconds: f64,
    pub cluster: Option<String>,
    /// Slices measured so far.
    pub slices: usize,
    /// `None`: it goes on, or it was killed.
    pub ending: Option<Ending>,
}

/// The newest first, as they are given.
pub fn blocks(rows: &[RunRow]) -> Vec<Vec<Block>> {
    if rows.is_empty() {
        return vec![vec![Block::Paragraph(Text::with_commands("no runs yet; `fathom run` makes one"))]];
    }
    let columns = ["run", "started, UTC"].map(Column::left).into_iter();
    let columns = columns.chain(["took", "slices"].map(Column::right)).chain(["state", "cluster"].map(Column::left));
    let row = |row: &RunRow| {
        Row::new([
            row.run.clone(),
            minute(&row.started),
            numbers::seconds(roughly(row.seconds)),
            numbers::count(row.slices as u64),
            state(row.ending).to_string(),
            row.cluster.clone().unwrap_or_else(|| numbers::NOTHING.to_string()),
        ])
    };
    vec![vec![Table::new(columns, rows.iter().map(row)).into()]]
}

/// Seconds say nothing beside many minutes.
fn roughly(seconds: f64) -> f64 {
    if seconds < 600.0 { seconds } else { (seconds / 60.0).round() * 60.0 }
}

/// In the list, and in its JSON.
pub fn state(ending: Option<Ending>) -> &'static str {
    match ending {
        Some(Ending::Done) => "done",
        Some(Ending::Stopped) => "stopped",
        Some(Ending::Failed) => "failed",
        None => "no end",
    }
}

/// Without the seconds: a run's name has them.
fn minute(started: &str) -> String {
    let when = numbers::when(started);
    when.strip_suffix(" UTC").and_then(|when| when.get(..16)).map_or(when.clone(), str::to_string)
}
