//! The depth chart: layers × patterns, each value with its interval.

use crate::block::{Block, Cell, Column, Emphasis, Item, Row, Table};
use crate::chart::{Caption, Chart, Mark, PointRow, Points};
use crate::words;
use model::{ChartCell, Durability, Figure, Layer, Pattern, Report, Scope, Workload};
use std::collections::BTreeSet;

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let (rows, patterns) = axes(report);
    let Some((first, _)) = rows.first() else { return Vec::new() };
    let missing = missing(report);
    let shown = |row: &Way, pattern: &Pattern| match cell_of(report, row, *pattern) {
        None => Cell::default(),
        Some(cell) => match &cell.estimate {
            Some(estimate) => Cell::value(estimate, pattern.metric(cell.layer)).labelled(&cell.label),
            None => Cell { note: number(&missing, cell), ..Cell::nothing().labelled(&cell.label).with(Emphasis::Warn) },
        },
    };
    let row = |row: &Way| {
        let name = std::iter::once(Cell::from(name(row)));
        Row::new(name.chain(patterns.iter().map(|pattern| shown(row, pattern))))
    };
    let columns = patterns.iter().map(|pattern| Column::of(pattern.name(), pattern.metric(*first).unit()));
    let columns = std::iter::once(Column::left("layer")).chain(columns);
    let note = |(number, cell): (usize, &&ChartCell)| {
        let reason = cell.why.as_deref().unwrap_or("no reason is recorded");
        let says = format!("{} {} is {}: {reason}", cell.row(), cell.pattern.name(), cell.label);
        Item { number: Some(number), text: crate::block::Text::new(says, Emphasis::Warn), more: Vec::new() }
    };
    let notes: Vec<Item> = (1..).zip(&missing).map(note).collect();
    let table = Table::new(columns, rows.iter().map(row)).into();
    let pictures = patterns.iter().map(|pattern| picture(report, *pattern, &rows, &missing).into());
    pictures.chain([table]).chain((!notes.is_empty()).then_some(Block::List(notes))).collect()
}

/// One pattern: layers downwards.
fn picture(report: &Report, pattern: Pattern, rows: &[Way], missing: &[&ChartCell]) -> Chart {
    let metric = pattern.metric(rows.first().map_or(Layer::ALL[0], |(layer, _)| *layer));
    let better = if metric.lower_is_better() { "← lower is better" } else { "higher is better →" };
    let caption = Caption::new(pattern.name(), load(report, pattern), format!("{} · {better}", metric.unit()));
    let row = |way: &Way| {
        let row = PointRow { name: name(way), aside: way.0.of_links(), ..PointRow::default() };
        match cell_of(report, way, pattern) {
            None => PointRow { text: "not measured".to_string(), ..row },
            Some(cell) => PointRow { note: number(missing, cell), ..of_cell(report, cell, row) },
        }
    };
    Chart::Points(Points { caption, rows: rows.iter().map(row).collect() })
}

/// More loads of one pattern than these, as a sweep has, are not told one by one.
const LOADS_MOST: usize = 2;

/// What was done: of all layers alike, and so without what each has of its own. The network, which draws no places, speaks for itself alone.
fn load(report: &Report, pattern: Pattern) -> String {
    // Of several ways of making a write durable each figure says its own.
    let canonical = Workload { durability: Durability::None, ..Workload::canonical(pattern, 0, 0) };
    let own: Vec<&Figure> = report.figures.iter().filter(|figure| figure.chart && figure.pattern == pattern).collect();
    let done = |figure: &&Figure| {
        let &Workload { block, depth, rate, mix, access, ref sizes, .. } = &figure.workload;
        let sizes = sizes.clone();
        words::workload(figure.layer, &Workload { block, depth, rate, mix, access, sizes, ..canonical.clone() })
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
    let own: Vec<(usize, &Figure)> = report.figures.iter().enumerate().filter(|(_, one)| cell.has(one)).collect();
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

/// A row: a layer, and which of its doors, if there are several.
type Way<'r> = (Layer, Option<&'r str>);

fn name((layer, door): &Way) -> String {
    door.map_or(layer.name().to_string(), |door| format!("{} {door}", layer.name()))
}

/// Rows and patterns of the chart, in the order of every table.
fn axes(report: &Report) -> (Vec<Way<'_>>, Vec<Pattern>) {
    let mut rows: Vec<Way> = Vec::new();
    for cell in &report.chart {
        let way = (cell.layer, cell.door.as_deref());
        if !rows.contains(&way) {
            rows.push(way);
        }
    }
    rows.sort_by_key(|(layer, _)| Layer::ALL.into_iter().position(|one| one == *layer));
    let patterns = Pattern::ALL.into_iter().filter(|pattern| report.chart.iter().any(|cell| cell.pattern == *pattern));
    (rows, patterns.collect())
}

fn cell_of<'r>(report: &'r Report, (layer, door): &Way, pattern: Pattern) -> Option<&'r ChartCell> {
    let of = |cell: &&ChartCell| (cell.layer, cell.pattern, cell.door.as_deref()) == (*layer, pattern, *door);
    report.chart.iter().find(of)
}

/// Of a layer that has one door at most.
pub(crate) fn cell(report: &Report, layer: Layer, pattern: Pattern) -> Option<&ChartCell> {
    report.chart.iter().find(|cell| cell.layer == layer && cell.pattern == pattern)
}

/// Each layer with each pattern that has a cell.
pub(super) fn cells(report: &Report) -> Vec<&ChartCell> {
    let (rows, patterns) = axes(report);
    let of = |row: Way<'_>| patterns.iter().filter_map(|pattern| cell_of(report, &row, *pattern)).collect::<Vec<_>>();
    rows.into_iter().flat_map(of).collect()
}

/// Cells without a value.
pub(super) fn missing(report: &Report) -> Vec<&ChartCell> {
    cells(report).into_iter().filter(|cell| cell.estimate.is_none()).collect()
}
