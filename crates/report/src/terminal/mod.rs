//! A run on a terminal: every part a plain text that fits the width.

mod answer;
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
pub use runs::{RunRow, runs, state};
pub use style::Style;

use answer::Hidden;
use model::{Report, Scope};
use style::Paint;
use table::{Align, Table};

/// How much of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// The answer, the chart, the ledger, and all that is wrong.
    Short,
    /// The long lists as well.
    Full,
}

/// One part of the output, in the order of reading.
enum Part {
    Always(String),
    /// With its name, for the line that says what is not shown.
    Detail(&'static str, String),
}

/// The whole run: head, answer, depth chart, ledger, targets, what is not settled and why, what went wrong.
pub fn summary(report: &Report, scope: &Scope, length: Length, style: &Style) -> String {
    let short = length == Length::Short;
    let (mut shown, mut hidden) = (Vec::new(), Vec::new());
    for part in parts(report, scope, length, style) {
        match part {
            Part::Detail(_, text) | Part::Always(text) if text.is_empty() => {}
            Part::Detail(name, text) if short => hidden.push(Hidden { name: name.to_string(), text }),
            Part::Detail(_, text) | Part::Always(text) => shown.push(text),
        }
    }
    shown.push(answer::hidden(report, &hidden, style));
    joined(&shown)
}

fn parts(report: &Report, scope: &Scope, length: Length, style: &Style) -> Vec<Part> {
    use Part::{Always, Detail};
    let beside = notes::beside(report, style);
    // Without a chart it is what was measured.
    let beside = if report.chart.is_empty() { Always(beside) } else { Detail("figures beside the chart", beside) };
    let (warnings, more) = notes::warnings(report, length, style);
    vec![
        Always(answer::head(report, scope, style)),
        Always(answer::answer(report, style)),
        Always(notes::verdicts(report, style)),
        Always(notes::verified(report, style)),
        Always(notes::sustained(report, style)),
        Always(sweep::sweep(report, style)),
        Always(chart::chart(report, style)),
        Always(ledger::ledger(report, style)),
        Always(floor(report, style)),
        Detail("each target", targets::targets(report, scope, style)),
        Always(hosts::matrix(report, style)),
        Always(notes::ab(report, style)),
        Always(notes::limits(report, style)),
        Always(notes::clients(report, style)),
        Always(notes::responses(report, style)),
        beside,
        Detail("how it was measured", notes::measured(report, style)),
        Detail("hosts under load", hosts::host_loads(report, style)),
        Always(notes::outliers(report, style)),
        Always(notes::findings(report, style)),
        Always(if length == Length::Short { notes::unusable(report, style) } else { String::new() }),
        Detail("what is not settled and why", notes::unsettled(report, style)),
        Always(warnings),
        Detail("more warnings", more),
        Always(notes::errors(report, style)),
        Always(notes::left_behind(report, style)),
    ]
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

/// Text that wraps at the style's width.
pub(crate) fn wrapped(text: &str, style: &Style) -> String {
    chart::paragraph(text, 0, Paint::Plain, style)
}

/// A table by itself, as wide as the style at most, all columns to the left; `bad` says which rows stand out.
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
    table.fitted(style)
}

fn joined(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n")
}
