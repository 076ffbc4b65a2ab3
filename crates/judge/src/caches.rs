//! Cold or warm: from where the reads of a figure came, by the counters of the OSDs' own stores.

use crate::entry::Entry;
use crate::words::{percent, volume};
use model::{Caches, Layer, OsdLooks, Pattern, ReadFrom, StoreReads};

/// At least this share of the bytes from the devices is cold: what memory saves is then within what a figure is uncertain by.
pub const COLD_LEAST: f64 = 0.9;
/// At most this share is warm: what is measured is memory.
const WARM_MOST: f64 = 0.1;

/// From where the reads came, over all looks at all OSDs that serve a figure. `None`: no OSD counts it, or nothing was read.
pub fn read_from<'l>(looks: impl Iterator<Item = &'l OsdLooks>) -> Option<ReadFrom> {
    let reads: Vec<StoreReads> = looks.filter_map(|look| look.reads).collect();
    let sum = |of: fn(&StoreReads) -> u64| reads.iter().map(of).fold(0u64, u64::saturating_add);
    let known = |of: fn(&StoreReads) -> Option<u64>| -> Option<u64> {
        let all: Option<Vec<u64>> = reads.iter().map(of).collect();
        all.filter(|all| !all.is_empty()).map(|all| all.into_iter().fold(0, u64::saturating_add))
    };
    let (memory, device) = (sum(|read| read.memory) as f64, sum(|read| read.device) as f64);
    if memory + device <= 0.0 {
        return None;
    }
    let from_device = device / (memory + device);
    let caches = match from_device {
        share if share >= COLD_LEAST => Caches::Cold,
        share if share > WARM_MOST => Caches::Mixed,
        _ => Caches::Warm,
    };
    let onodes = known(|read| read.onode_hits).zip(known(|read| read.onode_misses));
    let onodes_in_memory = onodes.filter(|(hits, misses)| hits + misses > 0);
    Some(ReadFrom {
        caches,
        from_device,
        onodes_in_memory: onodes_in_memory.map(|(hits, misses)| hits as f64 / (hits + misses) as f64),
        rocksdb: known(|read| read.rocksdb),
    })
}

pub fn in_words(reads: &ReadFrom) -> String {
    let onodes = reads.onodes_in_memory.filter(|share| *share < COLD_LEAST);
    let onodes = onodes.map(|share| format!(", {} of the objects' metadata were in memory", percent(share)));
    let rocksdb = reads.rocksdb.filter(|bytes| *bytes > 0).map(|bytes| format!(", RocksDB read {}", volume(bytes)));
    format!(
        "{}: {} of the bytes came from the OSDs' devices{}{}",
        reads.caches.name(),
        percent(reads.from_device),
        onodes.unwrap_or_default(),
        rocksdb.unwrap_or_default()
    )
}

/// Share of a cell's reads that came from the devices: the mean over its figures. `None`: not known of all of them.
pub fn device_share(entries: &[&Entry], layer: Layer, pattern: Pattern) -> Option<f64> {
    let own: Vec<&&Entry> =
        entries.iter().filter(|entry| entry.is(layer, pattern) && entry.usable().is_some()).collect();
    let shares: Option<Vec<f64>> =
        own.iter().map(|entry| Some(entry.figure.background.as_ref()?.reads?.from_device)).collect();
    shares.filter(|shares| !shares.is_empty()).map(|shares| shares.iter().sum::<f64>() / shares.len() as f64)
}
