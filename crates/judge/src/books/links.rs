//! The links that a load passes: those between its clients and the hosts of the OSDs that serve it, and between these.
//!
//! A way between two hosts that was measured alone carries what the slower of its two ends can: the best way of a host is what is known of
//! its own link.

use super::{Books, scaled};
use crate::across::mean_over;
use crate::disks::osd_of;
use crate::entry::Entry;
use crate::placement::{hosts_of, serving};
use crate::redundancy::redundancy;
use crate::words::{number, percent};
use model::pattern::Family;
use model::{Endpoint, Estimate, OsdScope, Pattern, Place};
use std::collections::{BTreeMap, BTreeSet};

pub struct PassedLinks {
    /// The mean of the links.
    pub value: Estimate,
    /// `of 2 of 6 links`, where others were measured that the load does not pass.
    pub of: Option<String>,
}

/// Of figures of one layer. Where none of the measured links is known to be passed, all of them count.
pub fn passed(books: &Books, loaded: &[&Entry], pattern: Pattern) -> Option<PassedLinks> {
    let usable = |entry: &&&Entry| entry.usable().is_some();
    let all = books.links(pattern);
    let ends = Who::of(books, loaded);
    let own: Vec<&Entry> = all.iter().copied().filter(|entry| ends.pass(entry)).collect();
    let (few, many) = (own.iter().filter(usable).count(), all.iter().filter(usable).count());
    if few == 0 || few == many {
        return Some(PassedLinks { value: mean_over(&all)?, of: None });
    }
    Some(PassedLinks { value: mean_over(&own)?, of: Some(format!("of the {few} of {many} links that it passes")) })
}

/// What the links of some hosts can carry together.
pub struct Carried {
    /// MB/s, of the traffic that passes them; the data may pass them more than once.
    pub all: Estimate,
    /// How that was made: `1,250 MB/s × 4 clients`.
    pub words: String,
    /// Why it may be more.
    pub at_least: Option<&'static str>,
}

const NOT_ALL_CLIENTS: &str = "not the link of every client was measured";
const FROM_ONE: &str = "the OSDs' hosts were reached from one host alone, which may have been the limit";
/// Hosts' links that differ by less are alike.
const ALIKE: f64 = 0.2;

/// The links of a pool: those that its data pass, in their direction.
pub struct Links {
    pub clients: Option<Carried>,
    /// What the links of the OSDs' hosts carry, to clients and, unless `copies_apart`, to each other. `None`: not each of them was
    /// measured, or there is but one, of which it is not known what passes its link.
    pub hosts: Option<Carried>,
    /// What the links of the OSDs' hosts carry on the network that they have for themselves.
    pub among: Option<Carried>,
    /// They have such a network, whether it was measured or not.
    pub copies_apart: bool,
    /// A client runs on one of the OSDs' hosts.
    pub beside: bool,
}

impl Links {
    /// `pattern`: linear, and in the direction of the load. `None`: nothing of the network was measured.
    pub fn of(books: &Books, loaded: &[&Entry], pattern: Pattern) -> Option<Links> {
        let who = Who::of(books, loaded);
        let load = Ways::of(books, |network| network.is_none());
        let known_as = |end: &Endpoint| who.carried(end).map(str::to_string);
        let apart = |end: &Endpoint| who.carried_apart(end).map(str::to_string);
        let client = |end: &Endpoint| who.is_client(end).then(|| end.host.clone());
        let (clients, hosts) = match pattern.writes() {
            true => (load.sent(&client), load.received(&known_as)),
            false => (load.received(&client), load.sent(&known_as)),
        };
        let pool = loaded.first().and_then(|entry| redundancy(books.record, entry.loads()?));
        let copies = pool.map_or(1, |pool| pool.size as usize);
        // Named so, or at the addresses at which OSDs reach each other.
        let named = Ways::of(books, |network| network == Some(CLUSTER)).received(&known_as);
        let addressed = Ways::of(books, |network| network.is_some()).received(&apart);
        let among = who.all_of(&named, copies).or_else(|| who.all_of(&addressed, copies));
        let several = loaded.first().filter(|entry| entry.step.of_clients());
        let loads = several.map_or(1, |entry| entry.step.targets.len());
        let copies_apart = who.hosts().len() > 1 && (who.has_network_apart() || among.is_some());
        let beside = who.beside(&load);
        // Where the ends are not known, as within one host, each link counts for each client.
        let unknown = clients.0.is_empty() && hosts.0.is_empty();
        let mean = passed(books, loaded, pattern)?.value;
        let clients = if unknown { Best::alike(mean, loads) } else { clients };
        Some(Links {
            clients: clients.of_clients(loads),
            hosts: who.all_of(&hosts, copies),
            among,
            copies_apart,
            beside,
        })
    }
}

