//! The ledger: what each layer adds (latency) or which share of its ceiling it delivers (throughput).

mod latency;
mod throughput;

use crate::across::mean_over;
use crate::chart::figures_of;
use crate::durable::as_stores_do;
use crate::entry::{Entry, spread};
use model::pattern::Family;
use model::{Durability, Estimate, Layer, LedgerRow, Pattern, Record};

/// What one durable write of a disk takes, and how it was made durable.
struct Commit {
    value: Estimate,
    way: Option<Durability>,
}

/// All that a row may rest on: usable figures and the record's scope.
pub struct Books<'b, 'a> {
    pub entries: &'b [Entry<'a>],
    pub record: &'a Record,
}

/// Rows in the order of patterns, then layers; only from figures that are neither void nor implausible.
pub fn ledger(entries: &[Entry], record: &Record) -> Vec<LedgerRow> {
    let books = Books { entries, record };
    let of = |pattern: Pattern| match pattern.family() {
        Family::Latency => latency::rows(&books, pattern),
        Family::Parallel | Family::Linear => throughput::rows(&books, pattern),
    };
    Pattern::ALL.into_iter().flat_map(of).collect()
}

impl Books<'_, '_> {
    /// A durable write of the disks below a store: the depth chart's value, which is the worse of two ways to make it durable; where the
    /// OSDs are quicker than that, the way in which stores do it.
    fn commit(&self) -> Option<Commit> {
        let counts = figures_of(self.entries, Layer::Device, Pattern::WriteLatency);
        let used = |figures: &[&Entry]| {
            let way = figures.first().map(|entry| entry.step.workload.durability);
            Some(Commit { value: mean_over(figures)?, way: way.filter(|way| *way != Durability::None) })
        };
        let worse = used(&counts)?;
        let above = self.cell(Layer::Osd, Pattern::WriteLatency);
        let flushes = |entry: &&Entry| {
            let alone = entry.is(Layer::Device, Pattern::WriteLatency) && entry.figure.at_once == 1;
            alone && as_stores_do(entry.step.workload.durability)
        };
        let flushed: Vec<&Entry> = self.entries.iter().filter(flushes).collect();
        let quicker = above.is_some_and(|above| above.value < worse.value.value);
        let flushed = used(&flushed).filter(|flushed| quicker && flushed.value.value < worse.value.value);
        Some(flushed.unwrap_or(worse))
    }

    /// The depth chart's value of a cell.
    fn cell(&self, layer: Layer, pattern: Pattern) -> Option<Estimate> {
        mean_over(&figures_of(self.entries, layer, pattern))
    }
}

/// `total` without the parts; their errors are independent.
fn less(total: Estimate, parts: &[Estimate]) -> Estimate {
    let value = total.value - parts.iter().map(|part| part.value).sum::<f64>();
    let square: f64 = parts.iter().chain([&total]).map(|part| spread(part).powi(2)).sum();
    Estimate::new(value, square.sqrt())
}
