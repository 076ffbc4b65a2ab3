//! What each door to a pool costs, beside objects of RADOS under the same work.

use crate::block::{Block, Cell, Column, Row, Table};
use crate::numbers;
use model::pattern::Family;
use model::{DoorPrice, Estimate, Report, Scope};

const TITLE: &str = "Price of each door: the same work as objects of RADOS, and through it";
const HEADING: [&str; 6] = ["door", "pattern", "rados", "door", "slower by", "its price"];
const NO_MODEL: &str = "What a gateway should take was never published: no model says how much of its price must be. Its pools may be others than \
                        the one of the RADOS figures.";

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    if report.doors.is_empty() {
        return Vec::new();
    }
    let table = Table::new(HEADING.map(Column::left), report.doors.iter().map(row));
    let gateway = report.doors.iter().any(|price| price.layer.of_buckets());
    let note = gateway.then(|| Block::note(NO_MODEL));
    [Block::title(TITLE), table.into()].into_iter().chain(note).collect()
}

fn row(price: &DoorPrice) -> Row {
    let (metric, times) = (price.metric, &price.times);
    let cost = match price.pattern.family() {
        _ if [&price.at_door, &price.of_rados].into_iter().any(numbers::is_unknown) => numbers::NOTHING.to_string(),
        Family::Latency => numbers::more(&price.at_door, &price.of_rados, metric).with_unit(),
        Family::Parallel | Family::Linear => format!("{} of the rate", numbers::share(1.0 - 1.0 / times.value)),
    };
    let figure = |value: &Estimate, label: &str| Cell::from(numbers::figure(value, metric).with_unit()).labelled(label);
    Row::new([
        Cell::from(price.layer.name()),
        price.pattern.name().into(),
        figure(&price.of_rados, &price.rados_label),
        figure(&price.at_door, &price.door_label),
        match times.high {
            Some(high) => format!("×{:.1} ({:.1}–{high:.1})", times.value, times.low),
            None => format!("×{:.1} ({:.1} and more)", times.value, times.low),
        }
        .into(),
        cost.into(),
    ])
}
