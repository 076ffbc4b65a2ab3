//! The most that a layer could give by what lies below it, with the words that say how that was made.

use super::{ASKED_LEAST, Books, scaled};
use crate::words::{percent, quantity};
use model::{Estimate, Layer, Pattern};

/// The most that a layer could give, and how that was made.
pub(crate) struct Ceiling {
    pub value: Estimate,
    pub because: String,
    /// What was measured for it: `osd.* write-parallel`.
    pub of: String,
    /// Why it may be higher.
    pub at_least: Option<&'static str>,
    /// The layer was reached over the same network, which the ceiling then includes.
    pub over_network: bool,
}

impl Ceiling {
    /// `what`: was measured.
    pub fn of(what: &str, pattern: Pattern, value: Estimate, because: String) -> Ceiling {
        Ceiling { value, because, of: named(what, pattern), at_least: None, over_network: false }
    }

    pub fn times(self, factor: f64, words: &str) -> Ceiling {
        Ceiling { value: scaled(self.value, factor), because: format!("{}{words}", self.because), ..self }
    }

    pub fn or_more(self, beside: bool) -> Ceiling {
        Ceiling { at_least: self.at_least.or(beside.then_some(BESIDE_THE_LINK)), ..self }
    }
}

const BESIDE_THE_LINK: &str = "a client runs on a host with OSDs, and reaches these without the link";

pub(crate) fn of_cell(books: &Books, layer: Layer, pattern: Pattern) -> Option<Ceiling> {
    let value = books.cell(layer, pattern)?;
    let measured = quantity(value.value, pattern.metric(layer));
    Some(Ceiling::of(layer.name(), pattern, value, format!("{} {measured}", layer.name())))
}

/// Of reads only those that memory did not answer reach a disk. Where hardly any do, the disks are no ceiling; where the share is not known,
/// the ceiling stays as it is.
pub(crate) fn where_asked(books: &Books, layer: Layer, pattern: Pattern, disks: Ceiling) -> Option<Ceiling> {
    match books.share_of_devices(layer, pattern).filter(|_| !pattern.writes()) {
        Some(share) if share < ASKED_LEAST => None,
        Some(share) => {
            Some(disks.times(1.0 / share, &format!(" for the {} of bytes that it was asked for", percent(share))))
        }
        None => Some(disks),
    }
}

pub(crate) fn named(what: &str, pattern: Pattern) -> String {
    format!("{what} {}", pattern.name())
}
