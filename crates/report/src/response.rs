//! Open loops as rows of words: what users wait, from when operations were due; the same on a terminal and in Markdown.

use crate::{numbers, words};
use model::{Figure, Percentile, Report};

pub(crate) const TITLE: &str = "Response times, from when operations were due, ms";
pub(crate) const HEADING: [&str; 7] = ["target", "kind", "a second", "mean", "p50", "p99", "p99.9"];
/// The last column: what there is without the waiting.
pub(crate) const SERVICE: &str = "service p99";

pub(crate) fn rows(report: &Report) -> Vec<Vec<String>> {
    if !report.limits.is_empty() || report.ab.is_some() {
        // Rates that were tried have a table of their own.
        return Vec::new();
    }
    let open = report.figures.iter().filter(|figure| figure.workload.rate.is_some());
    // Of targets that were loaded at once, all together stand for each.
    open.filter(|figure| figure.at_once <= 1 || figure.target.ends_with(".*")).map(row).collect()
}

pub(crate) fn heading() -> Vec<&'static str> {
    HEADING.into_iter().chain([SERVICE]).collect()
}

fn row(figure: &Figure) -> Vec<String> {
    let mark = words::mark(figure.label.name()).map_or(String::new(), |mark| format!(" {mark}"));
    let mean = match &figure.estimate {
        Some(estimate) if words::holds(&figure.label) => numbers::figure(estimate, figure.metric).plain() + &mark,
        _ => numbers::NOTHING.to_string(),
    };
    let mut cells = vec![
        words::place(figure.layer, &figure.target),
        words::kind(figure.kind).to_string(),
        figure.workload.rate.map_or(String::new(), |rate| words::per_second(rate.per_second)),
        mean,
    ];
    cells.extend([50.0, 99.0, 99.9].map(|percent| percentile(&figure.response, percent)));
    cells.push(percentile(&figure.percentiles, 99.0));
    cells
}

fn percentile(of: &[Percentile], percent: f64) -> String {
    let found = of.iter().find(|found| found.percent == percent);
    found.map_or(numbers::NOTHING.to_string(), numbers::percentile)
}
