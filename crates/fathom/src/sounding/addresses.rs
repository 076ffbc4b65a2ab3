//! At which of its addresses each host is reached by the others: where it loads the cluster, and on other networks.

use crate::failure::Failure;
use crate::planner::CLUSTER;
use ipnet::IpNet;
use model::{Endpoint, HostSeen, Scope};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

pub struct Addresses {
    pub end: Endpoint,
    /// By the networks' names.
    pub others: BTreeMap<String, Endpoint>,
}

/// `known_as`: as the cluster calls it. `named`: networks that the user wants, of which the first is that of the load.
///
/// # Errors
/// The host has no address on a network that was named.
pub fn addresses(seen: &HostSeen, known_as: &str, scope: &Scope, named: &[IpNet]) -> Result<Addresses, Failure> {
    let end = |address: String| Endpoint { host: seen.name.clone(), address, namespace: None };
    let Some((first, more)) = named.split_first() else {
        let address = beside_osds(seen, scope).unwrap_or_else(|| "127.0.0.1".to_string());
        let cluster = own_cluster_address(seen, known_as, scope).filter(|own| *own != address);
        let others = cluster.map(|address| (CLUSTER.to_string(), end(address))).into_iter().collect();
        return Ok(Addresses { end: end(address), others });
    };
    let other = |network: &IpNet| Ok((network.to_string(), end(within(seen, network)?)));
    let others = more.iter().map(other).collect::<Result<_, Failure>>()?;
    Ok(Addresses { end: end(within(seen, first)?), others })
}

fn all(seen: &HostSeen) -> impl Iterator<Item = &String> {
    seen.facts.nics.iter().flat_map(|nic| &nic.addresses)
}

fn within(seen: &HostSeen, network: &IpNet) -> Result<String, Failure> {
    let inside = |address: &&String| address.parse::<IpAddr>().is_ok_and(|address| network.contains(&address));
    all(seen).find(inside).cloned().ok_or_else(|| {
        let own: Vec<&str> = all(seen).map(String::as_str).collect();
        let own = if own.is_empty() { "none".to_string() } else { own.join(", ") };
        Failure::Usage(format!("{} has no address on {network} (--networks); its addresses: {own}", seen.name))
    })
}

/// On the network of the OSDs, if it has an address there, else its first one.
fn beside_osds(seen: &HostSeen, scope: &Scope) -> Option<String> {
    let osds: Vec<&str> = scope.osds.iter().filter_map(|osd| osd.address.as_deref()).collect();
    let beside = |address: &&String| {
        let own = network_of(address);
        own.is_some() && osds.iter().any(|osd| network_of(osd) == own)
    };
    all(seen).find(beside).or_else(|| all(seen).next()).cloned()
}

/// Of the OSDs that it carries.
fn own_cluster_address(seen: &HostSeen, known_as: &str, scope: &Scope) -> Option<String> {
    let own = scope.osds.iter().filter(|osd| osd.host == known_as).filter_map(|osd| osd.cluster_address.as_ref());
    own.into_iter().find(|address| all(seen).any(|known| known == *address)).cloned()
}

/// The first three bytes of an IPv4 address: OSDs do not tell the length of their network's prefix.
fn network_of(address: &str) -> Option<[u8; 3]> {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let bytes = host.parse::<Ipv4Addr>().ok()?.octets();
    Some([bytes[0], bytes[1], bytes[2]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Nic, OsdScope};

    fn host(addresses: &[&str]) -> HostSeen {
        let nic = |address: &&str| Nic { addresses: vec![address.to_string()], ..Nic::default() };
        HostSeen {
            name: "h".into(),
            via: "ssh".into(),
            agent_sent: false,
            clock: None,
            facts: model::HostFacts { nics: addresses.iter().map(nic).collect(), ..model::HostFacts::default() },
        }
    }

    fn scope() -> Scope {
        let osd = |host: &str, last: u32| OsdScope {
            host: host.into(),
            address: Some(format!("10.0.1.{last}")),
            cluster_address: Some(format!("10.0.2.{last}")),
            ..OsdScope::default()
        };
        Scope { osds: vec![osd("h", 1), osd("g", 2)], ..Scope::default() }
    }

    fn told(seen: &HostSeen, scope: &Scope, named: &[&str]) -> Result<(String, Vec<(String, String)>), Failure> {
        let named: Vec<IpNet> = named.iter().map(|text| text.parse().unwrap()).collect();
        let found = addresses(seen, "h", scope, &named)?;
        Ok((found.end.address, found.others.into_iter().map(|(name, end)| (name, end.address)).collect()))
    }

    #[test]
    fn osds_tell_where_clients_and_where_other_osds_reach_them() {
        let seen = host(&["192.168.0.7", "10.0.2.1", "10.0.1.1"]);
        let cluster = vec![("cluster".to_string(), "10.0.2.1".to_string())];
        assert_eq!(told(&seen, &scope(), &[]).unwrap(), ("10.0.1.1".to_string(), cluster));
        // Who only loads is not on it.
        assert_eq!(told(&host(&["10.0.1.9"]), &scope(), &[]).unwrap(), ("10.0.1.9".to_string(), vec![]));
        assert_eq!(told(&host(&["10.9.9.9"]), &Scope::default(), &[]).unwrap().0, "10.9.9.9");
        assert_eq!(told(&host(&[]), &Scope::default(), &[]).unwrap().0, "127.0.0.1");
    }

    #[test]
    fn named_networks_are_taken_in_their_order() {
        let seen = host(&["192.168.0.7", "10.0.2.1", "fd00::7"]);
        let other = vec![("10.0.2.0/24".to_string(), "10.0.2.1".to_string())];
        assert_eq!(told(&seen, &scope(), &["fd00::/64", "10.0.2.0/24"]).unwrap(), ("fd00::7".to_string(), other));
        let missing = told(&seen, &scope(), &["10.0.3.0/24"]).unwrap_err().to_string();
        assert!(missing.contains("no address on 10.0.3.0/24") && missing.contains("192.168.0.7"), "{missing}");
    }
}
