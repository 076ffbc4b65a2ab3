//! Throughput is a minimum over ceilings: which share of what the layers below can give a layer delivers.

use super::{Books, less};
use crate::chart::{figures_of, mean_of};
use crate::disks::{disk_of, sharing_disk, sharing_host};
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
        Ceiling { value: scaled(self.value, factor), because: format!("{}{words}", self.because) }
    }
}

fn row(books: &Books, layer: Layer, pattern: Pattern) -> Option<LedgerRow> {
    let delivered = books.cell(layer, pattern)?;
    let local = match layer {
        Layer::Store => of_disks(books, layer, pattern),
        Layer::Osd => of_cell(books, Layer::Store, pattern).or_else(|| of_disks(books, layer, pattern)),
        Layer::Rados => of_pool(books, layer, pattern),
        _ => of_cell(books, Layer::Rados, pattern).or_else(|| of_pool(books, layer, pattern)),
    };
    let network = if layer == Layer::Store { None } else { of_network(books, layer, pattern, delivered) };
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

/// Each OSD's own disk, shared by those that were loaded on it at once; else the mean of the disks.
fn of_disks(books: &Books, layer: Layer, pattern: Pattern) -> Option<Ceiling> {
    let figures = figures_of(books.entries, layer, pattern);
    let own: Option<Vec<(Estimate, u32)>> = figures
        .iter()
        .filter(|entry| entry.usable().is_some())
        .map(|entry| {
            let disk = disk_of(books.entries, books.record, entry.place()?, pattern)?;
            Some((disk.usable()?, sharing_disk(books.entries, books.record, entry, disk)))
        })
        .collect();
    let Some(own) = own.filter(|own| !own.is_empty()) else { return of_cell(books, Layer::Device, pattern) };
    let most = own.iter().map(|(_, sharing)| *sharing).max().unwrap_or(1);
    let shares: Vec<Estimate> = own.iter().map(|(disk, sharing)| scaled(*disk, 1.0 / f64::from(*sharing))).collect();
    let disk = mean_of(&own.iter().map(|(disk, _)| *disk).collect::<Vec<_>>())?;
    let measured = quantity(disk.value, pattern.metric(layer));
    let shared = if most > 1 { format!(" / {most} OSDs on it at once") } else { String::new() };
    Some(Ceiling { value: mean_of(&shares)?, because: format!("device {measured}{shared}") })
}

fn scaled(value: Estimate, factor: f64) -> Estimate {
    Estimate::new(value.value * factor, spread(&value) * factor)
}

/// What the links can carry: one link for an OSD and for the client; for writes, all links of the OSDs' hosts as well,
/// which carry every copy.
fn of_network(books: &Books, layer: Layer, pattern: Pattern, delivered: Estimate) -> Option<Ceiling> {
    let linear = if pattern.writes() { Pattern::WriteLinear } else { Pattern::ReadLinear };
    let link = books.cell(Layer::Network, linear)?;
    let figures = figures_of(books.entries, layer, pattern);
    let first = figures.first()?;
    let link = match pattern.family() {
        Family::Linear => Ceiling { value: link, because: format!("network {} MB/s", number(link.value)) },
        _ => {
            let block = first.step.workload.block;
            let value = scaled(link, 1e6 / block.max(1) as f64);
            Ceiling { value, because: format!("network {} MB/s in blocks of {block} bytes", number(link.value)) }
        }
    };
    if layer == Layer::Osd {
        let sharing = sharing_host(first);
        let words = format!(" / {sharing} OSDs of a host at once");
        return Some(if sharing > 1 { link.times(1.0 / f64::from(sharing), &words) } else { link });
    }
    let hosts = hosts(books);
    let copies = if pattern.writes() { pool(books, layer, pattern)?.factor() } else { 1.0 };
    let all = f64::from(hosts) / copies;
    // More than a link came through: then the client has more than one.
    let client = delivered.low <= link.value.high;
    let words = format!(" × {hosts} hosts / {} copies", number(copies));
    Some(if hosts > 1 && (all < 1.0 || !client) { link.times(all, &words) } else { link })
}

fn hosts(books: &Books) -> u32 {
    let mut hosts: Vec<&str> = books.record.scope.osds.iter().map(|osd| osd.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts.len() as u32
}

fn lower(a: Option<Ceiling>, b: Option<Ceiling>) -> Option<Ceiling> {
    match (a, b) {
        // The network alone is a ceiling only for what was also measured below it.
        (Some(a), Some(b)) if b.value.value < a.value.value => Some(b),
        (a, _) => a,
    }
}
