//! Images of RBD: what RADOS delivers, through librbd.

use super::view::View;
use super::{Expectation, Passes, pools};
use crate::books::{Books, Ceiling, Path, of_cell};
use crate::placement::lies_on;
use crate::redundancy::redundancy;
use model::{Layer, LedgerRow, Pattern, Place};

pub(super) const EXPECTATION: Expectation = Expectation {
    layer: Layer::Rbd,
    stage,
    ceiling,
    passes: Passes::All,
    impossible: |view| pools::impossible(view, sooner_than_rados),
};

fn stage(path: &mut Path) -> Option<LedgerRow> {
    // How long librbd takes for one operation in flight was never published; how many a client can do at once says nothing of it.
    path.over_network(Layer::Rbd, |path| {
        path.notes.push("librbd's own time: no model".to_string());
        None
    })
}

/// RADOS, which was reached over the same network; where that was not measured, all OSDs.
fn ceiling(books: &Books, pattern: Pattern) -> Option<Ceiling> {
    let rados = of_cell(books, Layer::Rados, pattern).map(|rados| Ceiling { over_network: true, ..rados });
    rados.or_else(|| pools::ceiling(books, Layer::Rbd, pattern))
}

/// It waits for RADOS. Of two pools one may lie on quicker OSDs, or keep fewer copies.
fn sooner_than_rados(view: &View) -> Option<String> {
    let of = |place: &Place| (lies_on(view.record, place), redundancy(view.record, place));
    let own = view.entry.loads().map(of);
    let alike = |entry: &crate::entry::Entry| entry.loads().map(of) == own;
    view.sooner_than(Layer::Rados, &view.writes_below(Layer::Rados, alike))
}
