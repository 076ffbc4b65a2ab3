//! What holds for every layer whose targets are pools.

use super::view::View;
use crate::books::{Books, Ceiling, named};
use crate::disks::osd_of;
use crate::entry::Entry;
use crate::placement::{hosts_of, lies_on, serving};
use crate::redundancy::redundancy;
use crate::supply::osds_supply;
use crate::words::quantity;
use model::pattern::Family;
use model::{Estimate, Layer, Pattern};

/// All OSDs together, divided by the copies that a write makes.
pub(super) fn ceiling(books: &Books, layer: Layer, pattern: Pattern) -> Option<Ceiling> {
    let figures = books.figures(layer, pattern);
    let first = figures.first()?;
    let pool = redundancy(books.record, first.loads()?)?;
    // A small write or read of an erasure-coded pool touches whole stripes; no model.
    if pool.erasure_k.is_some() && pattern.family() == Family::Parallel {
        return None;
    }
    let supply = osds_supply(books.entries, books.record, first)?;
    let ceiling = Ceiling {
        value: supply.likely,
        because: supply.from,
        of: named(&supply.of, pattern),
        at_least: supply.at_least,
        over_network: false,
    };
    Some(match pattern.writes() {
        true => ceiling.times(1.0 / pool.factor(), &format!(" / {}", pool.words())),
        false => ceiling,
    })
}

/// `sooner`: than what it waits for.
pub(super) fn impossible(view: &View, sooner: fn(&View) -> Option<String>) -> Option<String> {
    let links = || view.more_than_links(&hosts_of(&serving(view.record, view.entry.loads()?)));
    match view.entry.figure.pattern.family() {
        // Only writes, since reads may come from different caches.
        Family::Latency if view.entry.is(view.entry.figure.layer, Pattern::WriteLatency) => sooner(view),
        Family::Latency | Family::Metadata => None,
        Family::Parallel => more_than_osds(view),
        Family::Linear => more_than_osds(view).or_else(links),
    }
}

/// Is there one of each OSD on which the pool lies?
pub(super) fn every_osd(view: &View, measured: &[(&Entry, Estimate)]) -> bool {
    let has = |osd: u32| measured.iter().any(|(entry, _)| entry.place().and_then(osd_of) == Some(osd));
    view.entry.loads().is_some_and(|place| serving(view.record, place).iter().all(|osd| has(osd.id)))
}

fn more_than_osds(view: &View) -> Option<String> {
    let pattern = view.entry.figure.pattern;
    let redundancy = redundancy(view.record, view.entry.loads()?)?;
    if !pattern.writes() || !view.entry.is(view.entry.figure.layer, pattern) || redundancy.assumed {
        return None;
    }
    let (most, from) = osds_supply(view.entries, view.record, view.entry)?.most?;
    let of_pool = view.entry.loads().is_some_and(|place| lies_on(view.record, place).is_some());
    (view.own.low * redundancy.factor() > most.high).then(|| {
        format!(
            "{} on {} is more than all OSDs{} together supply: {} ({from})",
            quantity(view.own.value, view.entry.figure.metric),
            redundancy.words(),
            if of_pool { " of its pool" } else { "" },
            quantity(most.value, view.entry.figure.metric),
        )
    })
}
