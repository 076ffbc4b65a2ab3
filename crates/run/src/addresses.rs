//! At which of its addresses each host is reached by the others: where it loads the cluster, and on other networks.

use ipnet::IpNet;
use model::inventory::CLUSTER;
use model::{Endpoint, Failure, HostSeen, OsdScope, Scope};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::IpAddr;

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
    let end = |address: String| Endpoint::new(&seen.name, address);
    let Some((first, more)) = named.split_first() else {
        let address = own(seen, known_as, scope, |osd| osd.address.as_ref()).or_else(|| beside_osds(seen, scope));
        let address = address.or_else(|| all(seen).next().cloned()).unwrap_or_else(|| "127.0.0.1".to_string());
        let cluster = own(seen, known_as, scope, |osd| osd.cluster_address.as_ref()).filter(|own| *own != address);
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

/// One of its own at which an OSD that it carries is reached.
fn own(seen: &HostSeen, known_as: &str, scope: &Scope, of: fn(&OsdScope) -> Option<&String>) -> Option<String> {
    let own = scope.osds.iter().filter(|osd| osd.host == known_as).filter_map(of);
    own.into_iter().find(|address| all(seen).any(|known| known == *address)).cloned()
}

/// Its own on a network on which OSDs are; the narrowest, as routes go.
fn beside_osds(seen: &HostSeen, scope: &Scope) -> Option<String> {
    let osds: Vec<IpAddr> = scope.osds.iter().filter_map(|osd| osd.address.as_ref()?.parse().ok()).collect();
    let networks = seen.facts.nics.iter().flat_map(|nic| &nic.networks).filter_map(|text| text.parse::<IpNet>().ok());
    let beside = networks.filter(|network| osds.iter().any(|osd| network.contains(osd)));
    beside.min_by_key(|network| Reverse(network.prefix_len())).map(|network| network.addr().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nic;

    /// With the lengths of their prefixes.
    fn host(networks: &[&str]) -> HostSeen {
        let nic = |network: &&str| {
            let address = network.split('/').next().unwrap().to_string();
            Nic { addresses: vec![address], networks: vec![network.to_string()], ..Nic::default() }
        };
        HostSeen {
            name: "h".into(),
            via: "ssh".into(),
            agent_sent: false,
            clock: None,
            facts: model::HostFacts { nics: networks.iter().map(nic).collect(), ..model::HostFacts::default() },
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
        let seen = host(&["192.168.0.7/24", "10.0.2.1/24", "10.0.1.1/24"]);
        let cluster = vec![("cluster".to_string(), "10.0.2.1".to_string())];
        assert_eq!(told(&seen, &scope(), &[]).unwrap(), ("10.0.1.1".to_string(), cluster));
        // A host that only loads is not on it.
        assert_eq!(told(&host(&["10.0.1.9/24"]), &scope(), &[]).unwrap(), ("10.0.1.9".to_string(), vec![]));
        assert_eq!(told(&host(&["10.9.9.9/24"]), &Scope::default(), &[]).unwrap().0, "10.9.9.9");
        assert_eq!(told(&host(&[]), &Scope::default(), &[]).unwrap().0, "127.0.0.1");
    }

    #[test]
    fn the_network_of_the_osds_is_as_wide_as_the_interface_says() {
        let only = |address: &str| Scope {
            osds: vec![OsdScope { host: "g".into(), address: Some(address.into()), ..OsdScope::default() }],
            ..Scope::default()
        };
        let of = |networks: &[&str], osd: &str| told(&host(networks), &only(osd), &[]).unwrap().0;
        assert_eq!(of(&["192.168.0.7/24", "10.4.0.7/16"], "10.4.9.1"), "10.4.0.7");
        assert_eq!(of(&["10.4.0.7/25", "10.9.9.9/24"], "10.9.9.1"), "10.9.9.9");
        assert_eq!(of(&["10.4.0.7/25", "192.168.0.7/24"], "10.4.0.200"), "10.4.0.7", "none fits: the first");
        assert_eq!(of(&["10.0.0.7/8", "10.4.0.7/16"], "10.4.9.1"), "10.4.0.7", "the narrower one");
        assert_eq!(of(&["192.168.0.7/24", "fd00:1::7/64"], "fd00:1::9"), "fd00:1::7");
        // Where its own OSD is, whatever else is on that network.
        let own =
            Scope { osds: vec![OsdScope { host: "h".into(), ..only("10.0.1.8").osds[0].clone() }], ..Scope::default() };
        assert_eq!(told(&host(&["10.0.1.7/24", "10.0.1.8/24"]), &own, &[]).unwrap().0, "10.0.1.8");
    }

    #[test]
    fn named_networks_are_taken_in_their_order() {
        let seen = host(&["192.168.0.7/24", "10.0.2.1/24", "fd00::7/64"]);
        let other = vec![("10.0.2.0/24".to_string(), "10.0.2.1".to_string())];
        assert_eq!(told(&seen, &scope(), &["fd00::/64", "10.0.2.0/24"]).unwrap(), ("fd00::7".to_string(), other));
        let missing = told(&seen, &scope(), &["10.0.3.0/24"]).unwrap_err().to_string();
        assert!(missing.contains("no address on 10.0.3.0/24") && missing.contains("192.168.0.7"), "{missing}");
    }
}
