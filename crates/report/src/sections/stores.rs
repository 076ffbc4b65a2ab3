//! Where OSDs' stores spend the time of writes: on the device of their data, or in the log of their database; and databases that spill over.

use super::latency_parts::written;
use crate::block::{Block, Cell, Column, Emphasis, Row, Table, Text};
use crate::{numbers, phrase};
use model::{Answer, Report, Scope, StoreTimes};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let known: Vec<&StoreTimes> =
        report.stores.iter().filter(|one| one.commit.is_finite() && one.commit > 0.0).collect();
    let alike = |a: &&StoreTimes, b: &&StoreTimes| (a.layer, a.pattern, a.at_once) == (b.layer, b.pattern, b.at_once);
    let sides = matches!(report.answer, Answer::PairedComparison(_));
    known.chunk_by(alike).flat_map(|cell| if sides { of_sides(cell) } else { of_cell(cell, "") }).collect()
}

/// Of a comparison A's come first, and then B's of the same OSDs.
fn of_sides(all: &[&StoreTimes]) -> Vec<Block> {
    let again = |at: &usize| all[..*at].iter().any(|one| one.osd == all[*at].osd);
    match (1..all.len()).find(again) {
        Some(of_a) => [of_cell(&all[..of_a], ", A"), of_cell(&all[of_a..], ", B")].concat(),
        None => of_cell(all, ""),
    }
}

/// OSDs of one layer and pattern.
fn of_cell(all: &[&StoreTimes], side: &str) -> Vec<Block> {
    let Some(first) = all.first() else { return Vec::new() };
    let at_once = if first.at_once > 1 { format!(" ({} at once)", first.at_once) } else { String::new() };
    let title = format!("What stores wait for: {} {}{at_once}{side}", first.layer.name(), first.pattern.name());
    let names = ["OSD", "data on", "DB and log on"].map(Column::left);
    let times = ["commit", "data's part", "log's part", "flush of the data's device", "write of the log"];
    let columns = names.into_iter().chain(times.map(|time| Column::of(time, "ms")));
    let spilled = all.iter().any(|one| one.database.is_some());
    let columns = columns.chain(spilled.then(|| Column::right("spilled over")));
    let rows = all.iter().map(|one| row(one, spilled));
    let mut blocks = vec![Block::title(title), Table::new(columns, rows).into()];
    blocks.extend(all.iter().filter_map(|one| price(one)));
    blocks
}

fn row(one: &StoreTimes, spilled: bool) -> Row {
    let names = |devices: &[String]| if devices.is_empty() { "?".to_string() } else { devices.join(", ") };
    // Whether that is the log or a table, OSDs do not tell.
    let spills = one.database.is_some_and(|database| database.spilled > 0);
    let log = match one.devices.apart {
        Some(true) if spills => format!("{}, in part {}", names(&one.devices.log), names(&one.devices.data)),
        Some(true) => names(&one.devices.log),
        Some(false) => "with its data".to_string(),
        None => "?".to_string(),
    };
    let cells = [format!("osd.{}", one.osd), names(&one.devices.data), log].map(Cell::from);
    let parts = [one.parts.map(|parts| parts.data), one.parts.map(|parts| parts.log), one.flush, one.log];
    let ms = |ms: Option<f64>| ms.filter(|ms| ms.is_finite()).map(|ms| Cell::from(written(ms, one.commit)));
    let times = std::iter::once(Some(one.commit)).chain(parts).map(|time| ms(time).unwrap_or(Cell::nothing()));
    let own = one.database.map_or(Cell::nothing(), |database| match database.spilled {
        0 => Cell::from("0"),
        bytes => Cell::from(numbers::bytes(bytes)).with(Emphasis::Outlier),
    });
    Row::new(cells.into_iter().chain(times).chain(spilled.then_some(own)))
}

/// What a database costs that lies on the device of the data in part.
fn price(one: &StoreTimes) -> Option<Block> {
    let says = phrase::text(&one.database?.spillover()?);
    Some(Block::Paragraph(Text::new(format!("osd.{}: {says}", one.osd), Emphasis::Warn)))
}
