//! Comma-separated tables: one line for each figure, or one for each window.

use crate::slices::Slices;
use crate::words;
use model::{Checked, EmptyPages, Estimate, Figure, OpClass, OpMix, Record, Report, Sample, Shares, Sizes, Slice};

/// The columns of the report's own download, after the run's name.
const FIGURES: [&str; 67] = [
    "run",
    "layer",
    "target",
    "host",
    "pattern",
    "kind",
    "metric",
    "value",
    "ci95_low",
    "ci95_high",
    "label",
    "why",
    "chart",
    "at_once",
    "slices",
    "seconds",
    "operations",
    "bytes",
    "errors",
    "p50_ms",
    "p50_low_ms",
    "p50_high_ms",
    "p95_ms",
    "p95_low_ms",
    "p95_high_ms",
    "p99_ms",
    "p99_low_ms",
    "p99_high_ms",
    "p99.9_ms",
    "p99.9_low_ms",
    "p99.9_high_ms",
    "p100_ms",
    "p100_low_ms",
    "p100_high_ms",
    "response_p50_ms",
    "response_p99_ms",
    "response_p99.9_ms",
    "first_byte_p50_ms",
    "first_byte_p99_ms",
    "first_byte_p99.9_ms",
    "block",
    "depth",
    "rate",
    "jobs",
    "clients",
    "read_percent",
    "mix",
    "access",
    "durability",
    "span",
    "spread",
    "seed",
    "settings",
    "tree",
    "sizes",
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
    "pages_looked_at",
    "empty_pages",
];
const PERCENTS: [f64; 5] = [50.0, 95.0, 99.0, 99.9, 100.0];

/// The same, and two percentiles.
const WINDOWS: [&str; 19] = [
    "run",
    "step",
    "layer",
    "target",
    "pattern",
    "kind",
    "at_once",
    "pass",
    "slice_started_seconds",
    "seconds",
    "span_seconds",
    "windows",
    "warmup",
    "operations",
    "bytes",
    "errors",
    "mean_ms",
    "p50_ms",
    "p99_ms",
];

/// A line for each figure. Empty fields: there is no such number.
pub fn figures(report: &Report) -> String {
    table(&FIGURES, report.figures.iter().map(|figure| line(report, figure)))
}

fn line(report: &Report, figure: &Figure) -> Vec<String> {
    let workload = &figure.workload;
    let estimate = |of: fn(&Estimate) -> f64| number(figure.estimate.as_ref().map(of));
    let mut line = vec![
        report.head.run.clone(),
        figure.layer.name().into(),
        figure.target.clone(),
        figure.host.clone().unwrap_or_default(),
        figure.pattern.name().into(),
        words::kind(figure.kind).into(),
        words::metric(figure.metric).into(),
        estimate(|estimate| estimate.value),
        estimate(|estimate| estimate.low),
        estimate(|estimate| estimate.high),
        figure.label.name().into(),
        figure.label.why().unwrap_or_default().into(),
        figure.chart.to_string(),
        figure.at_once.to_string(),
        figure.slices.to_string(),
        number(Some(figure.seconds)),
        figure.operations.to_string(),
        figure.bytes.to_string(),
        figure.errors.to_string(),
    ];
    for percent in PERCENTS {
        let found = figure.percentiles.iter().find(|found| found.percent == percent);
        line.push(number(found.map(|found| found.value_ms)));
        line.push(number(found.and_then(|found| found.low_ms)));
        line.push(number(found.and_then(|found| found.high_ms)));
    }
    for (all, percent) in
        [&figure.response, &figure.first_byte].iter().flat_map(|all| [50.0, 99.0, 99.9].map(|one| (all, one)))
    {
        let found = all.iter().find(|found| found.percent == percent);
        line.push(number(found.map(|found| found.value_ms)));
    }
    line.extend([
        if workload.sizes.is_some() { String::new() } else { workload.block.to_string() },
        workload.depth.to_string(),
        // Of pauses no number a second was asked for.
        number(workload.rate.filter(|rate| rate.pause_ms().is_none()).map(|rate| rate.per_second)),
        workload.jobs.to_string(),
        workload.clients.to_string(),
        if workload.of_files() { String::new() } else { workload.mix.percent(OpClass::Read).to_string() },
        mix(workload.mix),
        words::access(workload.access),
        words::durability_name(workload.durability).into(),
        workload.bytes().to_string(),
        workload.spread.map(|bytes| bytes.to_string()).unwrap_or_default(),
        workload.seed.to_string(),
        workload
            .options
            .iter()
            .chain(&workload.settings)
            .map(|(option, value)| format!("{option}={value}"))
            .collect::<Vec<_>>()
            .join(" "),
        workload.tree.map(|tree| tree.to_string()).unwrap_or_default(),
        workload.sizes.as_ref().map(Sizes::to_string).unwrap_or_default(),
    ]);
    line.extend(cost(report, figure));
    line.extend(flaws(figure));
    let pages = |of: fn(&EmptyPages) -> u64| figure.empty_pages.as_ref().map(|pages| of(pages).to_string());
    line.extend([pages(|pages| pages.looked_at), pages(|pages| pages.empty)].map(Option::unwrap_or_default));
    line
}

