//! The network interfaces of this host: how fast, how large a packet, which addresses.

use super::bonds::bond;
use model::Nic;
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrStorage, socket};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::net::IpAddr;
use std::os::fd::AsRawFd;
use std::path::Path;

const FOLDER: &str = "/sys/class/net";

mod ioctl {
    nix::ioctl_read_bad!(mtu, libc::SIOCGIFMTU, libc::ifreq);
}

type Mac = [u8; 6];

/// Those that are up, loopback left out. In a network namespace these are its own.
pub fn nics() -> Vec<Nic> {
    let mut addresses: BTreeMap<String, Vec<(IpAddr, u32)>> = BTreeMap::new();
    let mut up = Vec::new();
    let mut macs: BTreeMap<String, Mac> = BTreeMap::new();
    for interface in getifaddrs().into_iter().flatten() {
        use nix::net::if_::InterfaceFlags;
        if !interface.flags.contains(InterfaceFlags::IFF_UP) || interface.flags.contains(InterfaceFlags::IFF_LOOPBACK) {
            continue;
        }
        // A label (`eth0:1`) is one more address of the same interface.
        let name = interface.interface_name.split(':').next().unwrap_or_default().to_string();
        if !up.contains(&name) {
            up.push(name.clone());
        }
        if let Some(mac) = interface.address.and_then(|address| address.as_link_addr()?.addr()) {
            macs.insert(name.clone(), mac);
        }
        let Some(address) = interface.address.and_then(ip) else { continue };
        if !matches!(address, IpAddr::V6(own) if own.is_unicast_link_local()) {
            // Without a mask the network is the address alone.
            let whole = if address.is_ipv4() { 32 } else { 128 };
            let prefix = interface.netmask.and_then(ip).map_or(whole, ones);
            addresses.entry(name).or_default().push((address, prefix));
        }
    }
    let nic = |name: String| {
        let own = addresses.remove(&name).unwrap_or_default();
        let networks = own.iter().map(|(address, prefix)| format!("{address}/{prefix}")).collect();
        let seen = of_sysfs(Path::new(FOLDER), &name, macs.get(&name));
        let addresses = own.iter().map(|(address, _)| address.to_string()).collect();
        Nic { addresses, networks, mtu: mtu(&name).or(seen.mtu), ..seen }
    };
    up.into_iter().map(nic).collect()
}

/// Every address of this host in this thread's network namespace, that of loopback interfaces included: hosts that announce their routes
/// themselves have their address there.
pub fn addresses() -> BTreeSet<IpAddr> {
    getifaddrs().into_iter().flatten().filter_map(|interface| interface.address.and_then(ip)).collect()
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

/// What is asked of the kernel about this interface; `None`: no interface has such a long name.
#[allow(unsafe_code)]
pub(crate) fn interface_request(name: &str) -> Option<libc::ifreq> {
    // SAFETY: it consists of numbers, and all zeros are valid ones.
    let mut asked: libc::ifreq = unsafe { std::mem::zeroed() };
    // A byte is left for the zero at the end.
    if name.len() >= asked.ifr_name.len() {
        return None;
    }
    for (to, byte) in asked.ifr_name.iter_mut().zip(name.bytes()) {
        *to = byte as libc::c_char;
    }
    Some(asked)
}

/// The MTU in this thread's network namespace, whichever one the kernel's folder shows.
#[allow(unsafe_code)]
fn mtu(name: &str) -> Option<u32> {
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None).ok()?;
    let mut asked = interface_request(name)?;
    // SAFETY: the kernel reads the name and writes the number, both of which lie in `asked`.
    unsafe { ioctl::mtu(socket.as_raw_fd(), &mut asked) }.ok()?;
    // SAFETY: the call has written this field of the union.
    u32::try_from(unsafe { asked.ifr_ifru.ifru_mtu }).ok()
}

/// The kernel's folder may be another network namespace's: then it may have another interface of the same name, which the hardware
/// address tells apart.
fn of_sysfs(interfaces: &Path, name: &str, mac: Option<&Mac>) -> Nic {
    let folder = interfaces.join(name);
    let text = |file: &str| read_to_string(folder.join(file)).ok().map(|text| text.trim().to_string());
    // InfiniBand's is longer, and begins with what differs.
    let same = |mac: &Mac| text("address").is_some_and(|address| address.starts_with(&words(mac)));
    let plain = Nic { name: name.to_string(), ..Nic::default() };
    if !mac.is_some_and(same) {
        return plain;
    }
    let megabits = text("speed").and_then(|speed| speed.parse::<i64>().ok()).filter(|speed| *speed > 0);
    Nic {
        // A virtual interface claims 10 Gbit/s, whatever lies below it.
        megabits: megabits
            .and_then(|speed| u32::try_from(speed).ok())
            .filter(|_| folder.join("device").exists() || folder.join("bonding").exists()),
        mtu: text("mtu").and_then(|mtu| mtu.parse().ok()),
        bond: bond(interfaces, name),
        ..plain
    }
}

/// As the kernel's folder has it: `52:54:00:12:34:56`.
fn words(mac: &Mac) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_interface_of_the_same_name_elsewhere_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("eth0");
        fs::create_dir_all(own.join("device")).unwrap();
        for (file, text) in [("address", "52:54:00:12:34:56\n"), ("speed", "25000\n"), ("mtu", "9000\n")] {
            fs::write(own.join(file), text).unwrap();
        }
        let seen = |mac: Option<&Mac>| {
            let nic = of_sysfs(folder.path(), "eth0", mac);
            (nic.megabits, nic.mtu)
        };
        assert_eq!(seen(Some(&[0x52, 0x54, 0, 0x12, 0x34, 0x56])), (Some(25_000), Some(9000)));
        assert_eq!(seen(Some(&[0x52, 0x54, 0, 0x12, 0x34, 0x57])), (None, None));
        assert_eq!(seen(None), (None, None));
    }

    #[test]
    fn loopback_is_an_address_of_this_host_and_a_reserved_one_is_not() {
        let own = addresses();
        assert!(own.contains(&"127.0.0.1".parse().unwrap()), "{own:?}");
        assert!(!own.contains(&"203.0.113.1".parse().unwrap()), "{own:?}");
    }

    #[test]
    fn the_kernel_tells_the_mtu_of_an_interface_by_its_name() {
        assert!(mtu("lo").is_some_and(|bytes| bytes >= 1280), "{:?}", mtu("lo"));
        assert_eq!(mtu("none-such"), None);
        assert_eq!(mtu("a-name-that-is-longer-than-any"), None);
    }
}
