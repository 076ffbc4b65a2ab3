//! Which networks the hosts of a lab get: none in which an address of this host lies, or to which it has a route.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::Subnets;
use crate::net::ip;
use crate::process_group::run;
use crate::spec::Spec;
use std::fmt;
use std::net::Ipv4Addr;

/// A network of IPv4, by any address in it and the bits that all of them have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: Ipv4Addr,
    bits: u32,
}

/// Routes that lead to no host.
const TO_NOWHERE: [&str; 4] = ["blackhole", "unreachable", "prohibit", "throw"];
/// Where a lab's hosts are, each by the first two numbers: private addresses, and where these are taken those that RFC 2544 keeps for
/// benchmarks of networks.
const PUBLIC: [[u8; 2]; 2] = [[10, 231], [198, 19]];
/// Of the OSDs among themselves.
const CLUSTER: [[u8; 2]; 2] = [[10, 230], [198, 18]];
/// All routes to networks of 10.0.0.0/8 have at least these. VPNs set the default route in parts that have fewer: 0.0.0.0/1.
const LEAST_BITS: u32 = 8;
/// How many networks an error names.
const NAMED: usize = 3;

impl Network {
    /// `10.1.0.0/16`; an address alone is a network of its own.
    fn parse(text: &str) -> Option<Network> {
        let (address, bits) = text.split_once('/').unwrap_or((text, "32"));
        let bits = bits.parse().ok().filter(|bits| *bits <= 32)?;
        Some(Network { address: address.parse().ok()?, bits })
    }

    fn overlaps(self, other: Network) -> bool {
        let differ = u32::from(self.address) ^ u32::from(other.address);
        // Nothing in common is asked for where a shift is as wide as the address.
        differ.checked_shr(32 - self.bits.min(other.bits)).unwrap_or(0) == 0
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// A /24 network for all, and one for the OSDs among themselves.
pub(crate) fn free(spec: &Spec, dirs: &Dirs) -> Result<Subnets, LabError> {
    let said = |words: &[&str]| run(&mut ip(words)).map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
    let used = used(&said(&["-4", "-oneline", "address"])?, &said(&["-4", "route", "show", "table", "all"])?);
    // Labs of other users that begin at the same time look from different places on.
    let first = u8::from_str_radix(&dirs.tag[..2], 16).unwrap_or(0);
    let cluster = spec.cluster_network.then(|| free_in(&CLUSTER, first, &used)).transpose()?;
    Ok(Subnets { public: free_in(&PUBLIC, first, &used)?, cluster })
}

/// What `ip address` and `ip route` tell, without the default route.
fn used(addresses: &str, routes: &str) -> Vec<Network> {
    let mut used = Vec::new();
    for line in addresses.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let follows = words.windows(2).filter(|pair| matches!(pair[0], "inet" | "peer"));
        used.extend(follows.filter_map(|pair| Network::parse(pair[1])));
    }
    for line in routes.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next().filter(|first| !TO_NOWHERE.contains(first)) else { continue };
        // The kind of a route comes first: `local 10.1.2.3 dev eth0`. That of most is not told.
        used.extend(Network::parse(first).or_else(|| Network::parse(words.next()?)));
    }
    used.retain(|network| network.bits >= LEAST_BITS);
    used
}

/// In the first of these ranges that has one.
fn free_in(ranges: &[[u8; 2]], first: u8, used: &[Network]) -> Result<[u8; 3], LabError> {
    let mut all = ranges.iter().map(|range| free_of(*range, first, used));
    let found = all.next().unwrap_or_else(|| free_of(PUBLIC[0], first, used));
    all.fold(found, |found, other| found.or_else(|error| other.map_err(|_| error)))
}

