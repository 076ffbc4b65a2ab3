//! What all OSDs together can give: as the sum of each alone, or as measured at once where the client was not the limit.

use crate::across::mean_over;
use crate::chart::figures_of;
use crate::client::{LoadingHost, client};
use crate::disks::osd_of;
use crate::entry::{Entry, spread};
use crate::placement::{lies_on, serving};
use crate::redundancy::redundancy;
use crate::words::{number, percent, quantity};
use model::{Estimate, Layer, Record};
use std::collections::BTreeSet;

pub struct Supply {
    /// What the ledger takes as the ceiling.
    pub likely: Estimate,
    /// Why the OSDs may supply more: the client may have been the limit of what was measured, or others were loaded beside them.
    pub at_least: Option<&'static str>,
    /// What was measured for it: `osd.*`, `osd`.
    pub of: String,
    /// How it was made: `osd.* 5,420 IOPS`.
    pub from: String,
    /// What the gate allows, and how that was made; `None`: nothing bounds it from above.
    pub most: Option<(Estimate, String)>,
}

/// For a figure of a pool. `None`: neither OSDs nor stores were measured with such operations.
pub fn osds_supply(entries: &[Entry], record: &Record, pool: &Entry) -> Option<Supply> {
    let osds = Layer::ALL.into_iter().rev().filter(|layer| layer.of_single_osds());
    let mut all = osds.filter_map(|layer| Loaded { entries, record, pool, layer }.supply());
    let nearest = all.next()?;
    Some(Supply { most: nearest.most.or_else(|| all.find_map(|below| below.most)), ..nearest })
}

/// All figures of one layer that a pool may be held against.
struct Loaded<'l, 'a> {
    entries: &'l [Entry<'a>],
    record: &'l Record,
    pool: &'l Entry<'a>,
    layer: Layer,
}

impl<'l, 'a> Loaded<'l, 'a> {
    fn supply(&self) -> Option<Supply> {
        let (at_once, alone) = (self.at_once(), self.alone());
        let free = at_once.as_ref().is_some_and(|sum| !sum.beside && self.client(sum.entry) == LoadingHost::Free);
        let mut bounds: Vec<(Estimate, String)> = alone.as_ref().and_then(Alone::bound).into_iter().collect();
        let full = at_once.as_ref().filter(|_| free);
        bounds.extend(full.map(|sum| at_depth((sum.estimate, sum.told()), self.deeper(sum.entry))));
        let most = bounds.into_iter().max_by(|a, b| a.0.high.total_cmp(&b.0.high));
        let together = |sum: &AtOnce| (sum.estimate, sum.told(), sum.entry.figure.target.clone());
        let (likely, from, of) = match (&at_once, &alone) {
            (Some(sum), None) => together(sum),
            (Some(sum), Some(_)) if free => together(sum),
            (_, Some(alone)) => (alone.likely, alone.from.clone(), self.layer.name().to_string()),
            (None, None) => return None,
        };
        let at_least = match (&at_once, &alone) {
            (Some(sum), None) if sum.beside => Some(BESIDE),
            (Some(_), None) if !free => Some(AT_ONCE),
            (Some(sum), _) if free || alone.is_none() => (self.deeper(sum.entry) > 1.0).then_some(SHALLOW),
            (_, Some(alone)) => (alone.deeper > 1.0).then_some(SHALLOW),
            _ => None,
        };
        Some(Supply { likely, at_least, of, from, most })
    }

    /// Those that serve the pool.
    fn osds(&self) -> BTreeSet<u32> {
        let place = self.pool.loads();
        place.into_iter().flat_map(|place| serving(self.record, place)).map(|osd| osd.id).collect()
    }

    /// Does the record tell on which OSDs the pool lies?
    fn on(&self) -> Option<BTreeSet<u32>> {
        lies_on(self.record, self.pool.loads()?)
    }

