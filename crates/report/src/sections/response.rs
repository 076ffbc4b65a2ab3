//! Open loops: what users wait, from when operations were due.

use crate::block::{Block, Cell, Column, Row, Table};
use crate::{numbers, words};
use model::{Figure, Percentile, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    // Rates that were tried have a table of their own.
    let elsewhere = report.answer.replaces_figures();
    let open = report.figures.iter().filter(|figure| figure.workload.rate.is_some() && !elsewhere);
    // Of targets that were loaded at once, all together stand for each.
    let rows: Vec<Row> = open.filter(|figure| figure.at_once <= 1 || figure.target.ends_with(".*")).map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let columns = [
        Column::left("target"),
        Column::left("kind"),
        Column::right("a second"),
        Column::right("mean"),
        Column::left("p50"),
        Column::left("p99"),
        Column::left("p99.9"),
        // What there is without the waiting.
        Column::left("service p99"),
    ];
    let title = Block::title("Response times, from when operations were due, ms");
    vec![title, Table::new(columns, rows).into()]
}

fn row(figure: &Figure) -> Row {
    let mean = match &figure.estimate {
        Some(estimate) if words::holds(&figure.label) => Cell::value(estimate, figure.metric),
        _ => Cell::nothing(),
    };
    let cells = [
        Cell::from(words::place(figure.layer, &figure.target)),
        words::kind(figure.kind).into(),
        figure.workload.rate.map_or(String::new(), |rate| words::per_second(rate.per_second * share(figure))).into(),
        mean.labelled(figure.label.name()),
    ];
    let percentiles = [50.0, 99.0, 99.9].map(|percent| percentile(&figure.response, percent));
    let service = percentile(&figure.percentiles, 99.0);
    Row::new(cells.into_iter().chain(percentiles.map(Cell::from)).chain([service.into()]))
}

/// Of all operations that start.
fn share(figure: &Figure) -> f64 {
    f64::from(figure.workload.mix.percent(figure.kind)) / 100.0
}

pub(super) fn percentile(of: &[Percentile], percent: f64) -> String {
    let found = of.iter().find(|found| found.percent == percent);
    found.map_or(numbers::NOTHING.to_string(), numbers::percentile)
}
