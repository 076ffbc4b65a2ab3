//! The ledger: what each layer adds (latency) or which share of its ceiling it delivers (throughput).

mod latency;
mod throughput;

use crate::chart::{figures_of, mean_of};
use crate::entry::{Entry, spread};
use model::pattern::Family;
use model::{Estimate, Layer, LedgerRow, Pattern, Record};

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
    /// The depth chart's value of a cell.
    fn cell(&self, layer: Layer, pattern: Pattern) -> Option<Estimate> {
        let usable: Vec<Estimate> =
            figures_of(self.entries, layer, pattern).iter().filter_map(|entry| entry.usable()).collect();
        mean_of(&usable)
    }
}

/// `total` without the parts; their errors are independent.
fn less(total: Estimate, parts: &[Estimate]) -> Estimate {
    let value = total.value - parts.iter().map(|part| part.value).sum::<f64>();
    let square: f64 = parts.iter().chain([&total]).map(|part| spread(part).powi(2)).sum();
    Estimate::new(value, square.sqrt())
}
