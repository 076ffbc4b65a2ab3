//! The links that a load passes: those between its clients and the hosts of the OSDs that serve it, and between these.

use super::Books;
use crate::across::mean_over;
use crate::disks::osd_of;
use crate::entry::Entry;
use crate::placement::serving;
use model::{Endpoint, Estimate, Layer, OsdScope, Pattern, Place};
use std::collections::BTreeSet;

pub struct Link {
    /// The mean of the links.
    pub value: Estimate,
    /// `of 2 of 6 links`, where others were measured that the load does not pass.
    pub of: Option<String>,
}

/// Of figures of one layer. Where none of the measured links is known to be passed, all of them count.
pub fn passed(books: &Books, loaded: &[&Entry], pattern: Pattern) -> Option<Link> {
    let usable = |entry: &&&Entry| entry.usable().is_some();
    let all = books.figures(Layer::Network, pattern);
    let ends = Ends::of(books, loaded);
    let own: Vec<&Entry> = all.iter().copied().filter(|entry| ends.pass(entry)).collect();
    let (few, many) = (own.iter().filter(usable).count(), all.iter().filter(usable).count());
    if few == 0 || few == many {
        return Some(Link { value: mean_over(&all)?, of: None });
    }
    Some(Link { value: mean_over(&own)?, of: Some(format!("of the {few} of {many} links that it passes")) })
}

/// Who talks to whom.
struct Ends<'r> {
    osds: Vec<&'r OsdScope>,
    clients: BTreeSet<&'r str>,
}

impl<'r> Ends<'r> {
    fn of(books: &Books<'r, 'r>, loaded: &[&'r Entry<'r>]) -> Ends<'r> {
        let record = books.record;
        let ids: BTreeSet<u32> = loaded.iter().filter_map(|entry| osd_of(entry.place()?)).collect();
        let own = record.scope.osds.iter().filter(|osd| ids.contains(&osd.id));
        let of_pools = loaded
            .iter()
            .filter_map(|entry| entry.loads())
            .filter(|place| matches!(place, Place::Pool { .. } | Place::Images { .. }));
        let osds = own.chain(of_pools.flat_map(|place| serving(record, place))).collect();
        let here = record.scope.hosts.iter().find(|host| host.here).map(|host| host.name.as_str());
        let targets = loaded.iter().flat_map(|entry| &entry.step.targets);
        let clients = targets.filter_map(|target| target.client.as_ref().map(|client| client.host.as_str()).or(here));
        Ends { osds, clients: clients.collect() }
    }

    fn pass(&self, entry: &Entry) -> bool {
        let Some(Place::Pair { from, to, .. }) = entry.place() else { return false };
        let client = |end: &Endpoint| self.clients.contains(end.host.as_str());
        match (self.carries(from), self.carries(to)) {
            (true, true) => true,
            (true, false) => client(to),
            (false, true) => client(from),
            (false, false) => false,
        }
    }

    /// By its name in the CRUSH map, also without its domain, or by an OSD's address.
    fn carries(&self, end: &Endpoint) -> bool {
        let short = |name: &'_ str| name.split('.').next().unwrap_or_default().to_string();
        self.osds.iter().any(|osd| {
            osd.host == end.host || osd.address.as_ref() == Some(&end.address) || short(&osd.host) == short(&end.host)
        })
    }
}
