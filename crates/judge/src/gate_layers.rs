//! What the layers below a figure can supply at most, and whether the figure claims more.

use crate::client::several_streams;
use crate::disks::{disk_of, osd_of};
use crate::entry::{Entry, spread};
use crate::placement::{hosts_of, lies_on, serving};
use crate::redundancy::redundancy;
use crate::supply::osds_supply;
use crate::words::quantity;
use model::pattern::Family;
use model::{Durability, Estimate, Layer, Metric, Pattern, Place, Record};

/// Why a figure can't be, or `None`.
pub fn better_than_below(entry: &Entry, entries: &[Entry], record: &Record) -> Option<String> {
    let view = View { entry, entries, record, own: entry.usable()? };
    match (entry.figure.layer, entry.figure.pattern.family()) {
        (Layer::Device | Layer::Network | Layer::Floor | Layer::Store, _) => None,
        (Layer::Osd, Family::Latency) => view.sooner_than_commit().or_else(|| view.sooner_than_round_trip()),
        (Layer::Osd, Family::Linear) => view.more_than_disk().or_else(|| view.more_than_links()),
        (Layer::Osd, Family::Parallel) => None,
        (Layer::Rados | Layer::Rbd, Family::Latency) => view.sooner_than_layer_below(),
        (Layer::Rados | Layer::Rbd, Family::Parallel) => view.more_than_osds(),
        (Layer::Rados | Layer::Rbd, Family::Linear) => view.more_than_osds().or_else(|| view.more_than_links()),
    }
}

struct View<'v, 'a> {
    entry: &'v Entry<'a>,
    entries: &'v [Entry<'a>],
    record: &'a Record,
    own: Estimate,
}

impl View<'_, '_> {
    /// The figure of the very disk that this OSD lies on.
    fn own_disk(&self, pattern: Pattern) -> Option<(&Entry<'_>, Estimate)> {
        let disk = disk_of(self.entries, self.record, self.entry.place()?, pattern)?;
        Some((disk, disk.usable()?))
    }

    /// No durable write is acknowledged before the disk has made one commit.
    fn sooner_than_commit(&self) -> Option<String> {
        let (disk, commit) = self.own_disk(Pattern::WriteLatency)?;
        let durable = disk.step.workload.durability != Durability::None;
        (durable && self.entry.is(Layer::Osd, Pattern::WriteLatency) && self.own.high < commit.low)
            .then(|| self.says(&format!("one durable write of its disk {} takes", disk.figure.target), commit))
    }

    fn more_than_disk(&self) -> Option<String> {
        let (disk, most) = self.own_disk(Pattern::WriteLinear)?;
        (self.entry.is(Layer::Osd, Pattern::WriteLinear) && self.own.low > most.high)
            .then(|| self.says(&format!("its disk {} writes", disk.figure.target), most))
    }

    fn sooner_than_round_trip(&self) -> Option<String> {
        let host = self.entry.figure.host.as_deref()?;
        let trips = self.links(self.here()?, host, |entry| entry.figure.metric == Metric::Rtt);
        let trip = trips.min_by(|a, b| a.low.total_cmp(&b.low))?;
        (self.own.high < trip.low).then(|| self.says(&format!("one round trip to {host} takes"), trip))
    }

    /// The links from the hosts that load to those of the OSDs: what passes through them all is the most that can arrive.
    fn more_than_links(&self) -> Option<String> {
        let own_host = self.entry.figure.host.as_deref();
        let hosts: Vec<&str> = match self.entry.figure.layer {
            Layer::Osd => own_host.into_iter().collect(),
            _ => hosts_of(&serving(self.record, self.entry.loads()?)),
        };
        let mut most = Estimate::new(0.0, 0.0);
        for (client, host) in self.clients()?.iter().flat_map(|client| hosts.iter().map(move |host| (client, host))) {
            let link = self.links(client, host, several_streams).max_by(|a, b| a.high.total_cmp(&b.high))?;
            most = Estimate::new(most.value + link.value, spread(&most) + spread(&link));
        }
        let exceeded = !hosts.is_empty() && self.own.low > most.high;
        exceeded.then(|| self.says(&format!("the network to {} carries", hosts.join(", ")), most))
    }

    fn here(&self) -> Option<&str> {
        self.record.scope.hosts.iter().find(|host| host.here).map(|host| host.name.as_str())
    }

