//! A run for other programs: every line complete, numbers as in the JSON document.

mod sample;

use faces::export::{csv, openmetrics};
use faces::json;
use model::Label;
use sample::{Sample, run};

#[test]
fn a_line_for_each_figure_with_the_numbers_of_the_document() {
    let Sample { report, record } = run();
    let text = csv::figures(&report);
    let mut lines = ::csv::Reader::from_reader(text.as_bytes());
    let heading = lines.headers().unwrap().clone();
    let at = |name: &str| heading.iter().position(|title| title == name).unwrap();
    let document = json::document(&report, &record);
    let rows: Vec<_> = lines.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), report.figures.len());
    for (row, figure) in rows.iter().zip(document["figures"].as_array().unwrap()) {
        assert_eq!(row[at("value")].parse::<f64>().ok(), figure["value"].as_f64());
        assert_eq!(row[at("ci95_low")].parse::<f64>().ok(), figure["ci95"][0].as_f64());
        assert_eq!(Some(&row[at("label")]), figure["label"].as_str());
        assert_eq!(Some(&row[at("metric")]), figure["metric"].as_str());
        assert_eq!(row[at("operations")].parse::<u64>().ok(), figure["operations"].as_u64());
    }
}

#[test]
fn openmetrics_has_each_usable_figure_in_base_units() {
    let Sample { report, .. } = run();
    let text = openmetrics::text(&report);
    assert!(text.ends_with("# EOF\n"), "{text}");
    let usable = |figure: &&model::Figure| {
        figure.estimate.is_some() && !matches!(figure.label, Label::Implausible(_) | Label::Void(_))
    };
    let figures: Vec<_> = report.figures.iter().filter(usable).collect();
    assert_eq!(text.matches("bound=\"value\"").count(), figures.len());
    let latency = figures.iter().find(|figure| figure.metric == model::Metric::LatencyMean).unwrap();
    let value = format!(" {}", latency.estimate.unwrap().value * 1e-3);
    let line = text.lines().find(|line| {
        line.starts_with("fathom_latency_mean_seconds{") && line.contains("bound=\"value\"") && line.ends_with(&value)
    });
    assert!(line.is_some(), "no line ends with{value} in\n{text}");
}