    /// An OSD's bench command loads its store from within; what loads the OSDs themselves is a client.
    fn client(&self, entry: &Entry) -> LoadingHost {
        if !self.layer.can().clients { LoadingHost::Free } else { client(entry, self.entries, self.record) }
    }

    /// All of them in one step, if every one of them was measured.
    fn at_once(&self) -> Option<AtOnce<'l, 'a>> {
        let all = self.entries.iter().filter(|entry| self.alike(entry) && entry.together());
        let own = all.filter_map(|entry| if self.on().is_some() { self.own_of(entry) } else { self.whole(entry) });
        own.max_by_key(|sum| (!sum.beside, sum.entry.figure.at_once))
    }

    fn whole(&self, entry: &'l Entry<'a>) -> Option<AtOnce<'l, 'a>> {
        let all = entry.figure.at_once as usize >= self.osds().len();
        let each = self.parts(entry).all(|part| part.usable().is_some());
        Some(AtOnce { entry, estimate: entry.usable().filter(|_| all && each)?, beside: false, own: 0 })
    }

    /// What the OSDs on which the pool lies did in a step that loaded more OSDs than these.
    fn own_of(&self, entry: &'l Entry<'a>) -> Option<AtOnce<'l, 'a>> {
        let wanted = self.osds();
        let osd = |part: &Entry| part.place().and_then(osd_of);
        let loaded: BTreeSet<u32> = entry.step.targets.iter().filter_map(|target| osd_of(&target.place)).collect();
        if loaded == wanted {
            return self.whole(entry);
        }
        let parts: Vec<&Entry> =
            self.parts(entry).filter(|part| osd(part).is_some_and(|osd| wanted.contains(&osd))).collect();
        let measured: BTreeSet<u32> = parts.iter().filter_map(|part| osd(part)).collect();
        let usable: Option<Vec<Estimate>> = parts.iter().map(|part| part.usable()).collect();
        let usable = usable.filter(|usable| measured == wanted && !usable.is_empty())?;
        let value = usable.iter().map(|part| part.value).sum::<f64>();
        // They had their slices in common, so that their errors add up.
        let sum = Estimate::new(value, usable.iter().map(spread).sum());
        let low = sum.low.min(value * entry.figure.overlap.unwrap_or(1.0));
        Some(AtOnce { entry, estimate: Estimate { low, ..sum }, beside: true, own: usable.len() })
    }