/// `create=50 delete=50`, by name; empty: reads and writes of bytes, of which there is the share of reads.
fn mix(mix: OpMix) -> String {
    if mix.classes().all(OpClass::of_bytes) {
        return String::new();
    }
    let mut all: Vec<String> = mix.classes().map(|class| format!("{}={}", class.name(), mix.percent(class))).collect();
    all.sort_unstable();
    all.join(" ")
}

/// What the load generator took, as shares; what measuring one such operation costs by itself, ns.
fn cost(report: &Report, figure: &Figure) -> [String; 4] {
    let share = |of: fn(&Shares) -> Option<f64>| number(figure.effort.as_ref().and_then(of));
    [
        share(|effort| Some(effort.busy)),
        share(|effort| Some(effort.queued)),
        share(|effort| effort.overhead),
        number(report.overhead.map(|overhead| overhead.of(&figure.workload))),
    ]
}

/// What was read back and checked, of a workload that verifies.
fn flaws(figure: &Figure) -> [String; 6] {
    let of = |of: fn(&Checked) -> u64| figure.checked.as_ref().map(of).map(|n| n.to_string()).unwrap_or_default();
    [
        of(|checked| checked.bytes),
        of(|checked| checked.unknown),
        of(|checked| checked.wrong),
        of(|checked| checked.stale),
        of(|checked| checked.torn),
        of(|checked| checked.misplaced),
    ]
}

/// A line for each window of each slice, warm-up included.
pub fn windows(report: &Report, record: &Record) -> String {
    let slices = Slices::of(record);
    let of_figure = |figure: &Figure| -> Vec<Vec<String>> {
        slices.of_figure(figure).into_iter().flat_map(|slice| of_slice(report, figure, slice)).collect()
    };
    // Of what reports its own times windows of different targets make no rate of all of them: each has its own.
    table(&WINDOWS, report.figures.iter().filter(|figure| figure.overlap.is_none()).flat_map(of_figure))
}

fn of_slice(report: &Report, figure: &Figure, slice: &Slice) -> Vec<Vec<String>> {
    let mut begins = 0.0;
    let line = |(at, sample): (usize, &Sample)| {
        let span = sample.span_ns as f64 / 1e9;
        let since = begins;
        begins += span;
        let ms = |ns: Option<f64>| number(ns.map(|ns| ns / 1e6));
        vec![
            report.head.run.clone(),
            figure.step.0.to_string(),
            figure.layer.name().into(),
            figure.target.clone(),
            figure.pattern.name().into(),
            words::kind(figure.kind).into(),
            figure.at_once.to_string(),
            slice.pass.to_string(),
            number(Some(slice.started_seconds)),
            format!("{since:.6}"),
            number(Some(span)),
            "1".into(),
            (at < slice.warmup as usize).to_string(),
            sample.ops.to_string(),
            sample.bytes.to_string(),
            sample.errors.to_string(),
            ms(sample.response_time().mean_ns()),
            ms(sample.response_time().quantile_ns(0.5)),
            ms(sample.response_time().quantile_ns(0.99)),
        ]
    };
    slice.samples.iter().enumerate().map(line).collect()
}

fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}

fn table(heading: &[&str], lines: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail, and all lines are as long as the heading.
    let _ = writer.write_record(heading);
    for line in lines {
        let _ = writer.write_record(line.iter().map(|cell| harmless(cell)));
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// A text that a spreadsheet would take for a formula stays a text: with an apostrophe before it (OWASP, CSV injection). Numbers are none.
fn harmless(cell: &str) -> String {
    let cell = words::tame(cell);
    let formula = |c: char| matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '|' | '%');
    let suspect = cell.trim_start().starts_with(formula) && cell.parse::<f64>().is_err();
    if suspect { format!("'{cell}") } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_formula_and_no_command() {
        for (cell, shown) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2+3", "'-2+3"),
            ("\t=1+1", "' =1+1"),
            ("＝1", "'＝1"),
            ("a\x1b[31mb", "a [31mb"),
            ("-1.5", "-1.5"),
            ("1e-9", "1e-9"),
            ("pool =x", "pool =x"),
            ("", ""),
        ] {
            assert_eq!(harmless(cell), shown);
        }
        let text = table(&["a"], [vec!["=1+1, \"x\"".to_string()]].into_iter());
        assert_eq!(text, "a\n\"'=1+1, \"\"x\"\"\"\n");
    }
}
