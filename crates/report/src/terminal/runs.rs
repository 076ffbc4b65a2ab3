//! The list of runs.

use super::style::{Paint, Style};
use super::table::{Align, Table};
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
    /// Steps of the plan.
    pub steps: usize,
    /// Slices measured so far.
    pub slices: usize,
    /// `None`: it goes on, or it was killed.
    pub ending: Option<Ending>,
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
        ("state", Align::Left),
        ("cluster", Align::Left),
    ]);
    for row in rows {
        let cells = vec![
            row.run.clone(),
            minute(&row.started),
            numbers::seconds(roughly(row.seconds)),
            numbers::count(row.slices as u64),
            state(row.ending).to_string(),
            row.cluster.clone().unwrap_or_else(|| numbers::NOTHING.to_string()),
        ];
        table.row(cells, Paint::Plain);
    }
    table.text(0, &Style::default())
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
