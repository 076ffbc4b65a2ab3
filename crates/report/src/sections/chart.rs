//! The depth chart: layers × patterns, each value with its interval.

use crate::block::{Block, Cell, Column, Emphasis, Item, Row, Table};
use model::{ChartCell, Layer, Pattern, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let (layers, patterns) = axes(report);
    let Some(first) = layers.first() else { return Vec::new() };
    let missing = missing(report);
    let shown = |layer: &Layer, pattern: &Pattern| match cell(report, *layer, *pattern) {
        None => Cell::default(),
        Some(cell) => match &cell.estimate {
            Some(estimate) => Cell::value(estimate, pattern.metric(*layer)).labelled(&cell.label),
            None => Cell {
                note: missing.iter().position(|other| std::ptr::eq(*other, cell)).map(|place| place + 1),
                ..Cell::nothing().labelled(&cell.label).with(Emphasis::Warn)
            },
        },
    };
    let row = |layer: &Layer| {
        Row::new(std::iter::once(Cell::from(layer.name())).chain(patterns.iter().map(|pattern| shown(layer, pattern))))
    };
    let columns = patterns.iter().map(|pattern| Column::of(pattern.name(), pattern.metric(*first).unit()));
    let columns = std::iter::once(Column::left("layer")).chain(columns);
    let note = |(number, cell): (usize, &&ChartCell)| {
        let reason = cell.why.as_deref().unwrap_or("no reason is recorded");
        let says = format!("{} {} is {}: {reason}", cell.layer.name(), cell.pattern.name(), cell.label);
        Item { number: Some(number), text: crate::block::Text::new(says, Emphasis::Warn), more: Vec::new() }
    };
    let notes: Vec<Item> = (1..).zip(&missing).map(note).collect();
    let table = Table::new(columns, layers.iter().map(row)).into();
    std::iter::once(table).chain((!notes.is_empty()).then_some(Block::List(notes))).collect()
}

/// Layers and patterns of the chart, in the order of every table.
fn axes(report: &Report) -> (Vec<Layer>, Vec<Pattern>) {
    let layers = Layer::ALL.into_iter().filter(|layer| report.chart.iter().any(|cell| cell.layer == *layer));
    let patterns = Pattern::ALL.into_iter().filter(|pattern| report.chart.iter().any(|cell| cell.pattern == *pattern));
    (layers.collect(), patterns.collect())
}

pub(crate) fn cell(report: &Report, layer: Layer, pattern: Pattern) -> Option<&ChartCell> {
    report.chart.iter().find(|cell| cell.layer == layer && cell.pattern == pattern)
}

/// Each layer with each pattern that has a cell.
pub(super) fn cells(report: &Report) -> Vec<&ChartCell> {
    let (layers, patterns) = axes(report);
    let of = |layer: Layer| patterns.iter().filter_map(move |pattern| cell(report, layer, *pattern));
    layers.into_iter().flat_map(of).collect()
}

/// Cells without a value.
pub(super) fn missing(report: &Report) -> Vec<&ChartCell> {
    cells(report).into_iter().filter(|cell| cell.estimate.is_none()).collect()
}