/// From those who load OSDs to the hosts of these: the mean of what each host gets at best, and whether one of those runs beside OSDs.
/// `None`: nothing of the network was measured.
pub fn to_each_osd(books: &Books, loaded: &[&Entry], pattern: Pattern) -> Option<(Estimate, bool)> {
    let who = Who::of(books, loaded);
    let way = |client: &Endpoint, host: &Endpoint| who.is_client(client) && who.carried(host).is_some();
    let own = |(from, to, _): &Way| if pattern.writes() { way(from, to) } else { way(to, from) };
    let mut ways = Ways::of(books, |network| network.is_none());
    let beside = who.beside(&ways);
    ways.0.retain(own);
    let known_as = |end: &Endpoint| who.carried(end).map(str::to_string);
    let best = if pattern.writes() { ways.received(&known_as) } else { ways.sent(&known_as) };
    Some((best.mean().unwrap_or(passed(books, loaded, pattern)?.value), beside))
}

/// The network on which OSDs talk to each other, as targets name it.
const CLUSTER: &str = "cluster";

/// What was sent from one host to another with no other load in its way: sender, receiver, MB/s.
type Way<'r> = (&'r Endpoint, &'r Endpoint, Estimate);

struct Ways<'r>(Vec<Way<'r>>);

/// How an end is called, if it is one of those that are looked for.
type Called<'i> = dyn Fn(&Endpoint) -> Option<String> + 'i;

impl<'r> Ways<'r> {
    /// Of streams of both directions: a read comes from the second host. Of all networks that are `wanted`.
    fn of(books: &Books<'r, 'r>, wanted: fn(Option<&str>) -> bool) -> Ways<'r> {
        let measured = |entry: &&'r Entry<'r>| {
            let linear = entry.figure.layer.of_links() && entry.figure.pattern.family() == Family::Linear;
            linear && wanted(entry.figure.network.as_deref()) && entry.figure.alone_on(entry.figure.network.as_deref())
        };
        let way = |entry: &'r Entry<'r>| {
            let Some(Place::Pair { from, to, .. }) = entry.place() else { return None };
            let value = entry.usable().filter(|_| from.host != to.host)?;
            Some(if entry.figure.pattern.writes() { (from, to, value) } else { (to, from, value) })
        };
        Ways(books.entries.iter().filter(measured).filter_map(way).collect())
    }

    /// What each of them sent at best, to whomever.
    fn sent(&self, who: &Called) -> Best {
        Best::of(self.0.iter().filter_map(|(from, to, value)| Some((who(from)?, to.host.clone(), *value))))
    }

    /// What each of them received at best, from whomever.
    fn received(&self, who: &Called) -> Best {
        Best::of(self.0.iter().filter_map(|(from, to, value)| Some((who(to)?, from.host.clone(), *value))))
    }
}

/// By host: the best of its ways, and with whom it has any.
struct Best(BTreeMap<String, (Estimate, BTreeSet<String>)>);

impl Best {
    fn of(ways: impl Iterator<Item = (String, String, Estimate)>) -> Best {
        let mut best: BTreeMap<String, (Estimate, BTreeSet<String>)> = BTreeMap::new();
        for (host, partner, value) in ways {
            let (known, partners) = best.entry(host).or_insert((value, BTreeSet::new()));
            partners.insert(partner);
            if value.value > known.value {
                *known = value;
            }
        }
        Best(best)
    }

    fn alike(value: Estimate, hosts: usize) -> Best {
        Best((0..hosts).map(|host| (host.to_string(), (value, BTreeSet::new()))).collect())
    }

    fn mean(&self) -> Option<Estimate> {
        crate::chart::mean_of(&self.0.values().map(|(value, _)| *value).collect::<Vec<_>>())
    }

    /// Of `loads` clients, of which some may share a machine's link with others.
    fn of_clients(&self, loads: usize) -> Option<Carried> {
        let (mean, count) = (self.mean()?, self.0.len());
        let times = if loads > 1 { format!(" × {count} clients") } else { String::new() };
        Some(Carried {
            all: scaled(mean, count as f64),
            words: format!("{} MB/s{times}", number(mean.value)),
            at_least: (count < loads).then_some(NOT_ALL_CLIENTS),
        })
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
        let of_pools = loaded.iter().filter_map(|entry| entry.loads()).filter(|place| place.data_pool().is_some());
        let osds = own.chain(of_pools.flat_map(|place| serving(record, place))).collect();
        let here = record.scope.hosts.iter().find(|host| host.here).map(|host| host.name.as_str());
        let targets = loaded.iter().flat_map(|entry| &entry.step.targets);
        let clients = targets.filter_map(|target| target.client.as_ref().map(|client| client.host.as_str()).or(here));
        Who { osds, clients: clients.collect() }
    }