    /// What each target of a step did.
    fn parts<'s>(&'s self, entry: &'s Entry<'a>) -> impl Iterator<Item = &'l Entry<'a>> + 's {
        let figure = &entry.figure;
        self.entries.iter().filter(move |part| {
            part.step.id == entry.step.id && part.target.is_some() && part.figure.kind == figure.kind
        })
    }

    /// The same operations: others of the same pattern may have another block.
    fn alike(&self, entry: &Entry) -> bool {
        entry.is(self.layer, self.pool.figure.pattern) && entry.step.workload.block == self.pool.step.workload.block
    }

    fn alone(&self) -> Option<Alone> {
        let figures = figures_of(self.entries, self.layer, self.pool.figure.pattern);
        let (on, osds) = (self.on(), self.osds());
        let own = |entry: &Entry| on.is_none() || entry.place().and_then(osd_of).is_some_and(|osd| osds.contains(&osd));
        let figures = figures.into_iter().filter(|entry| self.alike(entry) && entry.figure.at_once == 1 && own(entry));
        let usable: Vec<&Entry> = figures.filter(|entry| entry.usable().is_some()).collect();
        let mean = mean_over(&usable)?;
        let count = osds.len().max(usable.len());
        let unit = usable.first().map_or("", |entry| entry.figure.metric.unit());
        let measured =
            if count > usable.len() { format!(", {} of them measured", usable.len()) } else { String::new() };
        Some(Alone {
            likely: Estimate::new(mean.value * count as f64, spread(&mean) * count as f64),
            from: format!("{count} × {} {unit} of one {}{measured}", number(mean.value), self.layer.name()),
            bounds: count == usable.len() && usable.iter().all(|entry| self.holds_for_the_pool(entry)),
            deeper: usable.iter().map(|entry| self.deeper(entry)).fold(1.0, f64::max),
        })
    }

    /// How many times as many bytes the pool has in flight on each OSD as the OSD had when it was measured; 1 at least. With N times as much
    /// in flight an OSD does at most N times as much: throughput is concave in what is in flight. An OSD's bench command keeps its
    /// store busy by itself.
    fn deeper(&self, entry: &Entry) -> f64 {
        let pool = &self.pool.step;
        let redundancy = pool.targets.first().and_then(|target| redundancy(self.record, &target.place));
        let Some(redundancy) = redundancy.filter(|_| self.layer.can().clients) else { return 1.0 };
        let copies = if pool.pattern.writes() { redundancy.factor() } else { 1.0 };
        let clients = if pool.of_clients() { pool.targets.len() } else { 1 };
        let in_flight = f64::from(pool.workload.depth) * clients as f64 * copies;
        (in_flight / (f64::from(entry.step.workload.depth) * self.osds().len().max(1) as f64)).max(1.0)
    }

    /// A client that loads one OSD up to its own limit cannot load the pool with more than that, of which each OSD gets a part;
    /// other clients can.
    fn holds_for_the_pool(&self, entry: &Entry) -> bool {
        let same = self.pool.step.targets.iter().all(|target| target.client.is_none());
        same || self.client(entry) == LoadingHost::Free || (entry.figure.effort.is_none() && self.link_is_free(entry))
    }

    /// Records of old runs have no account of the threads.
    fn link_is_free(&self, entry: &Entry) -> bool {
        crate::client::link(entry, self.entries, self.record) == LoadingHost::Free
    }
}

const AT_ONCE: &str = "the OSDs were loaded all at once from one host, which may have been the limit";
/// The bound, for `deeper` times as much in flight.
fn at_depth((most, from): (Estimate, String), deeper: f64) -> (Estimate, String) {
    if deeper <= 1.0 {
        return (most, from);
    }
    let times = number(deeper);
    let scaled = Estimate { value: most.value * deeper, low: most.low * deeper, high: most.high * deeper };
    (scaled, format!("{from} × {times}, since the pool puts {times} times as much in flight on each"))
}

const SHALLOW: &str = "the OSDs were measured with fewer operations in flight than the pool puts on each of them";
const BESIDE: &str = "the pool's OSDs were loaded beside others, which may have held them back";

/// The sum of OSDs that were measured in one step.
struct AtOnce<'l, 'a> {
    entry: &'l Entry<'a>,
    estimate: Estimate,
    /// Others were loaded as well, on which the pool does not lie; `own`: how many of them are the pool's.
    beside: bool,
    own: usize,
}

impl AtOnce<'_, '_> {
    fn told(&self) -> String {
        let figure = &self.entry.figure;
        let of = match self.beside {
            true => format!("{} of the {} OSDs in {}", self.own, figure.at_once, figure.target),
            false => figure.target.clone(),
        };
        let sum = figure.overlap.map(|overlap| format!(" (a sum, {} of it at the same time)", percent(overlap)));
        format!("{of} {}{}", quantity(self.estimate.value, figure.metric), sum.unwrap_or_default())
    }
}

/// The sum of OSDs that were each measured alone.
struct Alone {
    likely: Estimate,
    from: String,
    /// Every one of them was, and none by a client that may have been the limit: they supply no more together.
    bounds: bool,
    /// How many times as much the pool has in flight on each of them.
    deeper: f64,
}

impl Alone {
    fn bound(&self) -> Option<(Estimate, String)> {
        self.bounds.then(|| at_depth((self.likely, self.from.clone()), self.deeper))
    }
}
