//! Lines for the table of docs/drives.md: what a drive was found to be, with nothing that tells whose it is.

use crate::block::{Cell, Column, Row, Table};
use crate::{markdown, numbers};
use model::{DriveFound, DriveWrites, Durability, Estimate, Metric, Record, Report};

pub fn columns() -> Vec<Column> {
    let names = [
        "drive",
        "firmware",
        "size",
        "its cache",
        "durable writes/s",
        "cache switched",
        "32 in flight",
        "other writes/s",
        "reads/s",
        "32 in flight",
        "written MB/s",
        "read MB/s",
        "answer",
        "source",
    ];
    names.into_iter().map(Column::left).collect()
}

/// A line for each drive, below the table's head.
pub fn table(report: &Report, record: &Record) -> String {
    let rows = report.answer.drives().iter().map(|drive| row(drive, record));
    markdown::text(&[vec![Table::new(columns(), rows.collect::<Vec<_>>()).into()]])
}

fn row(drive: &DriveFound, record: &Record) -> Row {
    let text = |text: Option<String>| text.map_or_else(Cell::nothing, Cell::from);
    let model = drive.model.clone().unwrap_or_else(|| "no name of a model".to_string());
    let firmware = drive.health().and_then(|health| health.firmware.clone());
    let queue = drive.about.as_ref().map(|about| &about.queue);
    let cache = drive.cache.as_ref().map(|cache| if cache.on { "on" } else { "off" }.to_string());
    let day = record.head.started.split('T').next().unwrap_or_default();
    let through = if drive.through_file { ", through a file" } else { "" };
    let beside = if drive.beside.is_empty() { "" } else { ", under the load of an OSD" };
    let iops = |of: Option<Estimate>| value(of, Metric::Iops);
    let linear = |of: Option<Estimate>| value(of, Metric::Bandwidth);
    Row::new([
        Cell::from(model),
        text(firmware.or_else(|| queue?.firmware.clone())),
        text(queue.and_then(|queue| queue.bytes).map(numbers::bytes)),
        text(cache),
        iops(drive.slowest_durable().map(|(_, rate)| rate)),
        iops(model::fitness::slowest_durable(&drive.switched).map(|(_, rate)| rate)),
        iops(slowest_of_many(&drive.writes)),
        iops(drive.plain()),
        iops(drive.reads[0]),
        iops(drive.reads[1]),
        linear(drive.linear[0]),
        linear(drive.linear[1]),
        Cell::from(drive.fitness.name()),
        Cell::from(format!("Fathom {}, {day}{through}{beside}", env!("CARGO_PKG_VERSION"))),
    ])
}

/// With many in flight, of the ways that make writes durable.
fn slowest_of_many(writes: &[DriveWrites]) -> Option<Estimate> {
    let durable = writes.iter().filter(|one| one.way != Durability::None);
    durable.filter_map(|one| one.many).min_by(|a, b| a.value.total_cmp(&b.value))
}

fn value(of: Option<Estimate>, metric: Metric) -> Cell {
    let known = of.filter(|estimate| estimate.high.is_finite() && !numbers::is_unknown(estimate));
    known.map_or_else(Cell::nothing, |estimate| Cell::from(numbers::figure(&estimate, metric).plain()))
}