    /// The hosts that load it.
    fn clients(&self) -> Option<Vec<&str>> {
        let own = self.entry.only_target().map_or(self.entry.step.targets.as_slice(), std::slice::from_ref);
        let mut clients: Vec<&str> = own
            .iter()
            .map(|target| target.client.as_ref().map_or_else(|| self.here(), |client| Some(client.host.as_str())))
            .collect::<Option<_>>()?;
        clients.sort_unstable();
        clients.dedup();
        Some(clients)
    }

    /// Usable figures of links between a host that loads and another one.
    fn links(&self, client: &str, host: &str, wanted: impl Fn(&Entry) -> bool) -> impl Iterator<Item = Estimate> {
        self.entries
            .iter()
            .filter(move |entry| {
                let Some(Place::Pair { from, to, .. }) = entry.place() else { return false };
                let ends = [from.host.as_str(), to.host.as_str()];
                let joins = client != host && ends.contains(&client) && ends.contains(&host);
                joins && entry.figure.at_once == 1 && wanted(entry)
            })
            .filter_map(Entry::usable)
    }

    /// RADOS waits for an OSD, RBD for RADOS; only writes, since reads may come from different caches.
    fn sooner_than_layer_below(&self) -> Option<String> {
        if !self.entry.is(self.entry.figure.layer, Pattern::WriteLatency) {
            return None;
        }
        let below = if self.entry.figure.layer == Layer::Rbd { Layer::Rados } else { Layer::Osd };
        let own = self.entry.loads().and_then(|place| lies_on(self.record, place));
        let beneath = |entry: &&Entry| match (&own, below) {
            (Some(on), Layer::Osd) => crate::placement::below(entry, self.record, Some(on)),
            // Of two pools one may lie on quicker OSDs.
            (_, Layer::Rados) => entry.loads().is_some_and(|place| lies_on(self.record, place) == own),
            _ => true,
        };
        let measured: Vec<(&Entry, Estimate)> = self
            .entries
            .iter()
            .filter(|entry| entry.is(below, Pattern::WriteLatency) && !entry.together() && alike(entry, self.entry))
            .filter(beneath)
            .filter_map(|entry| Some((entry, entry.usable()?)))
            .collect();
        // Of several of which one was not measured nobody knows the quickest.
        if below == Layer::Osd && own.is_some() && !self.every_osd(&measured) {
            return None;
        }
        let quickest = measured.iter().min_by(|a, b| a.1.low.total_cmp(&b.1.low))?;
        (self.own.high < quickest.1.low)
            .then(|| self.says(&format!("{} {} takes", below.name(), quickest.0.figure.target), quickest.1))
    }

    fn every_osd(&self, measured: &[(&Entry, Estimate)]) -> bool {
        let has = |osd: u32| measured.iter().any(|(entry, _)| entry.place().and_then(osd_of) == Some(osd));
        self.entry.loads().is_some_and(|place| serving(self.record, place).iter().all(|osd| has(osd.id)))
    }

    fn more_than_osds(&self) -> Option<String> {
        let pattern = self.entry.figure.pattern;
        let redundancy = redundancy(self.record, self.entry.loads()?)?;
        if !pattern.writes() || !self.entry.is(self.entry.figure.layer, pattern) || redundancy.assumed {
            return None;
        }
        let (most, from) = osds_supply(self.entries, self.record, self.entry)?.most?;
        (self.own.low * redundancy.factor() > most.high).then(|| {
            format!(
                "{} on {} is more than all OSDs{} together supply: {} ({from})",
                quantity(self.own.value, self.entry.figure.metric),
                redundancy.words(),
                if self.entry.loads().is_some_and(|place| lies_on(self.record, place).is_some()) {
                    " of its pool"
                } else {
                    ""
                },
                quantity(most.value, self.entry.figure.metric),
            )
        })
    }

    fn says(&self, than: &str, limit: Estimate) -> String {
        let metric = self.entry.figure.metric;
        format!("{} can't be: {than} {}", quantity(self.own.value, metric), quantity(limit.value, metric))
    }
}

/// The same block and depth: only then may one be held against the other.
fn alike(a: &Entry, b: &Entry) -> bool {
    a.step.workload.block == b.step.workload.block && a.step.workload.depth == b.step.workload.depth
}
