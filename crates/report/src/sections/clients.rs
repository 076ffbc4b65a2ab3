//! What each doubling of the clients brought.

use crate::block::{self, Block, Cell, Emphasis, Row, Table};
use crate::chart::{Axis, Caption, Chart, Lines, Mark, Point, Series, Tick};
use crate::{numbers, words};
use model::{Doubled, Report, ScaledLoad, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let rows: Vec<Row> =
        report.answer.doubled().iter().flat_map(|one| one.loads.iter().map(move |load| row(one, load))).collect();
    let says =
        |one: &Doubled| format!("{} {}: {}.", words::place(one.layer, &one.target), one.pattern.name(), one.says);
    let Some(says) = block::list(report.answer.doubled().iter().map(says), Emphasis::Plain) else { return Vec::new() };
    let pictures = report.answer.doubled().iter().map(|one| picture(one).into());
    let table = Table::plain(["target", "pattern", "clients", "all together"], rows).into();
    pictures.chain([table, says]).collect()
}

/// All together over the number of clients, a ring around the number that was enough.
fn picture(of: &Doubled) -> Chart {
    let metric = of.pattern.metric(of.layer);
    let all = |load: &ScaledLoad| load.hosts.saturating_mul(load.each);
    let point = |load: &ScaledLoad| {
        let y = Mark::of(&load.estimate?, metric)?;
        Some(Point {
            x: f64::from(all(load)),
            y,
            ring: of.full == Some(all(load)),
            label: load.label.clone(),
            figure: None,
        })
    };
    let points: Vec<Point> = of.loads.iter().filter_map(point).collect();
    let ticks = points.iter().map(|point| Tick { at: point.x, text: format!("{}", point.x) }).collect();
    Chart::Lines(Lines {
        caption: Caption::new(format!("{}, {}", words::place(of.layer, &of.target), of.pattern.name()), "", &of.unit),
        x: Axis { ticks, ..Axis::log("clients") },
        y: Axis::linear(&of.unit),
        series: vec![Series { name: String::new(), points, joined: true }],
        bounds: Vec::new(),
    })
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
