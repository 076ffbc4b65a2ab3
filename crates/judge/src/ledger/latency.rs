//! Latency is a sum of stages on one path: what each layer adds to those below it.
//!
//! client write = round trip + OSD software + the slowest of the copies' commits; client read = round trip + OSD software +
//! the primary's read (`docs/method.md`, "The ledger"). What each stage is expected to take is in the file of its layer.

use crate::books::{Books, Path};
use crate::expect;
use model::{Layer, LedgerRow, Pattern};

pub fn rows(books: &Books, pattern: Pattern) -> Vec<LedgerRow> {
    let measured = |layer: Layer| books.cell(layer, pattern).map(|value| (layer, value));
    let top = Layer::ALL.into_iter().rev().filter(|layer| layer.of_ceph()).find_map(measured);
    let Some(top) = top else { return Vec::new() };
    let mut path = Path::of(books, pattern, top);
    // What lies beside the stack has a table of its own.
    let stack = Layer::ALL.into_iter().filter(|layer| layer.in_stack());
    stack.filter_map(|layer| climb(&mut path, layer)).collect()
}

/// The row of the next layer.
fn climb(path: &mut Path, layer: Layer) -> Option<LedgerRow> {
    match expect::of(layer) {
        Some(expected) => (expected.stage)(path),
        None => path.over_network(layer, |path| {
            path.notes.push(format!("{}: no model", layer.name()));
            None
        }),
    }
}
