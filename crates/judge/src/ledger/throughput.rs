//! Throughput is a minimum over ceilings: which share of what the layers below can give a layer delivers.

use super::{Books, less};
use crate::chart::figures_of;
use crate::entry::spread;
use crate::redundancy::{Redundancy, redundancy};
use crate::supply::osds_supply;
use crate::words::{number, quantity};
use model::pattern::Family;
use model::{Estimate, Layer, LedgerRow, Pattern};

pub fn rows(books: &Books, pattern: Pattern) -> Vec<LedgerRow> {
    let layers = [Layer::Store, Layer::Osd, Layer::Rados, Layer::Rbd];
    layers.into_iter().filter_map(|layer| row(books, layer, pattern)).collect()
}

/// The most that a layer could give, and how that was made.
struct Ceiling {
    value: Estimate,
    because: String,
}

impl Ceiling {
    fn times(self, factor: f64, words: &str) -> Ceiling {
        let value = Estimate::new(self.value.value * factor, spread(&self.value) * factor);
        Ceiling { value, because: format!("{}{words}", self.because) }
    }
}

fn row(books: &Books, layer: Layer, pattern: Pattern) -> Option<LedgerRow> {
    let delivered = books.cell(layer, pattern)?;
    let local = match layer {
        Layer::Store => of_cell(books, Layer::Device, pattern),
        Layer::Osd => of_cell(books, Layer::Store, pattern).or_else(|| of_cell(books, Layer::Device, pattern)),
        Layer::Rados => of_pool(books, layer, pattern),
        _ => of_cell(books, Layer::Rados, pattern).or_else(|| of_pool(books, layer, pattern)),
    };
    let network = if layer == Layer::Store { None } else { of_network(books, layer, pattern) };
    let ceiling = lower(local, network)?;
    let share = delivered.value / ceiling.value.value;
    let beyond = delivered.low > ceiling.value.high;
    let because = if beyond { format!("{}; {}", ceiling.because, beyond_words(pattern)) } else { ceiling.because };
    Some(LedgerRow {
        pattern,
        layer,
        adds: less(ceiling.value, &[delivered]),
        expected: None,
        unexplained: None,
        share,
        ceiling: Some(ceiling.value.value),
        because,
    })
}

fn beyond_words(pattern: Pattern) -> &'static str {
    if pattern.writes() {
        "more than that: the layer gathers small writes, or holds them back"
    } else {
        "more than that: read from a cache"
    }
}

fn of_cell(books: &Books, layer: Layer, pattern: Pattern) -> Option<Ceiling> {
    let value = books.cell(layer, pattern)?;
    let measured = quantity(value.value, pattern.metric(layer));
    Some(Ceiling { value, because: format!("{} {measured}", layer.name()) })
}

/// All OSDs together, divided by the copies that a write makes.
fn of_pool(books: &Books, layer: Layer, pattern: Pattern) -> Option<Ceiling> {
    let pool = pool(books, layer, pattern)?;
    // A small write or read of an erasure-coded pool touches whole stripes; no model.
    if pool.erasure_k.is_some() && pattern.family() == Family::Parallel {
        return None;
    }
    let supply = osds_supply(books.entries, books.record, pattern)?;
    let ceiling = Ceiling { value: supply.likely, because: supply.from };
    Some(match pattern.writes() {
        true => ceiling.times(1.0 / pool.factor(), &format!(" / {}", pool.words())),
        false => ceiling,
    })
}

fn pool(books: &Books, layer: Layer, pattern: Pattern) -> Option<Redundancy> {
    let figures = figures_of(books.entries, layer, pattern);
    redundancy(books.record, figures.first()?.place()?)
}

/// What fits through the client's link, and, for writes, through the links of the OSDs' hosts, which carry every copy.
fn of_network(books: &Books, layer: Layer, pattern: Pattern) -> Option<Ceiling> {
    let linear = if pattern.writes() { Pattern::WriteLinear } else { Pattern::ReadLinear };
    let link = books.cell(Layer::Network, linear)?;
    let mut hosts: Vec<&str> = books.record.scope.osds.iter().map(|osd| osd.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let copies = if layer == Layer::Osd { 1.0 } else { pool(books, layer, pattern)?.factor() };
    let shared = hosts.len() as f64 / copies;
    let ceiling = Ceiling { value: link, because: format!("network {} MB/s", number(link.value)) };
    let narrowed = match pattern.writes() && hosts.len() > 1 && shared < 1.0 {
        true => ceiling.times(shared, &format!(" × {} hosts / {} copies", hosts.len(), number(copies))),
        false => ceiling,
    };
    let block = figures_of(books.entries, layer, pattern).first()?.step.workload.block as f64;
    Some(match pattern.family() {
        Family::Linear => narrowed,
        _ => narrowed.times(1e6 / block, &format!(" in operations of {block} bytes")),
    })
}

fn lower(a: Option<Ceiling>, b: Option<Ceiling>) -> Option<Ceiling> {
    match (a, b) {
        // The network alone is a ceiling only for what was also measured below it.
        (Some(a), Some(b)) if b.value.value < a.value.value => Some(b),
        (a, _) => a,
    }
}
