//! A figure, and what it is held against: disks, links and layers below it. Does it claim more than they allow?

use crate::client::several_streams;
use crate::disks::disk_of;
use crate::entry::{Entry, spread};
use crate::words::quantity;
use model::{Estimate, Layer, Pattern, Place, Record};

/// Why a figure can't be, or `None`.
pub(crate) fn better_than_below(entry: &Entry, entries: &[Entry], record: &Record) -> Option<String> {
    let view = View { entry, entries, record, own: entry.usable()? };
    (super::of(entry.figure.layer)?.impossible)(&view)
}

pub(crate) struct View<'v, 'a> {
    pub entry: &'v Entry<'a>,
    pub entries: &'v [Entry<'a>],
    pub record: &'a Record,
    pub own: Estimate,
}

impl<'v, 'a> View<'v, 'a> {
    /// The figure of the very disk that this OSD lies on. Not of another part of it: that is slower or faster by its place, and by what the
    /// OSD did meanwhile.
    pub fn own_disk(&self, pattern: Pattern) -> Option<(&Entry<'_>, Estimate)> {
        let disk = disk_of(self.entries, self.record, self.entry.place()?, pattern)?;
        let itself = disk.only_target().is_some_and(|target| target.beside.is_empty());
        itself.then_some((disk, disk.usable()?))
    }

    /// The links from the hosts that load to those of the OSDs: what passes through them all is the most that can arrive.
    pub fn more_than_links(&self, hosts: &[&str]) -> Option<String> {
        let mut most = Estimate::new(0.0, 0.0);
        for (client, host) in self.clients()?.iter().flat_map(|client| hosts.iter().map(move |host| (client, host))) {
            let link = self.links(client, host, several_streams).max_by(|a, b| a.high.total_cmp(&b.high))?;
            most = Estimate::new(most.value + link.value, spread(&most) + spread(&link));
        }
        let exceeded = !hosts.is_empty() && self.own.low > most.high;
        exceeded.then(|| self.says(&format!("the network to {} carries", hosts.join(", ")), most))
    }

    pub fn here(&self) -> Option<&str> {
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
    pub fn links(&self, client: &str, host: &str, wanted: impl Fn(&Entry) -> bool) -> impl Iterator<Item = Estimate> {
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

    /// Durable writes of a layer below, of single targets that are `beneath`, with the same block and depth: only then may one be held
    /// against the other.
    pub fn writes_below(&self, layer: Layer, beneath: impl Fn(&Entry) -> bool) -> Vec<(&'v Entry<'a>, Estimate)> {
        let (own, entries) = (self.entry, self.entries);
        let alike = |entry: &&Entry| {
            let (a, b) = (&entry.step.workload, &own.step.workload);
            a.block == b.block && a.depth == b.depth
        };
        let of_layer = entries.iter().filter(|entry| entry.is(layer, Pattern::WriteLatency) && !entry.together());
        let usable = |entry: &'v Entry<'a>| Some((entry, entry.usable()?));
        of_layer.filter(alike).filter(|entry| beneath(entry)).filter_map(usable).collect()
    }

    pub fn sooner_than(&self, below: Layer, measured: &[(&Entry, Estimate)]) -> Option<String> {
        let quickest = measured.iter().min_by(|a, b| a.1.low.total_cmp(&b.1.low))?;
        (self.own.high < quickest.1.low)
            .then(|| self.says(&format!("{} {} takes", below.name(), quickest.0.figure.target), quickest.1))
    }

    pub fn says(&self, than: &str, limit: Estimate) -> String {
        let metric = self.entry.figure.metric;
        format!("{} can't be: {than} {}", quantity(self.own.value, metric), quantity(limit.value, metric))
    }
}
