//! The network: one round trip, below all that is reached over it.

use super::{Expectation, Passes};
use crate::books::{Path, passed};
use model::{Layer, LedgerRow, Pattern};

pub(super) const EXPECTATION: Expectation =
    Expectation { layer: Layer::Network, stage, ceiling: |_, _| None, passes: Passes::Nothing, impossible: |_| None };

fn stage(path: &mut Path) -> Option<LedgerRow> {
    // Whoever comes next and is reached over it says that it is missing.
    path.books.cell(Layer::Network, path.pattern)?;
    let loaded = path.books.figures(path.top.0, path.pattern);
    let link = passed(path.books, &loaded, path.pattern)?;
    path.trip = Some((Layer::Network, link.value));
    let of = link.of.map_or(String::new(), |of| format!(", the mean {of}"));
    Some(path.bottom(Layer::Network, link.value, format!("{}{of}", round_trip_words(path.pattern))))
}

/// As the network engine asks and answers.
fn round_trip_words(pattern: Pattern) -> &'static str {
    match pattern.writes() {
        true => "one round trip: 4 KiB there, a short acknowledgement back",
        false => "one round trip: a short request there, 4 KiB back",
    }
}
