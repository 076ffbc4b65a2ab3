//! The disk below an OSD: one operation at a time, its durable writes, and the part of reads for which it is asked.

use super::{Expectation, Passes, osd};
use crate::across::mean_over;
use crate::books::{ASKED_LEAST, Books, Ceiling, Path, of_cell, scaled};
use crate::disks::{disk_of, sharing_disk};
use crate::durable::as_stores_do;
use crate::entry::Entry;
use crate::words::{number, percent, quantity};
use model::{Durability, Estimate, Layer, LedgerRow, Pattern};

pub(super) const EXPECTATION: Expectation =
    Expectation { layer: Layer::Device, stage, ceiling: |_, _| None, passes: Passes::Nothing, impossible: |_| None };

/// What one durable write of a disk takes, and how it was made durable.
pub(crate) struct Commit {
    pub value: Estimate,
    pub way: Option<Durability>,
}

/// A durable write of the disks below a store: the depth chart's value, which is the worse of two ways to make it durable; where the
/// OSDs are quicker than that, the way in which stores do it.
pub(crate) fn commit(books: &Books) -> Option<Commit> {
    let counts = books.figures(Layer::Device, Pattern::WriteLatency);
    let used = |figures: &[&Entry]| {
        let way = figures.first().map(|entry| entry.step.workload.durability);
        Some(Commit { value: mean_over(figures)?, way: way.filter(|way| *way != Durability::None) })
    };
    let worse = used(&counts)?;
    let above = osd::measured(books, Pattern::WriteLatency);
    let flushes = |entry: &&Entry| {
        let alone = entry.is(Layer::Device, Pattern::WriteLatency) && entry.figure.at_once == 1;
        alone && as_stores_do(entry.step.workload.durability) && books.below_pool(entry)
    };
    let flushed: Vec<&Entry> = books.entries.iter().filter(flushes).collect();
    let quicker = above.is_some_and(|above| above.value < worse.value.value);
    let flushed = used(&flushed).filter(|flushed| quicker && flushed.value.value < worse.value.value);
    Some(flushed.unwrap_or(worse))
}

/// One operation of this pattern, a durable one of writes.
pub(super) fn measured(books: &Books, pattern: Pattern) -> Option<Estimate> {
    match pattern {
        Pattern::WriteLatency => commit(books).map(|commit| commit.value),
        _ => books.cell(Layer::Device, pattern),
    }
}

fn stage(path: &mut Path) -> Option<LedgerRow> {
    let Some(value) = measured(path.books, path.pattern) else {
        path.missing(Layer::Device, "no disk of the pool's OSDs measured");
        return None;
    };
    let Some((value, words)) = part(path, value) else {
        note_cached(path, value);
        return None;
    };
    let row = path.bottom(Layer::Device, value, format!("the disk itself, one operation at a time{words}"));
    path.local = Some((Layer::Device, value));
    Some(row)
}

/// The part of a disk in an operation: of reads, where the OSDs told from where their bytes came, the share for which it was asked.
/// `None`: it was not, or the OSD read faster than the disk.
fn part(path: &Path, disk: Estimate) -> Option<(Estimate, String)> {
    if path.pattern.writes() {
        return Some((disk, way_words(path.books).to_string()));
    }
    read_part(path.books, disk)
}

/// In which of two ways its writes are made durable.
fn way_words(books: &Books) -> &'static str {
    match commit(books).and_then(|commit| commit.way) {
        Some(Durability::Dsync | Durability::Sync) => ", made durable by O_DSYNC",
        Some(_) => ", made durable by a flush",
        None => "",
    }
}

fn note_cached(path: &mut Path, disk: Estimate) {
    let known = path.books.asked(path.pattern);
    let known = known.map_or(String::new(), |share| format!(" ({} of the bytes came from devices)", percent(share)));
    path.notes
        .push(format!("read from a cache{known}: the disk alone takes {} ms and isn't in the sum", number(disk.value)));
}

/// The disk's part in a read, and what is to be said of it.
pub(super) fn read_part(books: &Books, disk: Estimate) -> Option<(Estimate, String)> {
    match books.asked(Pattern::ReadLatency) {
        Some(share) if share < ASKED_LEAST => None,
        Some(share) => {
            let words = format!(
                " ({} ms), for {} of the bytes: the others came from memory",
                number(disk.value),
                percent(share)
            );
            Some((scaled(disk, share), if share < 0.995 { words } else { String::new() }))
        }
        None => (!served_from_cache(books, disk)).then(|| (disk, String::new())),
    }
}

fn served_from_cache(books: &Books, disk: Estimate) -> bool {
    let mut upper = Layer::ALL.into_iter().filter(|layer| layer.can().data_in_osds);
    upper.find_map(|layer| books.cell(layer, Pattern::ReadLatency)).is_some_and(|read| read.high < disk.low)
}

/// Each OSD's own disk, shared by those that were loaded on it at once; else the mean of the disks.
pub(super) fn ceiling_of_disks(books: &Books, layer: Layer, pattern: Pattern) -> Option<Ceiling> {
    let figures = books.figures(layer, pattern);
    let own: Option<Vec<(&Entry, u32)>> = figures
        .iter()
        .filter(|entry| entry.usable().is_some())
        .map(|entry| {
            let disk = disk_of(books.entries, books.record, entry.place()?, pattern)?;
            disk.usable()?;
            Some((disk, sharing_disk(books.entries, books.record, entry, disk)))
        })
        .collect();
    let Some(own) = own.filter(|own| !own.is_empty()) else { return of_cell(books, Layer::Device, pattern) };
    let most = own.iter().map(|(_, sharing)| *sharing).max().unwrap_or(1);
    let disks: Vec<&Entry> = own.iter().map(|(disk, _)| *disk).collect();
    let disk = mean_over(&disks)?;
    let of_each = |(disk, sharing): &(&Entry, u32)| Some(disk.usable()?.value / f64::from(*sharing));
    let share = own.iter().filter_map(of_each).sum::<f64>() / own.len() as f64;
    let measured = quantity(disk.value, pattern.metric(layer));
    let shared = if most > 1 { format!(" / {most} OSDs on it at once") } else { String::new() };
    Some(Ceiling::of(
        Layer::Device.name(),
        pattern,
        scaled(disk, share / disk.value),
        format!("device {measured}{shared}"),
    ))
}
