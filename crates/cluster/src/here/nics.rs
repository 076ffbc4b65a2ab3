//! The network interfaces of this host: how fast, how large a packet, which addresses.

use super::bonds::bond;
use model::Nic;
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::SockaddrStorage;
use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::net::IpAddr;
use std::path::Path;

const FOLDER: &str = "/sys/class/net";

/// Those that are up, loopback left out. In a network namespace these are its own.
pub fn nics() -> Vec<Nic> {
    let mut addresses: BTreeMap<String, Vec<(IpAddr, u32)>> = BTreeMap::new();
    let mut up = Vec::new();
    for interface in getifaddrs().into_iter().flatten() {
        use nix::net::if_::InterfaceFlags;
        if !interface.flags.contains(InterfaceFlags::IFF_UP) || interface.flags.contains(InterfaceFlags::IFF_LOOPBACK) {
            continue;
        }
        if !up.contains(&interface.interface_name) {
            up.push(interface.interface_name.clone());
        }
        let Some(address) = interface.address.and_then(ip) else { continue };
        if !matches!(address, IpAddr::V6(own) if own.is_unicast_link_local()) {
            // Without a mask the network is the address alone.
            let whole = if address.is_ipv4() { 32 } else { 128 };
            let prefix = interface.netmask.and_then(ip).map_or(whole, ones);
            addresses.entry(interface.interface_name).or_default().push((address, prefix));
        }
    }
    let nic = |name: String| {
        let own = addresses.remove(&name).unwrap_or_default();
        let networks = own.iter().map(|(address, prefix)| format!("{address}/{prefix}")).collect();
        Nic { addresses: own.iter().map(|(address, _)| address.to_string()).collect(), networks, ..of_sysfs(name) }
    };
    up.into_iter().map(nic).collect()
}

fn ip(address: SockaddrStorage) -> Option<IpAddr> {
    let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
    v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
}

/// The length of a prefix, of its mask.
fn ones(mask: IpAddr) -> u32 {
    match mask {
        IpAddr::V4(mask) => u32::from(mask).count_ones(),
        IpAddr::V6(mask) => u128::from(mask).count_ones(),
    }
}

/// The kernel's folder may be another network namespace's: then it says nothing of an interface that it does not have.
fn of_sysfs(name: String) -> Nic {
    let folder = Path::new(FOLDER).join(&name);
    let text = |file: &str| read_to_string(folder.join(file)).ok().map(|text| text.trim().to_string());
    let megabits = text("speed").and_then(|speed| speed.parse::<i64>().ok()).filter(|speed| *speed > 0);
    Nic {
        // A virtual interface claims 10 Gbit/s, whatever lies below it.
        megabits: megabits
            .and_then(|speed| u32::try_from(speed).ok())
            .filter(|_| folder.join("device").exists() || folder.join("bonding").exists()),
        mtu: text("mtu").and_then(|mtu| mtu.parse().ok()),
        bond: bond(Path::new(FOLDER), &name),
        addresses: Vec::new(),
        networks: Vec::new(),
        name,
    }
}
