//! The ledger: what each layer adds to a latency, and what share of its ceiling it delivers of a throughput.

use crate::block::{Block, Cell, Column, Row, Table};
use crate::numbers;
use model::pattern::Family;
use model::{LedgerRow, Pattern, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let of = |pattern: Pattern| {
        let mut rows: Vec<&LedgerRow> = report.ledger.iter().filter(|row| row.pattern == pattern).collect();
        rows.sort_by_key(|row| row.layer);
        (pattern, rows)
    };
    let some = Pattern::ALL.into_iter().map(of).filter(|(_, rows)| !rows.is_empty());
    some.flat_map(|(pattern, rows)| match pattern.family() {
        Family::Latency => latency(pattern, &rows),
        Family::Parallel | Family::Linear => throughput(pattern, &rows),
    })
    .collect()
}

fn latency(pattern: Pattern, rows: &[&LedgerRow]) -> Vec<Block> {
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
    vec![title, Table::new(columns, rows).into()]
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
    vec![title, Table::new(columns.into_iter().chain(ends()), rows.iter().map(row)).into()]
}

/// A bar, and what the row was made of.
fn ends() -> [Column; 2] {
    [Column::left(""), Column { spare: true, ..Column::left("because") }]
}

fn bar(bar: Option<[f64; 2]>) -> Cell {
    Cell { bar, ..Cell::default() }
}
