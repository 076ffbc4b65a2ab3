//! The ledger: what each layer adds to a latency, and what share of its ceiling it delivers of a throughput.

use super::chart;
use crate::block::{Block, Cell, Column, Row, Table};
use crate::chart::{Bar, Bars, Caption, Chart, Mark, Stage, Waterfall};
use crate::numbers;
use model::pattern::Family;
use model::{Estimate, LedgerRow, Pattern, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let of = |pattern: Pattern| {
        let mut rows: Vec<&LedgerRow> = report.ledger.iter().filter(|row| row.pattern == pattern).collect();
        rows.sort_by_key(|row| row.layer);
        (pattern, rows)
    };
    let some = Pattern::ALL.into_iter().map(of).filter(|(_, rows)| !rows.is_empty());
    some.flat_map(|(pattern, rows)| match pattern.family() {
        Family::Latency => latency(report, pattern, &rows),
        Family::Parallel | Family::Linear | Family::Metadata => throughput(pattern, &rows),
    })
    .collect()
}

fn latency(report: &Report, pattern: Pattern, rows: &[&LedgerRow]) -> Vec<Block> {
    let picture = waterfall(report, pattern, rows);
    let titles = ["expected", "unexplained", "share"].map(Column::right);
    let columns = [Column::left("layer"), Column::of("adds", "ms")].into_iter().chain(titles).chain(ends());
    let mut before = 0.0;
    let row = |row: &&LedgerRow| {
        let beside =
            |value: Option<f64>| value.map_or(numbers::NOTHING.into(), |value| numbers::beside(value, &row.adds));
        let from = before;
        before += row.share.unwrap_or(0.0);
        Row::new([
            Cell::from(row.layer.name()),
            Cell::shown(numbers::adds(row)),
            beside(row.expected).into(),
            beside(row.unexplained).into(),
            numbers::share_at_most(row).into(),
            bar(row.share.map(|share| [from, from + share])),
            row.because.clone().into(),
        ])
    };
    let rows: Vec<Row> = rows.iter().map(row).collect();
    let title = Block::title(format!("Ledger of {}: what each layer adds", pattern.name()));
    vec![title, picture.into(), Table::new(columns, rows).into()]
}

fn throughput(pattern: Pattern, rows: &[&LedgerRow]) -> Vec<Block> {
    let unit = rows.first().map_or("", |row| pattern.metric(row.layer).unit());
    let columns =
        [Column::left("layer"), Column::of("ceiling", unit), Column::right("short of it"), Column::right("share")];
    let row = |row: &&LedgerRow| {
        Row::new([
            Cell::from(row.layer.name()),
            numbers::ceiling(row).into(),
            Cell::shown(numbers::adds(row)),
            numbers::share_at_most(row).into(),
            bar(row.share.map(|share| [0.0, share])),
            row.because.clone().into(),
        ])
    };
    let title = Block::title(format!("Ledger of {}: what each layer delivers of its ceiling", pattern.name()));
    let table = Table::new(columns.into_iter().chain(ends()), rows.iter().map(row)).into();
    vec![title, bars(pattern, rows).into(), table]
}

fn waterfall(report: &Report, pattern: Pattern, rows: &[&LedgerRow]) -> Chart {
    let stage = |row: &&LedgerRow| {
        let shown = numbers::adds(row);
        let sign = if row.adds.value > 0.0 && !shown.unit.is_empty() { "+" } else { "" };
        let expected = row.expected.filter(|expected| expected.is_finite());
        Some(Stage {
            name: row.layer.name().to_string(),
            adds: Mark::written(&row.adds, format!("{sign}{}", shown.plain()))?,
            expected,
            why: expected.map_or(row.because.clone(), |expected| {
                format!("expected {} ms: {}", numbers::beside(expected, &row.adds), row.because)
            }),
        })
    };
    let last = rows.last().and_then(|row| chart::cell(report, row.layer, pattern));
    let total = last.and_then(|cell| Mark::of(&cell.estimate?, pattern.metric(cell.layer)));
    let caption = Caption::new(pattern.name(), "what each layer adds", "ms");
    Chart::Waterfall(Waterfall { caption, stages: rows.iter().filter_map(stage).collect(), total })
}

fn bars(pattern: Pattern, rows: &[&LedgerRow]) -> Chart {
    let bar = |row: &&LedgerRow| {
        let at =
            |lost: f64| row.ceiling.filter(|ceiling| *ceiling > 0.0).map_or(f64::NAN, |ceiling| 1.0 - lost / ceiling);
        let text = numbers::share_at_most(row);
        let estimate = row.share.map(|value| Estimate { value, low: at(row.adds.high), high: at(row.adds.low) });
        let share = estimate.and_then(|share| Mark::written(&share, &text));
        Bar { name: row.layer.name().to_string(), share, text, why: row.because.clone() }
    };
    let caption = Caption::new(pattern.name(), "what each layer delivers of its ceiling", "share");
    Chart::Bars(Bars { caption, rows: rows.iter().map(bar).collect() })
}

/// A bar, and what the row was made of.
fn ends() -> [Column; 2] {
    [Column::left(""), Column { spare: true, ..Column::left("because") }]
}

fn bar(bar: Option<[f64; 2]>) -> Cell {
    Cell { bar, ..Cell::default() }
}
