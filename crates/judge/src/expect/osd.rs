//! A single OSD: messenger and OSD software between the network and its store.

use super::view::View;
use super::{Expectation, Passes, device, store};
use crate::books::{Books, Ceiling, Model, Path, of_cell, where_asked};
use crate::words::number;
use model::pattern::Family;
use model::{Durability, Estimate, Layer, LedgerRow, Metric, Pattern};

pub(super) const EXPECTATION: Expectation =
    Expectation { layer: Layer::Osd, stage, ceiling, passes: Passes::ToEachOsd, impossible };

/// OSD software on a read, ms: 4,500 reads/s of one OSD on a local NVMe disk, less 0.10 of the disk and 0.02 of loopback.
const OSD_READ_MS: f64 = 0.10;

pub(super) fn measured(books: &Books, pattern: Pattern) -> Option<Estimate> {
    books.cell(Layer::Osd, pattern)
}

fn stage(path: &mut Path) -> Option<LedgerRow> {
    path.over_network(Layer::Osd, |path| match path.pattern.writes() {
        true => write_model(path),
        false => Some(Model {
            expected: OSD_READ_MS,
            because: "messenger and OSD software on a fast CPU, by published figures".to_string(),
        }),
    })
}

/// The OSD's software costs a write what it costs a read.
fn write_model(path: &Path) -> Option<Model> {
    let (_, trip) = path.trip.filter(|(_, trip)| trip.is_known())?;
    let software = (way(path.books)? - trip.value).max(0.0);
    let disk = device::measured(path.books, path.pattern).filter(Estimate::is_known);
    match (store::measured(path.books, path.pattern), disk) {
        (None, Some(disk)) => Some(Model {
            expected: software + disk.value,
            because: format!(
                "OSD software as on reads ({} ms) and a second commit for BlueStore's journal ({} ms)",
                number(software),
                number(disk.value)
            ),
        }),
        (Some(_), _) => {
            Some(Model { expected: software, because: format!("OSD software as on reads ({} ms)", number(software)) })
        }
        (None, None) => None,
    }
}

/// One way through network and OSD without its disk, ms: what reads show.
pub(super) fn way(books: &Books) -> Option<f64> {
    let read = measured(books, Pattern::ReadLatency).filter(Estimate::is_known)?;
    let disk = device::measured(books, Pattern::ReadLatency);
    if disk.is_some_and(|disk| !disk.is_known()) {
        return None;
    }
    let disk = disk.and_then(|disk| device::read_part(books, disk));
    Some((read.value - disk.map_or(0.0, |(disk, _)| disk.value)).max(0.0))
}

/// Its store; where that was not measured, its disk, of reads as far as that was asked.
fn ceiling(books: &Books, pattern: Pattern) -> Option<Ceiling> {
    let disks = || {
        device::ceiling_of_disks(books, Layer::Osd, pattern)
            .and_then(|disks| where_asked(books, Layer::Osd, pattern, disks))
    };
    of_cell(books, Layer::Store, pattern).or_else(disks)
}

fn impossible(view: &View) -> Option<String> {
    match view.entry.figure.pattern.family() {
        Family::Latency => sooner_than_commit(view).or_else(|| sooner_than_round_trip(view)),
        Family::Linear => more_than_disk(view).or_else(|| {
            let own_host: Vec<&str> = view.entry.figure.host.as_deref().into_iter().collect();
            view.more_than_links(&own_host)
        }),
        Family::Parallel | Family::Metadata => None,
    }
}

/// No durable write is acknowledged before the disk has made one commit.
fn sooner_than_commit(view: &View) -> Option<String> {
    let (disk, commit) = view.own_disk(Pattern::WriteLatency)?;
    let durable = disk.step.workload.durability != Durability::None;
    (durable && view.entry.is(Layer::Osd, Pattern::WriteLatency) && view.own.high < commit.low)
        .then(|| view.says(&format!("one durable write of its disk {} takes", disk.figure.target), commit))
}

fn more_than_disk(view: &View) -> Option<String> {
    let (disk, most) = view.own_disk(Pattern::WriteLinear)?;
    (view.entry.is(Layer::Osd, Pattern::WriteLinear) && view.own.low > most.high)
        .then(|| view.says(&format!("its disk {} writes", disk.figure.target), most))
}

fn sooner_than_round_trip(view: &View) -> Option<String> {
    let host = view.entry.figure.host.as_deref()?;
    let trips = view.links(view.here()?, host, |entry| entry.figure.metric == Metric::Rtt);
    let trip = trips.min_by(|a, b| a.low.total_cmp(&b.low))?;
    (view.own.high < trip.low).then(|| view.says(&format!("one round trip to {host} takes"), trip))
}
