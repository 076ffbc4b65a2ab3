//! The depth chart: layers × patterns, each value with its interval.

use crate::block::{Block, Cell, Column, Emphasis, Item, Row, Table};
use crate::chart::{Caption, Chart, Mark, PointRow, Points};
use crate::words;
use model::{ChartCell, Figure, Layer, Pattern, Report, Scope, Workload};
use std::collections::BTreeSet;

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let (layers, patterns) = axes(report);
    let Some(first) = layers.first() else { return Vec::new() };
    let missing = missing(report);
    let shown = |layer: &Layer, pattern: &Pattern| match cell(report, *layer, *pattern) {
        None => Cell::default(),
        Some(cell) => match &cell.estimate {
            Some(estimate) => Cell::value(estimate, pattern.metric(*layer)).labelled(&cell.label),
            None => Cell { note: number(&missing, cell), ..Cell::nothing().labelled(&cell.label).with(Emphasis::Warn) },
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
    let pictures = patterns.iter().map(|pattern| picture(report, *pattern, &layers, &missing).into());
    pictures.chain([table]).chain((!notes.is_empty()).then_some(Block::List(notes))).collect()
}

/// One pattern: layers downwards.
fn picture(report: &Report, pattern: Pattern, layers: &[Layer], missing: &[&ChartCell]) -> Chart {
    let metric = pattern.metric(*layers.first().unwrap_or(&Layer::ALL[0]));
    let better = if metric.lower_is_better() { "← lower is better" } else { "higher is better →" };
    let caption = Caption::new(pattern.name(), load(report, pattern), format!("{} · {better}", metric.unit()));
    let row = |layer: &Layer| {
        let row = PointRow { name: layer.name().to_string(), aside: layer.of_links(), ..PointRow::default() };
        match cell(report, *layer, pattern) {
            None => PointRow { text: "not measured".to_string(), ..row },
            Some(cell) => PointRow { note: number(missing, cell), ..of_cell(report, cell, row) },
        }
    };
    Chart::Points(Points { caption, rows: layers.iter().map(row).collect() })
}

/// More loads of one pattern than these, as a sweep has, are not told one by one.
const LOADS_MOST: usize = 2;

/// What was done: of all layers alike, and so without what each has of its own. The network, which draws no places, speaks for itself alone.
fn load(report: &Report, pattern: Pattern) -> String {
    let canonical = Workload::canonical(pattern, 0, 0);
    let own: Vec<&Figure> = report.figures.iter().filter(|figure| figure.chart && figure.pattern == pattern).collect();
    let done = |figure: &&Figure| {
        let Workload { block, depth, rate, mix, access, .. } = figure.workload;
        words::workload(figure.layer, &Workload { block, depth, rate, mix, access, ..canonical.clone() })
    };
    let mut loads: BTreeSet<String> = own.iter().filter(|figure| !figure.layer.of_links()).map(done).collect();
    if loads.is_empty() {
        loads = own.iter().map(done).collect();
    }
    match loads.len() {
        0 => words::workload(Layer::ALL[0], &canonical),
        1..=LOADS_MOST => loads.into_iter().collect::<Vec<_>>().join(" or "),
        _ => "several loads".to_string(),
    }
}

fn of_cell(report: &Report, cell: &ChartCell, row: PointRow) -> PointRow {
    let metric = cell.pattern.metric(cell.layer);
    let is_own = |figure: &Figure| figure.chart && (figure.layer, figure.pattern) == (cell.layer, cell.pattern);
    let own: Vec<(usize, &Figure)> = report.figures.iter().enumerate().filter(|(_, figure)| is_own(figure)).collect();
    let worst = own.iter().find(|(_, figure)| Some(&figure.target) == cell.worst.as_ref()).or(own.first());
    let unused = own.iter().filter(|(_, figure)| !words::holds(&figure.label)).filter_map(|(_, one)| one.estimate);
    let struck: Vec<Mark> = unused.filter_map(|estimate| Mark::of(&estimate, metric)).collect();
    let mark = cell.estimate.and_then(|estimate| Mark::of(&estimate, metric));
    let text = match (&mark, struck.as_slice()) {
        (Some(mark), _) => mark.text.clone(),
        (None, [only]) => only.text.clone(),
        (None, []) => "no value".to_string(),
        (None, more) => format!("{} struck out", more.len()),
    };
    let why = cell.why.clone().unwrap_or_default();
    PointRow { mark, struck, text, label: cell.label.clone(), why, figure: worst.map(|(place, _)| *place), ..row }
}

fn number(missing: &[&ChartCell], cell: &ChartCell) -> Option<usize> {
    missing.iter().position(|other| std::ptr::eq(*other, cell)).map(|place| place + 1)
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
