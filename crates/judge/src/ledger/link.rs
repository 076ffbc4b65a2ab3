//! The links that a load passes: those between its clients and the hosts of the OSDs that serve it, and between these.
//!
//! A way between two hosts that was measured alone carries what the slower of its two ends can: the best way of a host is what is known of
//! its own link.

use super::Books;
use crate::across::mean_over;
use crate::disks::osd_of;
use crate::entry::Entry;
use crate::links::alone;
use crate::placement::{hosts_of, serving};
use model::pattern::Family;
use model::{Endpoint, Estimate, Layer, OsdScope, Pattern, Place};
use std::collections::{BTreeMap, BTreeSet};

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
    let ends = Who::of(books, loaded);
    let own: Vec<&Entry> = all.iter().copied().filter(|entry| ends.pass(entry)).collect();
    let (few, many) = (own.iter().filter(usable).count(), all.iter().filter(usable).count());
    if few == 0 || few == many {
        return Some(Link { value: mean_over(&all)?, of: None });
    }
    Some(Link { value: mean_over(&own)?, of: Some(format!("of the {few} of {many} links that it passes")) })
}

/// Hosts with a link each.
#[derive(Clone, Copy)]
pub struct Ends {
    /// Of the best ways of each, MB/s.
    pub mean: Estimate,
    pub count: u32,
}

/// The links of a pool: those that its data pass in their direction.
pub struct Links {
    pub clients: Option<Ends>,
    /// Of the OSDs' hosts, to clients and, unless `copies_apart`, to each other; of one host alone it is not known what passes them.
    pub hosts: Option<Ends>,
    /// Of the OSDs' hosts, on the network that they have for themselves.
    pub among: Option<Ends>,
    /// They have such a network, whether it was measured or not.
    pub copies_apart: bool,
}

impl Links {
    /// `pattern`: linear, and in the direction of the load. `None`: nothing of the network was measured.
    pub fn of(books: &Books, loaded: &[&Entry], pattern: Pattern) -> Option<Links> {
        let who = Who::of(books, loaded);
        let ways = Ways::of(books, None);
        let several = loaded.first().filter(|entry| entry.step.of_clients());
        let clients = several.map_or(1, |entry| entry.step.targets.len() as u32);
        let hosts = who.hosts().len() as u32;
        let client = |end: &Endpoint| who.is_client(end);
        let carries = |end: &Endpoint| who.carries(end);
        let (of_clients, of_hosts) = match pattern.writes() {
            true => (ways.best_of_senders(&client, &carries), ways.best_of_receivers(&carries)),
            false => (ways.best_of_receivers_from(&client, &carries), ways.best_of_senders(&carries, &|_| true)),
        };
        let among = Ways::of(books, Some(CLUSTER)).best_of_receivers(&carries);
        let apart = who.osds.iter().any(|osd| osd.cluster_address.is_some()) || among.is_some();
        let ends = |mean: Option<Estimate>, count: u32| mean.map(|mean| Ends { mean, count });
        // Ends whose names nobody knows: each link counts for all.
        let mean = passed(books, loaded, pattern)?.value;
        Some(Links {
            clients: ends(of_clients.or(Some(mean)), clients),
            hosts: ends(of_hosts.or(Some(mean)), hosts).filter(|ends| ends.count > 1),
            among: ends(among, hosts).filter(|ends| ends.count > 1),
            copies_apart: apart,
        })
    }
}

/// From those who load OSDs to the hosts of these: the mean of what each host gets at best. `None`: nothing of the network was measured.
pub fn to_each_osd(books: &Books, loaded: &[&Entry], pattern: Pattern) -> Option<Estimate> {
    let who = Who::of(books, loaded);
    let (client, carries) = (|end: &Endpoint| who.is_client(end), |end: &Endpoint| who.carries(end));
    let ways = Ways::of(books, None);
    let best = match pattern.writes() {
        true => ways.best_of_receivers_from(&carries, &client),
        false => ways.best_of_senders(&carries, &client),
    };
    Some(best.unwrap_or(passed(books, loaded, pattern)?.value))
}