    fn pass(&self, entry: &Entry) -> bool {
        let Some(Place::Pair { from, to, .. }) = entry.place() else { return false };
        match (self.carried(from), self.carried(to)) {
            (Some(_), Some(_)) => true,
            (Some(_), None) => self.is_client(to),
            (None, Some(_)) => self.is_client(from),
            (None, None) => false,
        }
    }

    fn is_client(&self, end: &Endpoint) -> bool {
        self.clients.contains(end.host.as_str())
    }

    /// Those of the OSDs.
    fn hosts(&self) -> Vec<&'r str> {
        hosts_of(&self.osds)
    }

    fn has_network_apart(&self) -> bool {
        self.osds.iter().any(|osd| osd.cluster_address.is_some())
    }

    /// The host of OSDs that this end is: by its name in the CRUSH map, or by the address at which clients reach an OSD.
    fn carried(&self, end: &Endpoint) -> Option<&'r str> {
        let name = end.known_as.as_ref().unwrap_or(&end.host);
        let is = |osd: &&&OsdScope| osd.host == *name || osd.address.as_ref() == Some(&end.address);
        self.osds.iter().find(is).map(|osd| osd.host.as_str())
    }

    /// The host of OSDs that this end is on their own network: by the address at which other OSDs reach one.
    fn carried_apart(&self, end: &Endpoint) -> Option<&'r str> {
        let at = |osd: &&&OsdScope| osd.cluster_address.as_ref() == Some(&end.address);
        self.osds.iter().find(at).map(|osd| osd.host.as_str())
    }

    /// Which share of the data lies on each of its hosts: by its OSDs' part of the weight, or a like part where each has a copy of all.
    fn shares(&self, copies: usize) -> BTreeMap<&'r str, f64> {
        let hosts = self.hosts();
        let known = self.osds.iter().all(|osd| osd.crush_weight.is_some());
        let weight = |osd: &&OsdScope| osd.crush_weight.filter(|_| known).unwrap_or(1.0);
        let all: f64 = self.osds.iter().map(weight).sum();
        let of = |host: &str| self.osds.iter().filter(|osd| osd.host == host).map(weight).sum::<f64>() / all;
        let even = copies >= hosts.len() || all <= 0.0;
        hosts.iter().map(|host| (*host, if even { 1.0 / hosts.len() as f64 } else { of(host) })).collect()
    }

    /// What passes the links of all of these hosts together if each has its share; the one that is full first is the limit.
    fn all_of(&self, best: &Best, copies: usize) -> Option<Carried> {
        let shares = self.shares(copies);
        let mut all = Vec::new();
        for (host, share) in shares.iter().filter(|(_, share)| **share > 0.0) {
            let (link, partners) = best.0.get(*host)?;
            all.push((*host, *share, *link, partners.len()));
        }
        let count = all.len() as f64;
        let (slowest, share, link, _) =
            *all.iter().min_by(|a, b| (a.2.value / a.1).total_cmp(&(b.2.value / b.1))).filter(|_| all.len() > 1)?;
        let at_least = all.iter().any(|(.., partners)| *partners < 2).then_some(FROM_ONE);
        let mean = crate::chart::mean_of(&all.iter().map(|(_, _, link, _)| *link).collect::<Vec<_>>())?;
        let alike = link.value / share >= (1.0 - ALIKE) * mean.value * count;
        Some(Carried {
            all: if alike { scaled(mean, count) } else { scaled(link, 1.0 / share) },
            words: match alike {
                true => format!("{} MB/s × {count} hosts", number(mean.value)),
                false => format!("{} MB/s of {slowest} for its {} of the data", number(link.value), percent(share)),
            },
            at_least,
        })
    }

    /// Does one of those who load run on a host with OSDs, so that what it gets from these does not pass the links that were measured?
    fn beside(&self, ways: &Ways) -> bool {
        let ends = || ways.0.iter().flat_map(|(from, to, _)| [*from, *to]);
        let both = |end: &Endpoint| self.is_client(end) && self.carried(end).is_some();
        ends().next().is_some() && (self.hosts().iter().any(|host| self.clients.contains(host)) || ends().any(both))
    }
}
