//! What the OSDs of a figure of writes did on the device of their data, and what on that of their database: of latencies, and of stores
//! that were loaded by themselves.

use crate::entry::Entry;
use crate::osd_timers::{Timers, commit_parts, summed};
use model::pattern::Family;
use model::{DatabaseLook, Place, Record, Slice, Spent, StoreDevices, StoreTimes, Timer};

/// One for each OSD of each figure, where the OSDs' timers were read.
pub fn stores(entries: &[Entry], record: &Record) -> Vec<StoreTimes> {
    entries.iter().flat_map(|entry| of_entry(entry, record)).collect()
}

fn of_entry(entry: &Entry, record: &Record) -> Vec<StoreTimes> {
    let figure = &entry.figure;
    let by_itself = matches!(entry.place(), Some(Place::Store { .. }));
    let wanted = figure.kind.changes() && (by_itself || figure.pattern.family() == Family::Latency);
    if !wanted || !figure.layer.of_ceph() || entry.usable().is_none() || entry.together() {
        return Vec::new();
    }
    let own = match entry.place() {
        Some(Place::Osd { osd, .. } | Place::Store { osd }) => Some(*osd),
        _ => None,
    };
    let slices: Vec<&Slice> = entry.slices.iter().copied().filter(|slice| slice.void.is_none()).collect();
    let of_slices = |step, pass| slices.iter().any(|slice| (slice.step, slice.pass) == (step, pass));
    let timers = summed(record.osd_times().filter(|times| of_slices(times.step, times.pass)));
    let looks = || record.compactions().filter(|seen| of_slices(seen.step, seen.pass)).flat_map(|seen| &seen.osds);
    let database = |osd: u32| {
        let all = looks().filter(|looks| looks.osd == osd).filter_map(|looks| looks.database);
        all.reduce(DatabaseLook::then)
    };
    let wanted = timers.into_iter().filter(|(osd, _)| own.is_none_or(|own| own == *osd));
    wanted.filter_map(|(osd, timers)| of_osd(entry, osd, &timers, database(osd), record)).collect()
}

fn of_osd(
    entry: &Entry,
    osd: u32,
    timers: &Timers,
    database: Option<DatabaseLook>,
    record: &Record,
) -> Option<StoreTimes> {
    let mean = |timer| timers.get(&timer).and_then(Spent::mean_ms);
    let (figure, commit) = (&entry.figure, timers.get(&Timer::Commit)?);
    Some(StoreTimes {
        layer: figure.layer,
        pattern: figure.pattern,
        target: figure.target.clone(),
        at_once: figure.at_once,
        by_itself: matches!(entry.place(), Some(Place::Store { .. })),
        osd,
        devices: devices(osd, record),
        commits: commit.times,
        commit: commit.mean_ms()?,
        parts: commit_parts(timers),
        flush: mean(Timer::DataFlushed),
        log: mean(Timer::LogWritten),
        database,
    })
}

/// As the OSD says.
fn devices(osd: u32, record: &Record) -> StoreDevices {
    let osds = record.facts().and_then(|facts| facts.cluster.osds.as_ref()).into_iter().flatten();
    let mut own = osds.filter(|known| known.id == osd);
    own.next().map(|known| known.store_devices()).unwrap_or_default()
}
