//! The hosts with agents as a plan knows them: each by the cluster's name for it, where the others reach it.

use super::addresses::{Addresses, addresses};
use agents::fleet::Fleet;
use ipnet::IpNet;
use model::{ClientHost, Endpoint, Failure, HostSeen, LabHost, LabLayout, OsdScope, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// Virtual machines, each by the name by which it is listed: it is on no network of the cluster's hosts.
pub(super) fn guest_hosts(fleet: &Fleet, names: &[String]) -> Vec<ClientHost> {
    let guest = |seen: &HostSeen| ClientHost {
        end: Endpoint::new(seen.name.clone(), String::new()),
        others: BTreeMap::new(),
        known_as: seen.name.clone(),
        boot: seen.facts.boot.clone(),
        loads: false,
    };
    fleet.here().filter(|seen| names.contains(&seen.name)).map(guest).collect()
}

/// All hosts with agents but these guests, each where the others reach it.
pub(super) fn client_hosts(
    fleet: &Fleet,
    guests: &[ClientHost],
    scope: &Scope,
    lab: Option<&LabLayout>,
    networks: &[IpNet],
) -> Result<Vec<ClientHost>, Failure> {
    let host = |seen: &HostSeen| {
        let known_as = known_as(seen, scope, lab);
        let Addresses { end, others } = addresses(seen, &known_as, scope, networks)?;
        let loads = !fleet.spares(&seen.name);
        Ok(ClientHost { end, others, known_as, boot: seen.facts.boot.clone(), loads })
    };
    let here: Vec<&HostSeen> =
        fleet.here().filter(|seen| !guests.iter().any(|guest| guest.end.host == seen.name)).collect();
    let mut hosts: Vec<ClientHost> = here.iter().copied().map(host).collect::<Result<_, Failure>>()?;
    tell_apart(&mut hosts, &here, scope);
    for host in &mut hosts {
        let ends = std::iter::once(&mut host.end).chain(host.others.values_mut());
        ends.for_each(|end| end.known_as = Some(host.known_as.clone()));
    }
    Ok(hosts)
}

/// Pods of two namespaces may have one name. Those that the cluster does not know are then called as they are listed, unless they are the
/// same machine in the same network.
fn tell_apart(hosts: &mut [ClientHost], seen: &[&HostSeen], scope: &Scope) {
    let place = |seen: &HostSeen| {
        let addresses: BTreeSet<String> = seen.facts.nics.iter().flat_map(|nic| nic.addresses.clone()).collect();
        (seen.facts.boot.clone(), addresses)
    };
    let mut places: BTreeMap<String, BTreeSet<(String, BTreeSet<String>)>> = BTreeMap::new();
    for (host, seen) in hosts.iter().zip(seen) {
        places.entry(host.known_as.clone()).or_default().insert(place(seen));
    }
    for (host, seen) in hosts.iter_mut().zip(seen) {
        if places[&host.known_as].len() > 1 && !carries_osds(&host.known_as, scope) {
            host.known_as = seen.name.clone();
        }
    }
}

/// The host's name in the CRUSH map: that of its list, or its own, else that of the OSDs at its addresses, else the only one
/// that is the same without its domain. A lab's hosts all have this one's.
pub(super) fn known_as(seen: &HostSeen, scope: &Scope, lab: Option<&LabLayout>) -> String {
    let bare = bare(&seen.name);
    let of_lab = |host: &&LabHost| host.name == bare || host.namespace.as_deref() == Some(bare);
    if let Some(host) = lab.and_then(|lab| lab.hosts.iter().find(of_lab)) {
        return host.name.clone();
    }
    let own = [bare, seen.facts.scope.name.as_str()];
    let at = |osd: &&OsdScope| {
        let mut addresses = seen.facts.nics.iter().flat_map(|nic| &nic.addresses);
        addresses.any(|own| osd.address.as_ref() == Some(own))
    };
    let mut osds = scope.osds.iter();
    // An address says more than a name without its domain.
    let same = scope.osd_host(&own).filter(|host| own.contains(host));
    let found = same.or_else(|| osds.find(at).map(|osd| osd.host.as_str())).or_else(|| scope.osd_host(&own));
    found.map_or_else(|| seen.facts.scope.name.clone(), str::to_string)
}

/// Of `root@a:2222` and `netns:a` only `a`.
fn bare(name: &str) -> &str {
    let host = match name.split_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host,
        Some((_, host)) => host,
        None => name,
    };
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

pub(super) fn carries_osds(known_as: &str, scope: &Scope) -> bool {
    scope.osds.iter().any(|osd| osd.host == known_as)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use model::{HostFacts, HostScope, Nic};

    fn seen(name: &str, own: &str, address: &str) -> HostSeen {
        let nics = vec![Nic { addresses: vec![address.into()], ..Nic::default() }];
        let scope = HostScope { name: own.into(), ..HostScope::default() };
        HostSeen {
            name: name.into(),
            via: "ssh".into(),
            agent_sent: false,
            clock: None,
            facts: HostFacts { scope, nics, ..HostFacts::default() },
        }
    }

    pub(in super::super) fn osds(hosts: &[(&str, &str)]) -> Scope {
        let osd = |(host, address): &(&str, &str)| OsdScope {
            host: host.to_string(),
            address: Some(address.to_string()),
            ..OsdScope::default()
        };
        Scope { osds: hosts.iter().map(osd).collect(), ..Scope::default() }
    }

    #[test]
    fn hosts_that_differ_only_by_their_domain_are_not_mistaken() {
        let scope = osds(&[("a.rack1", "10.0.0.1"), ("a.rack2", "10.0.0.2"), ("b.rack1", "10.0.0.3")]);
        let name = |list: &str, own: &str, address: &str| known_as(&seen(list, own, address), &scope, None);
        assert_eq!(name("a.rack2", "a.rack2", "10.9.9.9"), "a.rack2");
        assert_eq!(name("x", "a", "10.0.0.2"), "a.rack2", "of two that are alike the one at its address");
        assert_eq!(name("x", "a", "10.9.9.9"), "a", "neither is known to be it");
        assert_eq!(name("x", "b", "10.9.9.9"), "b.rack1");
        assert_eq!(name("client", "client", "10.9.9.9"), "client");
        assert_eq!(name("root@a.rack2:2222", "localhost", "10.9.9.9"), "a.rack2");
    }

    #[test]
    fn pods_of_one_name_are_not_mistaken() {
        let called = |seen: &[HostSeen], scope: &Scope| {
            let host = |seen: &HostSeen| ClientHost {
                end: Endpoint::new(seen.name.clone(), String::new()),
                others: Default::default(),
                known_as: known_as(seen, scope, None),
                boot: String::new(),
                loads: true,
            };
            let mut hosts: Vec<ClientHost> = seen.iter().map(host).collect();
            tell_apart(&mut hosts, &seen.iter().collect::<Vec<_>>(), scope);
            hosts.into_iter().map(|host| host.known_as).collect::<Vec<_>>()
        };
        let pods =
            [seen("kube:a/x", "x", "10.0.0.1"), seen("kube:b/x", "x", "10.0.0.2"), seen("kube:b/y", "y", "10.0.0.3")];
        assert_eq!(called(&pods, &Scope::default()), ["kube:a/x", "kube:b/x", "y"]);
        let of_host = [seen("kube:a/x", "n1", "10.0.0.1"), seen("kube:b/y", "n1", "10.0.0.1")];
        assert_eq!(called(&of_host, &Scope::default()), ["n1", "n1"]);
        let of_osds = [seen("kube:a/osd-0", "osd-0", "10.0.0.1"), seen("kube:a/osd-1", "osd-1", "10.0.0.2")];
        assert_eq!(called(&of_osds, &osds(&[("n1", "10.0.0.1"), ("n1", "10.0.0.2")])), ["n1", "n1"]);
    }
}
