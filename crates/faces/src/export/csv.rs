//! Comma-separated tables: one line for each figure, or one for each window.

use crate::slices::slices_of;
use crate::words;
use model::{Figure, Record, Report, Sample, Slice};

const FIGURES: [&str; 27] = [
    "run",
    "layer",
    "target",
    "host",
    "pattern",
    "kind",
    "block_bytes",
    "depth",
    "jobs",
    "read_percent",
    "metric",
    "unit",
    "value",
    "ci95_low",
    "ci95_high",
    "label",
    "at_once",
    "slices",
    "seconds",
    "operations",
    "bytes",
    "errors",
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "p99.9_ms",
    "max_ms",
];

const WINDOWS: [&str; 17] = [
    "run",
    "layer",
    "target",
    "pattern",
    "kind",
    "at_once",
    "pass",
    "window",
    "at_seconds",
    "span_seconds",
    "counted",
    "operations",
    "bytes",
    "errors",
    "mean_ms",
    "p50_ms",
    "p99_ms",
];

/// A line for each figure. Empty fields: there is no such number.
pub fn figures(report: &Report) -> String {
    let line = |figure: &Figure| {
        let workload = &figure.workload;
        let estimate = |of: fn(&model::Estimate) -> f64| figure.estimate.as_ref().map(of);
        let percentile = |percent: f64| {
            let found = figure.percentiles.iter().find(|found| found.percent == percent);
            number(found.map(|found| found.value_ms))
        };
        vec![
            report.head.run.clone(),
            figure.layer.name().into(),
            figure.target.clone(),
            figure.host.clone().unwrap_or_default(),
            figure.pattern.name().into(),
            words::kind(figure.kind).into(),
            workload.block.to_string(),
            workload.depth.to_string(),
            workload.jobs.to_string(),
            workload.read_percent.to_string(),
            words::metric(figure.metric).into(),
            figure.metric.unit().into(),
            number(estimate(|estimate| estimate.value)),
            number(estimate(|estimate| estimate.low)),
            number(estimate(|estimate| estimate.high)),
            figure.label.name().into(),
            figure.at_once.to_string(),
            figure.slices.to_string(),
            number(Some(figure.seconds)),
            figure.operations.to_string(),
            figure.bytes.to_string(),
            figure.errors.to_string(),
            percentile(50.0),
            percentile(95.0),
            percentile(99.0),
            percentile(99.9),
            percentile(100.0),
        ]
    };
    table(&FIGURES, report.figures.iter().map(line))
}

/// A line for each window of each slice, warm-up included.
pub fn windows(report: &Report, record: &Record) -> String {
    let of_figure = |figure: &Figure| -> Vec<Vec<String>> {
        let lines = |slice: &Slice| -> Vec<Vec<String>> {
            slice.samples.iter().enumerate().map(|(at, sample)| window(report, figure, slice, at, sample)).collect()
        };
        slices_of(figure, record).into_iter().flat_map(lines).collect()
    };
    table(&WINDOWS, report.figures.iter().flat_map(of_figure))
}

fn window(report: &Report, figure: &Figure, slice: &Slice, at: usize, sample: &Sample) -> Vec<String> {
    let begins = slice.started_seconds + f64::from(sample.window) * slice.window_ns as f64 / 1e9;
    let counted = slice.void.is_none() && at >= slice.warmup as usize;
    let ms = |ns: Option<f64>| number(ns.map(|ns| ns / 1e6));
    vec![
        report.head.run.clone(),
        figure.layer.name().into(),
        figure.target.clone(),
        figure.pattern.name().into(),
        words::kind(figure.kind).into(),
        figure.at_once.to_string(),
        slice.pass.to_string(),
        sample.window.to_string(),
        format!("{begins:.3}"),
        number(Some(sample.span_ns as f64 / 1e9)),
        u8::from(counted).to_string(),
        sample.ops.to_string(),
        sample.bytes.to_string(),
        sample.errors.to_string(),
        ms(sample.service.mean_ns()),
        ms(sample.service.quantile_ns(0.5)),
        ms(sample.service.quantile_ns(0.99)),
    ]
}

fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}

fn table(heading: &[&str], lines: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail, and all lines are as long as the heading.
    let _ = writer.write_record(heading);
    for line in lines {
        let _ = writer.write_record(&line);
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}
