//! What each doubling of the clients brought.

use crate::block::{self, Block, Cell, Emphasis, Row, Table};
use crate::{numbers, words};
use model::{Doubled, Report, ScaledLoad, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let rows: Vec<Row> =
        report.doubled.iter().flat_map(|one| one.loads.iter().map(move |load| row(one, load))).collect();
    let says =
        |one: &Doubled| format!("{} {}: {}.", words::place(one.layer, &one.target), one.pattern.name(), one.says);
    let Some(says) = block::list(report.doubled.iter().map(says), Emphasis::Plain) else { return Vec::new() };
    vec![Table::plain(["target", "pattern", "clients", "all together"], rows).into(), says]
}

fn row(of: &Doubled, load: &ScaledLoad) -> Row {
    let clients = match (load.hosts, load.each) {
        (1, each) => each.to_string(),
        (hosts, 1) => format!("{hosts}, a host each"),
        (hosts, each) => format!("{}, {each} on each of {hosts} hosts", hosts * each),
    };
    let metric = of.pattern.metric(of.layer);
    let value = load.estimate.map(|value| Cell::from(numbers::figure(&value, metric).with_unit()));
    Row::new([
        Cell::from(words::place(of.layer, &of.target)),
        of.pattern.name().into(),
        clients.into(),
        value.unwrap_or_else(Cell::nothing).labelled(&load.label),
    ])
}