/// The first free /24 of this range, looked for from its `first` on.
fn free_of([one, second]: [u8; 2], first: u8, used: &[Network]) -> Result<[u8; 3], LabError> {
    let within = |third, bits| Network { address: Ipv4Addr::new(one, second, third, 0), bits };
    let mut candidates = (0..=u8::MAX).map(|step| first.wrapping_add(step));
    let free = candidates.find(|third| !used.iter().any(|one| one.overlaps(within(*third, 24))));
    free.map(|third| [one, second, third]).ok_or_else(|| {
        let range = within(0, 16);
        let mut taken: Vec<&Network> = used.iter().filter(|one| one.overlaps(range)).collect();
        taken.sort_by_key(|one| one.bits);
        let named: Vec<String> = taken.iter().take(NAMED).map(|one| one.to_string()).collect();
        let more = if taken.len() > NAMED { " and others" } else { "" };
        LabError::NoSubnet { range: range.to_string(), taken: named.join(", ") + more }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free_from(first: u8, routes: &str) -> Option<u8> {
        free_of([10, 231], first, &used("", routes)).ok().map(|[_, _, third]| third)
    }

    #[test]
    fn a_subnet_overlaps_no_route_however_wide_that_is() {
        assert_eq!(free_from(5, "default via 192.0.2.1 dev eth0\n192.0.2.0/24 dev eth0 scope link"), Some(5));
        assert_eq!(free_from(5, "10.231.5.0/24 dev br0"), Some(6));
        assert_eq!(free_from(5, "10.231.0.0/20 dev eth0"), Some(16));
        assert_eq!(free_from(5, "local 10.231.5.7 dev eth0 table local\n10.231.6.128/25 dev eth1 table 7"), Some(7));
        assert_eq!(free_from(255, "10.231.255.0/24 dev br0\n10.231.50.0/24 dev br1"), Some(0));
        for whole in ["10.231.0.0/16 dev eth0", "10.230.0.0/15 via 192.0.2.7 dev eth0", "10.0.0.0/8 dev tun0"] {
            assert_eq!(free_from(5, whole), None, "{whole}");
        }
        assert_eq!(free_from(5, "10.230.0.0/16 dev eth0\n10.23.0.0/16 dev eth1\n172.16.0.0/12 dev eth2"), Some(5));
    }

    #[test]
    fn routes_to_nowhere_and_default_routes_take_nothing() {
        let none = "blackhole 10.0.0.0/8\nunreachable 10.231.0.0/16 metric 9\n0.0.0.0/1 dev tun0\n0.0.0.0/0 dev eth0";
        assert_eq!(free_from(5, none), Some(5));
    }

    #[test]
    fn a_subnet_holds_no_address_of_this_host_or_of_the_other_end_of_a_link() {
        let addresses = "1: lo    inet 127.0.0.1/8 scope host lo\\   valid_lft forever\n\
                         2: eth0    inet 10.231.5.9/23 brd 10.231.5.255 scope global eth0\\  valid_lft forever\n\
                         3: tun0    inet 10.8.0.2 peer 10.231.6.1/32 scope global tun0\\  valid_lft forever";
        let free = free_of([10, 231], 4, &used(addresses, ""));
        assert_eq!(free.ok(), Some([10, 231, 7]));
    }

    #[test]
    fn where_all_of_one_range_is_taken_another_one_is() {
        let of = |routes| free_in(&PUBLIC, 5, &used("", routes)).ok();
        assert_eq!(of("192.0.2.0/24 dev eth0"), Some([10, 231, 5]));
        assert_eq!(of("10.0.0.0/8 dev tun0"), Some([198, 19, 5]));
        assert_eq!(of("10.0.0.0/8 dev tun0\n198.18.0.0/15 dev tun0"), None);
    }

    #[test]
    fn where_none_is_free_the_error_says_what_takes_them() {
        let error = free_of([10, 231], 0, &used("", "10.231.7.0/24 dev br0\n10.0.0.0/8 dev tun0"))
            .map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("10.231.0.0/16") && text.contains("10.0.0.0/8, 10.231.7.0/24")));
    }
}
