//! A run for other programs: every line complete, numbers as in the JSON document.

use crate::sample::{SampleRun, run};
use model::{Checked, Label, OpClass, OpMix, Overhead, Percentile, Shares};
use report::export::{csv, openmetrics};
use report::json;
use std::collections::BTreeSet;

#[test]
fn a_line_for_each_figure_with_the_numbers_of_the_document() {
    let SampleRun { mut report, record } = run();
    let first_byte = Percentile { percent: 99.0, value_ms: 2.5, low_ms: None, high_ms: None };
    report.figures[0].first_byte = vec![first_byte];
    report.figures[0].workload.mix = OpMix::of([(OpClass::Stat, 70), (OpClass::List, 30)]).unwrap();
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
        let first_byte = figure["first_byte_percentiles"]["99"].as_f64();
        assert_eq!(row[at("first_byte_p99_ms")].parse::<f64>().ok(), first_byte);
        let mix = figure["workload"]["operations"].as_object();
        let shares = mix.into_iter().flatten().map(|(name, share)| format!("{name}={share}"));
        let shares: BTreeSet<String> = shares.collect();
        assert_eq!(row[at("mix")], Vec::from_iter(shares).join(" "));
        assert_eq!(row[at("operations")].parse::<u64>().ok(), figure["operations"].as_u64());
    }
    assert_eq!((&rows[0][at("first_byte_p99_ms")], &rows[0][at("mix")]), ("2.5", "list=30 stat=70"));
}

#[test]
fn openmetrics_has_each_usable_figure_in_base_units() {
    let SampleRun { report, .. } = run();
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

#[test]
fn what_was_verified_and_what_measuring_took_is_there_for_programs() {
    let SampleRun { mut report, .. } = run();
    report.overhead = Some(Overhead { operation_ns: 150.0, deep_operation_ns: 30.0, clock_ns: 25.0 });
    report.figures[0].effort = Some(Shares { busy: 0.5, queued: 0.25, overhead: None });
    // Flaws are told of a figure whose value may not be used.
    report.figures[0].label = Label::Void("all operations failed".into());
    report.figures[0].estimate = None;
    report.figures[0].checked = Some(Checked { bytes: 8192, unknown: 512, wrong: 3, torn: 1, ..Checked::default() });
    let table = csv::figures(&report);
    let mut lines = ::csv::Reader::from_reader(table.as_bytes());
    let heading = lines.headers().unwrap().clone();
    let rows: Vec<_> = lines.records().map(Result::unwrap).collect();
    let names = [
        "busy",
        "queued",
        "overhead",
        "operation_ns",
        "verified_bytes",
        "unknown_bytes",
        "wrong",
        "stale",
        "torn",
        "misplaced",
    ];
    let of =
        |row: usize| names.map(|name| rows[row][heading.iter().position(|title| title == name).unwrap()].to_string());
    let each = if report.figures[0].workload.depth <= 1 { "150" } else { "30" };
    assert_eq!(of(0), ["0.5", "0.25", "", each, "8192", "512", "3", "0", "1", "0"]);
    assert_eq!(of(1)[4..], [""; 6]);
    let text = openmetrics::text(&report);
    let has = |name: &str, part: &str, value: &str| {
        let found = |line: &str| line.starts_with(&format!("{name}{{")) && line.contains(part) && line.ends_with(value);
        assert!(text.lines().any(found), "{name} {part} {value} is not in\n{text}");
    };
    has("fathom_overhead_seconds", "of=\"operation\"", " 1.5e-7");
    has("fathom_generator_queued_ratio", "step=\"0\"", " 0.25");
    has("fathom_verified_bytes", "step=\"0\"", " 8192.0");
    has("fathom_flawed_blocks", "flaw=\"wrong\"", " 3.0");
    has("fathom_flawed_blocks", "flaw=\"stale\"", " 0.0");
    assert!(!text.contains("fathom_generator_overhead_ratio{"), "what is not known is not said: {text}");
}

#[test]
fn lines_of_drives_fit_the_table_of_the_document() {
    let document = include_str!("../../../../docs/drives.md");
    let SampleRun { report, record } = run();
    let head = report::export::drives::table(&report, &record);
    let lines: Vec<&str> = document.lines().filter(|line| line.starts_with('|')).collect();
    let [title, rule, rows @ ..] = lines.as_slice() else { panic!("{document}") };
    let told: Vec<&str> = head.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!([*title, *rule], told[..2], "{head}");
    let columns = |line: &str| line.matches('|').count();
    assert!(!rows.is_empty() && rows.iter().all(|row| columns(row) == columns(title)), "{document}");
}
