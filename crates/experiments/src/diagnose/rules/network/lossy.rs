//! Connections of OSDs that lose segments, and the host that they have in common.

use super::segments_sent_again::{AGAIN_LEAST, SENT_AGAIN, starved};
use crate::diagnose::Case;
use model::{Connection, HostLoad, OsdScope, Subject};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

/// The worst connection of an OSD in one step.
#[derive(Clone, Debug)]
pub struct Lossy<'c> {
    pub osd: u32,
    pub load: &'c HostLoad,
    pub connection: &'c Connection,
    /// The host of OSDs at its other end, if that is one.
    pub to: Option<&'c str>,
}

/// All of them by what they have in common, in each group the worst first: the host to which OSDs of several hosts lose, the host from
/// which several OSDs lose, or one OSD.
pub fn groups<'c>(case: &Case<'c>) -> BTreeMap<Subject, Vec<Lossy<'c>>> {
    let all = all(case);
    let mut from: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for one in &all {
        one.to.into_iter().for_each(|to| _ = from.entry(to).or_default().insert(&one.load.host));
    }
    let common: BTreeSet<&str> = from.into_iter().filter(|(_, from)| from.len() > 1).map(|(to, _)| to).collect();
    let shared =
        |one: &Lossy<'c>| [one.to, Some(one.load.host.as_str())].into_iter().flatten().find(|end| common.contains(end));
    let mut osds: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for one in all.iter().filter(|one| shared(one).is_none()) {
        osds.entry(&one.load.host).or_default().insert(one.osd);
    }
    let mut groups: BTreeMap<Subject, Vec<Lossy>> = BTreeMap::new();
    for one in all {
        let several = osds.get(one.load.host.as_str()).is_some_and(|osds| osds.len() > 1);
        let host = shared(&one).or(several.then_some(one.load.host.as_str()));
        let subject = host.map_or(Subject::Osd(one.osd), |host| Subject::Host(host.to_string()));
        groups.entry(subject).or_default().push(one);
    }
    groups.values_mut().for_each(|own| own.sort_by(|a, b| b.share().total_cmp(&a.share())));
    groups
}

fn all<'c>(case: &Case<'c>) -> Vec<Lossy<'c>> {
    let hosts = hosts(&case.record.scope.osds);
    let of_osd = |load: &'c HostLoad, osd: &'c model::OsdSecond| {
        let connection = osd.connections.as_ref()?.worst.as_ref()?;
        let to = connection.peer.parse::<SocketAddr>().ok().and_then(|peer| hosts.get(&peer.ip()).copied());
        Some(Lossy { osd: osd.osd, load, connection, to })
    };
    let loads = case.host_loads.iter().filter(|load| load.layer.of_ceph());
    let worst = loads.flat_map(|load| load.mean.osds.iter().filter_map(move |osd| of_osd(load, osd)));
    worst.filter(Lossy::much).collect()
}

/// By address; one that OSDs of several hosts have is no host's.
fn hosts(osds: &[OsdScope]) -> BTreeMap<IpAddr, &str> {
    let mut hosts: BTreeMap<IpAddr, BTreeSet<&str>> = BTreeMap::new();
    for osd in osds {
        let addresses = [&osd.address, &osd.cluster_address].into_iter().flatten();
        for address in addresses.filter_map(|address| address.parse().ok()) {
            hosts.entry(address).or_default().insert(&osd.host);
        }
    }
    hosts.retain(|_, own| own.len() == 1);
    hosts.into_iter().flat_map(|(address, own)| own.into_iter().map(move |host| (address, host))).collect()
}

impl Lossy<'_> {
    pub fn share(&self) -> f64 {
        self.connection.lost_share()
    }

    /// The receiver is known to say what it had already: one that never did so may be set not to (net.ipv4.tcp_dsack=0), which the sender
    /// cannot see.
    pub fn says_needless(&self) -> bool {
        self.connection.needless.is_some_and(|needless| needless > 0)
    }

    /// Where nobody says what was needless, much is sent again on a host without a free processor.
    fn much(&self) -> bool {
        let certain = self.says_needless() || !starved(&self.load.mean);
        certain && self.connection.lost() >= AGAIN_LEAST && self.share() > SENT_AGAIN
    }
}

/// Made hosts and what their OSDs lost.
#[cfg(test)]
pub mod testing {
    use model::{Connection, Connections, HostLoad, HostSecond, OsdScope, OsdSecond, Pattern, Record, StepId, testing};

    /// Hosts a to d, whose addresses end with 1 to 4, with OSDs 10 and 11, 20 and 21 and so on.
    pub fn record() -> Record {
        let mut record = Record::default();
        let osds = ["a", "b", "c", "d"].into_iter().zip(1..).flat_map(|(host, at)| [(host, at, 0), (host, at, 1)]);
        let scope = |(host, at, osd): (&str, u32, u32)| OsdScope {
            id: 10 * at + osd,
            host: host.into(),
            address: Some(format!("10.0.0.{at}")),
            ..OsdScope::default()
        };
        record.scope.osds = osds.map(scope).collect();
        record
    }

    /// What OSDs of a host lost of 10,000 segments, each to one host.
    pub fn load(host: &str, osds: &[(u32, u32, u64)]) -> HostLoad {
        let worst = |to: u32, retransmitted: u64| Connection {
            peer: format!("10.0.0.{to}:6801"),
            rtt_ms: 1.2,
            rtt_min_ms: Some(0.1),
            cwnd: 10,
            segments: 10_000,
            retransmitted: retransmitted + 7,
            needless: Some(7),
        };
        let connections = |worst| Some(Connections { worst: Some(worst), ..Connections::default() });
        let osd = |(osd, to, lost): &(u32, u32, u64)| OsdSecond {
            osd: *osd,
            connections: connections(worst(*to, *lost)),
            ..OsdSecond::default()
        };
        HostLoad {
            host: host.into(),
            step: StepId(0),
            layer: testing::pools(),
            target: "pool".into(),
            pattern: Pattern::WriteParallel,
            mean: HostSecond { segments: 1_000_000, osds: osds.iter().map(osd).collect(), ..HostSecond::default() },
        }
    }
}