/// The network on which OSDs talk to each other, as targets name it.
const CLUSTER: &str = "cluster";

type Is<'i> = dyn Fn(&Endpoint) -> bool + 'i;

/// What was sent from one host to another with no other load in its way: sender, receiver, MB/s.
type Way<'r> = (&'r Endpoint, &'r Endpoint, Estimate);

struct Ways<'r>(Vec<Way<'r>>);

impl<'r> Ways<'r> {
    /// Of streams of both directions: a read comes from the second host.
    fn of(books: &Books<'r, 'r>, network: Option<&str>) -> Ways<'r> {
        let measured = |entry: &&'r Entry<'r>| {
            let linear = entry.figure.layer == Layer::Network && entry.figure.pattern.family() == Family::Linear;
            linear && alone(entry, network)
        };
        let way = |entry: &'r Entry<'r>| {
            let Some(Place::Pair { from, to, .. }) = entry.place() else { return None };
            let value = entry.usable().filter(|_| from.host != to.host)?;
            Some(if entry.figure.pattern.writes() { (from, to, value) } else { (to, from, value) })
        };
        Ways(books.entries.iter().filter(measured).filter_map(way).collect())
    }

    fn best_of_senders(&self, sender: &Is, receiver: &Is) -> Option<Estimate> {
        self.mean_of_best(&|(from, to, _)| (sender(from) && receiver(to)).then_some(from.host.as_str()))
    }

    fn best_of_receivers_from(&self, receiver: &Is, sender: &Is) -> Option<Estimate> {
        self.mean_of_best(&|(from, to, _)| (sender(from) && receiver(to)).then_some(to.host.as_str()))
    }

    fn best_of_receivers(&self, receiver: &Is) -> Option<Estimate> {
        self.best_of_receivers_from(receiver, &|_| true)
    }

    /// Over hosts; `of`: the host that a way counts for.
    fn mean_of_best(&self, of: &dyn Fn(&Way<'r>) -> Option<&'r str>) -> Option<Estimate> {
        let mut best: BTreeMap<&str, Estimate> = BTreeMap::new();
        for way in &self.0 {
            let Some(host) = of(way) else { continue };
            let known = best.entry(host).or_insert(way.2);
            if way.2.value > known.value {
                *known = way.2;
            }
        }
        crate::chart::mean_of(&best.into_values().collect::<Vec<_>>())
    }
}

/// Who talks to whom.
struct Who<'r> {
    osds: Vec<&'r OsdScope>,
    clients: BTreeSet<&'r str>,
}

impl<'r> Who<'r> {
    fn of(books: &Books<'r, 'r>, loaded: &[&'r Entry<'r>]) -> Who<'r> {
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
        Who { osds, clients: clients.collect() }
    }

    fn pass(&self, entry: &Entry) -> bool {
        let Some(Place::Pair { from, to, .. }) = entry.place() else { return false };
        let client = |end: &Endpoint| self.is_client(end);
        match (self.carries(from), self.carries(to)) {
            (true, true) => true,
            (true, false) => client(to),
            (false, true) => client(from),
            (false, false) => false,
        }
    }

    fn is_client(&self, end: &Endpoint) -> bool {
        self.clients.contains(end.host.as_str())
    }

    /// Those of the OSDs.
    fn hosts(&self) -> Vec<&'r str> {
        hosts_of(&self.osds)
    }

    /// By its name in the CRUSH map, also without its domain, or by an OSD's address.
    fn carries(&self, end: &Endpoint) -> bool {
        let short = |name: &'_ str| name.split('.').next().unwrap_or_default().to_string();
        self.osds.iter().any(|osd| {
            osd.host == end.host || osd.address.as_ref() == Some(&end.address) || short(&osd.host) == short(&end.host)
        })
    }
}
