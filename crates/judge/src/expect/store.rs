//! An OSD's object store: a second commit of the same disk, and no more throughput than its disk has.

use super::{Expectation, Passes, device};
use crate::books::{Books, Model, Path};
use crate::words::number;
use model::{Estimate, Layer, LedgerRow, Pattern};

pub(super) const EXPECTATION: Expectation = Expectation {
    layer: Layer::Store,
    stage,
    ceiling: |books, pattern| device::ceiling_of_disks(books, Layer::Store, pattern),
    passes: Passes::Nothing,
    impossible: |_| None,
};

pub(super) fn measured(books: &Books, pattern: Pattern) -> Option<Estimate> {
    books.cell(Layer::Store, pattern)
}

fn stage(path: &mut Path) -> Option<LedgerRow> {
    // An OSD's bench command reads nothing, so that is no gap.
    let value = if path.pattern.writes() { path.measured(Layer::Store) } else { measured(path.books, path.pattern) }?;
    if path.local.is_some_and(|(_, disk)| value.high < disk.low) {
        let took = number(value.value);
        path.notes.push(format!("the store's own bench keeps writes in flight ({took} ms each): no latency"));
        return None;
    }
    let below: Vec<(Layer, Estimate)> = path.local.into_iter().collect();
    // BlueStore writes the data, then its journal: a second commit of the same disk.
    let model = path.local.map(|(_, disk)| Model {
        expected: disk.value,
        because: "a second commit, for BlueStore's journal".to_string(),
    });
    path.local = Some((Layer::Store, value));
    Some(path.modelled((Layer::Store, value), &below, model))
}
