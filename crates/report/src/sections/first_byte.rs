//! Objects that were read: how long until the first byte came, beside how long until all had come.

use super::response::percentile;
use crate::block::{Block, Cell, Column, Row, Table};
use crate::words;
use model::{Figure, Report, Scope};

const EXPLAINED: &str = "From when the request began until the first byte of its answer came (its head, and with it as much of the object \
                         as came at once), and until the last one did: between the two the rest of the object is on its way.";

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let usable = |figure: &&Figure| !figure.first_byte.is_empty() && words::holds(&figure.label);
    let read = report.figures.iter().filter(|figure| usable(figure) && !report.answer.replaces_figures());
    // Of targets that were loaded at once, all together stand for each.
    let rows: Vec<Row> = read.filter(|figure| figure.at_once <= 1 || figure.target.ends_with(".*")).map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let columns = [
        Column::left("target"),
        Column::left("load"),
        Column::left("first byte p50"),
        Column::left("first byte p99"),
        Column::left("last byte p50"),
        Column::left("last byte p99"),
    ];
    vec![
        Block::title("Time to the first byte of an object, ms"),
        Table::new(columns, rows).into(),
        Block::note(EXPLAINED),
    ]
}

fn row(figure: &Figure) -> Row {
    // Of numbers of the user's own the pattern is only the nearest.
    let pattern = figure.pattern.name();
    let load = words::own_numbers(figure).map_or_else(|| pattern.to_string(), |own| format!("{own} ({pattern})"));
    let names = [Cell::from(words::place(figure.layer, &figure.target)), load.into()];
    let label = figure.label.name();
    let times = [&figure.first_byte, &figure.percentiles]
        .map(|of| [Cell::from(percentile(of, 50.0)).labelled(label), percentile(of, 99.0).into()]);
    Row::new(names.into_iter().chain(times.into_iter().flatten()))
}
