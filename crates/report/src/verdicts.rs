//! Verdicts as rows of words, the same on a terminal and in Markdown.

use crate::{numbers, words};
use model::{Metric, Outcome, Report, Threshold, Verdict};

pub(crate) const HEADING: [&str; 5] = ["verdict", "target", "pattern", "threshold", "figure"];

/// One row for each verdict, what failed first; the last cell also says why one is open.
pub(crate) fn rows(report: &Report) -> Vec<(Outcome, [String; 5])> {
    let place = |outcome: Outcome| match outcome {
        Outcome::Fail => 0,
        Outcome::Open => 1,
        Outcome::Pass => 2,
    };
    let mut sorted: Vec<&Verdict> = report.verdicts.iter().collect();
    sorted.sort_by_key(|verdict| place(verdict.outcome));
    sorted.into_iter().map(|verdict| (verdict.outcome, row(verdict))).collect()
}

fn row(verdict: &Verdict) -> [String; 5] {
    let threshold = &verdict.threshold;
    let figure = verdict.estimate.map(|estimate| numbers::figure(&estimate, threshold.metric()).with_unit());
    let said: Vec<String> = figure.into_iter().chain(verdict.why.clone()).collect();
    [
        verdict.outcome.name().to_string(),
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

/// `2 pass, 1 fails, 1 open`.
pub(crate) fn summary(report: &Report) -> String {
    let count = |outcome| report.verdicts.iter().filter(|verdict| verdict.outcome == outcome).count();
    let parts = [(Outcome::Fail, "failed"), (Outcome::Open, "open"), (Outcome::Pass, "passed")];
    let said = parts.iter().map(|(outcome, word)| (count(*outcome), word)).filter(|(count, _)| *count > 0);
    said.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}
