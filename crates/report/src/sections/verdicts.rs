//! On which side of its threshold each figure lies, what failed first.

use crate::block::{Block, Emphasis, Row, Table};
use crate::{numbers, words};
use model::{Metric, Outcome, Report, Scope, Threshold, Verdict};

const HEADING: [&str; 5] = ["verdict", "target", "pattern", "threshold", "figure"];
const ORDER: [(Outcome, &str); 3] = [(Outcome::Fail, "failed"), (Outcome::Open, "open"), (Outcome::Pass, "passed")];

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let all = sorted(report);
    if all.is_empty() {
        return Vec::new();
    }
    let row = |verdict: &&Verdict| {
        let emphasis = match verdict.outcome {
            Outcome::Fail => Emphasis::Bad,
            Outcome::Open => Emphasis::Warn,
            Outcome::Pass => Emphasis::Plain,
        };
        Row::new(std::iter::once(verdict.outcome.name().to_string()).chain(told(verdict))).with(emphasis)
    };
    let count = |outcome| all.iter().filter(|verdict| verdict.outcome == outcome).count();
    let counts = ORDER.iter().map(|(outcome, word)| (count(*outcome), word)).filter(|(count, _)| *count > 0);
    let summary = counts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ");
    vec![Block::paragraph(format!("{summary}.")), Table::plain(HEADING, all.iter().map(row)).into()]
}

pub(crate) fn sorted(report: &Report) -> Vec<&Verdict> {
    let place = |outcome: Outcome| ORDER.iter().position(|(known, _)| *known == outcome);
    let mut sorted: Vec<&Verdict> = report.answer.verdicts().iter().collect();
    sorted.sort_by_key(|verdict| place(verdict.outcome));
    sorted
}

/// Target, pattern, threshold, and the figure, with why it is open.
pub(crate) fn told(verdict: &Verdict) -> [String; 4] {
    let threshold = &verdict.threshold;
    let figure = verdict.estimate.map(|estimate| numbers::figure(&estimate, threshold.metric()).with_unit());
    let said: Vec<String> = figure.into_iter().chain(verdict.why.clone()).collect();
    [
        words::place(threshold.layer, &verdict.target),
        pattern(threshold),
        format!("{} {} {}", bound(threshold.metric()), numbers::rough(threshold.value), threshold.metric().unit()),
        if said.is_empty() { numbers::NOTHING.to_string() } else { said.join("; ") },
    ]
}

/// With the kind of operation, where it is not the pattern's own: of a mix each has its threshold.
fn pattern(threshold: &Threshold) -> String {
    let (own, kind) = (threshold.pattern.kind(), threshold.kind());
    let other = if kind == own { String::new() } else { format!(", its {}s", words::kind(kind)) };
    format!("{}{other}", threshold.pattern.name())
}

/// Which side of the threshold is good.
pub(crate) fn bound(metric: Metric) -> &'static str {
    if metric.lower_is_better() { "at most" } else { "at least" }
}
