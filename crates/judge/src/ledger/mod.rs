//! The ledger: what each layer adds (latency) or which share of its ceiling it delivers (throughput).

mod latency;
mod throughput;

use crate::books::Books;
use crate::chart::figures_of;
use crate::entry::Entry;
use crate::placement::lies_on;
use model::pattern::Family;
use model::{Layer, LedgerRow, Pattern, Record};
use std::collections::BTreeSet;

/// Rows in the order of patterns, then layers; only from figures that are neither void nor implausible.
pub fn ledger(entries: &[Entry], record: &Record) -> Vec<LedgerRow> {
    let of = |pattern: Pattern| match pattern.family() {
        Family::Latency => latency::rows(&Books { entries, record, on: pool_on(entries, record, pattern) }, pattern),
        Family::Parallel | Family::Linear => throughput::rows(&Books { entries, record, on: None }, pattern),
        Family::Metadata => Vec::new(),
    };
    Pattern::ALL.into_iter().flat_map(of).collect()
}

/// The OSDs on which the pool of the lowest layer with a pool lies.
fn pool_on(entries: &[Entry], record: &Record, pattern: Pattern) -> Option<BTreeSet<u32>> {
    let pools = |layer| figures_of(entries, layer, pattern).into_iter().find(|entry| entry.usable().is_some());
    lies_on(record, Layer::ALL.into_iter().filter(|layer| layer.of_pools()).find_map(pools)?.loads()?)
}
