//! The network interfaces of this host: how fast, how large a packet, which addresses.

use super::bonds::bond;
use model::Nic;
use nix::ifaddrs::getifaddrs;
use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::path::Path;

const FOLDER: &str = "/sys/class/net";

/// Those that are up, loopback left out. In a network namespace these are its own.
pub fn nics() -> Vec<Nic> {
    let mut addresses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut up = Vec::new();
    for interface in getifaddrs().into_iter().flatten() {
        use nix::net::if_::InterfaceFlags;
        if !interface.flags.contains(InterfaceFlags::IFF_UP) || interface.flags.contains(InterfaceFlags::IFF_LOOPBACK) {
            continue;
        }
        if !up.contains(&interface.interface_name) {
            up.push(interface.interface_name.clone());
        }
        let Some(address) = interface.address else { continue };
        let v4 = address.as_sockaddr_in().map(|v4| v4.ip().to_string());
        let v6 = address.as_sockaddr_in6().map(|v6| v6.ip()).filter(|ip| !ip.is_unicast_link_local());
        if let Some(text) = v4.or(v6.map(|ip| ip.to_string())) {
            addresses.entry(interface.interface_name).or_default().push(text);
        }
    }
    up.into_iter()
        .map(|name| Nic { addresses: addresses.remove(&name).unwrap_or_default(), ..of_sysfs(name) })
        .collect()
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
        name,
    }
}
