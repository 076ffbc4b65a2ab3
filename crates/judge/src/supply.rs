//! What all OSDs together can give: as the sum of each alone, or as measured at once where the client was not the limit.

use crate::across::mean_over;
use crate::chart::figures_of;
use crate::client::{Client, client};
use crate::entry::{Entry, spread};
use crate::words::{number, percent, quantity};
use model::{Estimate, Layer, Record};

pub struct Supply {
    /// What the ledger takes as the ceiling.
    pub likely: Estimate,
    /// The client may have been the limit of what was measured: the OSDs supply so much, or more.
    pub at_least: bool,
    /// How it was made: `osd.* 5,420 IOPS`.
    pub from: String,
    /// What the gate allows, and how that was made; `None`: nothing bounds it from above.
    pub most: Option<(Estimate, String)>,
}

/// For a figure of a pool. `None`: neither OSDs nor stores were measured with such operations.
pub fn osds_supply(entries: &[Entry], record: &Record, pool: &Entry) -> Option<Supply> {
    let [osds, stores] = [Layer::Osd, Layer::Store].map(|layer| Loaded { entries, record, pool, layer }.supply());
    match (osds, stores) {
        (Some(osds), stores) => Some(Supply { most: osds.most.or(stores.and_then(|stores| stores.most)), ..osds }),
        (None, stores) => stores,
    }
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
        let free = at_once.as_ref().is_some_and(|(entry, _)| self.client(entry) == Client::Free);
        let told = |(entry, estimate): &(&Entry, Estimate)| {
            let figure = &entry.figure;
            let sum = figure.overlap.map(|overlap| format!(" (a sum, {} of it at the same time)", percent(overlap)));
            format!("{} {}{}", figure.target, quantity(estimate.value, figure.metric), sum.unwrap_or_default())
        };
        let mut bounds: Vec<(Estimate, String)> = alone.as_ref().and_then(Alone::bound).into_iter().collect();
        bounds.extend(at_once.as_ref().filter(|_| free).map(|at_once| (at_once.1, told(at_once))));
        let most = bounds.into_iter().max_by(|a, b| a.0.high.total_cmp(&b.0.high));
        let (likely, from) = match (&at_once, &alone) {
            (Some(at_once), None) => (at_once.1, told(at_once)),
            (Some(at_once), Some(_)) if free => (at_once.1, told(at_once)),
            (_, Some(alone)) => (alone.likely, alone.from.clone()),
            (None, None) => return None,
        };
        Some(Supply { likely, at_least: !free && alone.is_none(), from, most })
    }

    fn osds(&self) -> usize {
        self.record.scope.osds.iter().filter(|osd| osd.up && osd.inside).count()
    }

    /// An OSD's bench command loads its store from within; what loads the OSDs themselves is a client.
    fn client(&self, entry: &Entry) -> Client {
        if self.layer == Layer::Store { Client::Free } else { client(entry, self.entries, self.record) }
    }

    /// All of them in one step, if every one of them was measured.
    fn at_once(&self) -> Option<(&'l Entry<'a>, Estimate)> {
        let whole = |entry: &&Entry| {
            let parts = || self.entries.iter().filter(|part| part.step.id == entry.step.id && part.target.is_some());
            let own = |part: &Entry| part.figure.kind != entry.figure.kind || part.usable().is_some();
            entry.together() && entry.figure.at_once as usize >= self.osds() && parts().all(own)
        };
        let all = self.entries.iter().filter(|entry| self.alike(entry)).filter(whole);
        all.filter_map(|entry| Some((entry, entry.usable()?))).max_by_key(|(entry, _)| entry.figure.at_once)
    }

    /// The same operations: others of the same pattern may have another block.
    fn alike(&self, entry: &Entry) -> bool {
        entry.is(self.layer, self.pool.figure.pattern) && entry.step.workload.block == self.pool.step.workload.block
    }

    fn alone(&self) -> Option<Alone> {
        let figures = figures_of(self.entries, self.layer, self.pool.figure.pattern);
        let figures = figures.into_iter().filter(|entry| self.alike(entry) && entry.figure.at_once == 1);
        let usable: Vec<&Entry> = figures.filter(|entry| entry.usable().is_some()).collect();
        let mean = mean_over(&usable)?;
        let count = self.osds().max(usable.len());
        let unit = usable.first().map_or("", |entry| entry.figure.metric.unit());
        let measured =
            if count > usable.len() { format!(", {} of them measured", usable.len()) } else { String::new() };
        Some(Alone {
            likely: Estimate::new(mean.value * count as f64, spread(&mean) * count as f64),
            from: format!("{count} × {} {unit} of one {}{measured}", number(mean.value), self.layer.name()),
            bounds: count == usable.len() && usable.iter().all(|entry| self.holds_for_the_pool(entry)),
        })
    }

    /// A client that loads one OSD up to its own limit cannot load the pool with more than that, of which each OSD gets a part;
    /// other clients can.
    fn holds_for_the_pool(&self, entry: &Entry) -> bool {
        let same = self.pool.step.targets.iter().all(|target| target.client.is_none());
        same || self.client(entry) == Client::Free || (entry.figure.effort.is_none() && self.link_is_free(entry))
    }

    /// Records of old runs have no account of the threads.
    fn link_is_free(&self, entry: &Entry) -> bool {
        crate::client::link(entry, self.entries, self.record) == Client::Free
    }
}

/// The sum of OSDs that were each measured alone.
struct Alone {
    likely: Estimate,
    from: String,
    /// Every one of them was, and none by a client that may have been the limit: they supply no more together.
    bounds: bool,
}

impl Alone {
    fn bound(&self) -> Option<(Estimate, String)> {
        self.bounds.then(|| (self.likely, self.from.clone()))
    }
}
