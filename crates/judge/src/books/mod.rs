//! What the ledger and the expectations of layers are made from: the record's figures, ceilings, a latency's path, the links that a load passes.

mod ceiling;
pub(crate) mod links;
mod path;

pub(crate) use ceiling::{Ceiling, named, of_cell, where_asked};
pub(crate) use links::passed;
pub(crate) use path::{Model, Path};

use crate::across::mean_over;
use crate::caches::device_share;
use crate::chart::figures_of;
use crate::entry::{Entry, wider};
use crate::placement::below;
use crate::words::percent;
use model::{Estimate, Layer, Pattern, Record};
use std::collections::BTreeSet;

/// Below this share the disk was not asked.
pub(crate) const ASKED_LEAST: f64 = 0.005;
/// Reads of two layers whose shares from the devices differ by more are no longer the same reads.
const UNLIKE: f64 = 0.2;

/// All that a row may rest on: usable figures and the record's scope.
pub struct Books<'b, 'a> {
    pub entries: &'b [Entry<'a>],
    pub record: &'a Record,
    /// The OSDs on which the pool lies whose operations are taken apart. `None`: on all, or not known.
    pub on: Option<BTreeSet<u32>>,
}

impl<'b, 'a> Books<'b, 'a> {
    /// Share of a layer's reads that came from the OSDs' devices. `None`: not known.
    pub(crate) fn share_of_devices(&self, layer: Layer, pattern: Pattern) -> Option<f64> {
        device_share(&self.figures(layer, pattern), layer, pattern)
    }

    /// Share of the reads, of the lowest layer above the disks that was measured, for which a disk was asked.
    pub(crate) fn asked(&self, pattern: Pattern) -> Option<f64> {
        let mut reading = Layer::ALL.into_iter().filter(|layer| layer.can().data_in_osds);
        let measured = reading.find(|layer| self.cell(*layer, pattern).is_some());
        self.share_of_devices(measured?, pattern)
    }

    /// Reads of this layer and of the next one below it, if one came from memory and the other did not: then they are not the same reads.
    pub(crate) fn unlike_below(&self, layer: Layer, pattern: Pattern) -> Option<String> {
        let below = Layer::ALL.into_iter().rev().filter(|below| *below < layer && below.can().data_in_osds);
        let (below, theirs) = below.filter_map(|below| Some((below, self.share_of_devices(below, pattern)?))).next()?;
        let own = self.share_of_devices(layer, pattern)?;
        ((own - theirs).abs() > UNLIKE).then(|| {
            format!(
                "{} of its bytes came from the devices, of {}'s {}: they are not the same reads",
                percent(own),
                below.name(),
                percent(theirs)
            )
        })
    }

    /// Those of the depth chart's cell that may be held against the pool.
    pub(crate) fn figures(&self, layer: Layer, pattern: Pattern) -> Vec<&'b Entry<'a>> {
        figures_of(self.entries, layer, pattern).into_iter().filter(|entry| self.below_pool(entry)).collect()
    }

    /// Hosts that loaded a layer at once for its value in the chart; 1 at least.
    pub(crate) fn clients(&self, layer: Layer, pattern: Pattern) -> usize {
        let of = |entry: &&Entry| if entry.step.of_clients() { entry.step.targets.len() } else { 1 };
        self.figures(layer, pattern).iter().map(of).max().unwrap_or(1)
    }

    /// Those of the ways between hosts.
    pub(crate) fn links(&self, pattern: Pattern) -> Vec<&'b Entry<'a>> {
        Layer::ALL.into_iter().filter(|layer| layer.of_links()).flat_map(|layer| self.figures(layer, pattern)).collect()
    }

    pub(crate) fn below_pool(&self, entry: &Entry) -> bool {
        below(entry, self.record, self.on.as_ref())
    }

    /// The depth chart's value of a cell, of what lies below the pool.
    pub(crate) fn cell(&self, layer: Layer, pattern: Pattern) -> Option<Estimate> {
        mean_over(&self.figures(layer, pattern))
    }

    /// Was the layer measured, and nothing of it below the pool?
    pub(crate) fn only_others(&self, layer: Layer, pattern: Pattern) -> bool {
        let measured = figures_of(self.entries, layer, pattern).into_iter().any(|entry| entry.usable().is_some());
        measured && self.cell(layer, pattern).is_none()
    }

    /// If others of the layer were measured on which the pool does not lie.
    pub(crate) fn only_below(&self, layer: Layer, pattern: Pattern) -> Option<String> {
        let usable = |figures: Vec<&Entry>| figures.iter().filter(|entry| entry.usable().is_some()).count();
        let (own, all) = (usable(self.figures(layer, pattern)), usable(figures_of(self.entries, layer, pattern)));
        (own < all).then(|| format!("of the {own} of {all} on which the pool lies"))
    }
}

/// What a row says in place of a share.
pub(crate) fn not_known(what: &str) -> String {
    format!("{what} is not known")
}

pub(crate) fn scaled(value: Estimate, factor: f64) -> Estimate {
    Estimate { value: value.value * factor, low: value.low * factor, high: value.high * factor }
}

/// `total` without the parts; their errors are independent.
pub(crate) fn less(total: Estimate, parts: &[Estimate]) -> Estimate {
    let value = total.value - parts.iter().map(|part| part.value).sum::<f64>();
    // Of an uneven interval the wider side: the total's lower end and the parts' upper ones lie on the same side.
    let square: f64 = parts.iter().chain([&total]).map(|part| wider(part).powi(2)).sum();
    Estimate::new(value, square.sqrt())
}
