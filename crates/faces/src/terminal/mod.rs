//! A run on a terminal: every part a plain text that fits the width.

mod chart;
mod grid;
mod ledger;
mod notes;
mod plan;
mod runs;
mod style;
mod table;
mod targets;

pub use plan::plan;
pub use runs::{RunRow, runs};
pub use style::Style;

use crate::scene;
use model::{Report, Scope};
use style::Paint;

/// The whole run: head, depth chart, ledger, targets, what is not settled and why, what went wrong.
pub fn summary(report: &Report, scope: &Scope, style: &Style) -> String {
    let parts = [
        head(report, scope, style),
        chart::chart(report, style),
        ledger::ledger(report, style),
        targets::targets(report, scope, style),
        notes::beside(report, style),
        notes::outliers(report, style),
        notes::findings(report, style),
        notes::unsettled(report, style),
        notes::errors(report, style),
        notes::left_behind(report, style),
    ];
    joined(&parts)
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

fn joined(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n")
}
