//! When a network interface of this host interrupts a processor, by the kernel's interface for it (linux/ethtool.h).

use crate::here::nics::interface_request;
use model::host_setting::COALESCED;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use std::io;
use std::os::fd::AsRawFd;

/// `struct ethtool_coalesce`: the command, then its 22 values.
type Values = [u32; 23];

const GET: u32 = 0x0e;
const SET: u32 = 0x0f;
/// Where each of [`COALESCED`] lies in it.
const PLACES: [usize; COALESCED.len()] = [1, 2, 5, 6, 10, 11];

/// # Errors
/// There is no such interface, or its driver does not tell.
pub fn read(nic: &str, what: &str) -> Result<String, String> {
    let value = all(nic)?[place(what)?];
    Ok(match (what.starts_with("adaptive"), value) {
        (false, number) => number.to_string(),
        (true, 0) => "off".to_string(),
        (true, _) => "on".to_string(),
    })
}

/// All others stay as they are.
///
/// # Errors
/// There is no such interface, or its driver does not take the value.
pub fn write(nic: &str, what: &str, value: &str) -> Result<(), String> {
    let mut values = all(nic)?;
    values[place(what)?] = match value {
        "on" => 1,
        "off" => 0,
        number => number.parse().map_err(|_| format!("coalescing.{nic}.{what}: `{value}` is no number"))?,
    };
    ask(nic, SET, &mut values).map_err(|error| match error.raw_os_error() {
        Some(libc::EINVAL | libc::EOPNOTSUPP) => format!("{nic}: its driver does not take {what} {value}"),
        _ => said(nic, &error),
    })
}

fn place(what: &str) -> Result<usize, String> {
    let found = COALESCED.iter().position(|known| *known == what).map(|index| PLACES[index]);
    found.ok_or_else(|| format!("{what} is none of {}", COALESCED.join(", ")))
}

fn all(nic: &str) -> Result<Values, String> {
    let mut values = Values::default();
    ask(nic, GET, &mut values).map_err(|error| said(nic, &error))?;
    Ok(values)
}

fn said(nic: &str, error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENODEV) => format!("the network interface {nic} is not there: this host does not have it"),
        Some(libc::EOPNOTSUPP) => format!("{nic}: its driver has no interrupt coalescing"),
        Some(libc::EPERM) => format!("{nic}: {error}; it wants root's rights (of an agent: --sudo)"),
        _ => format!("{nic}: {error}"),
    }
}

#[allow(unsafe_code)]
fn ask(nic: &str, command: u32, values: &mut Values) -> io::Result<()> {
    values[0] = command;
    let mut request = interface_request(nic).ok_or_else(|| io::Error::from_raw_os_error(libc::ENODEV))?;
    request.ifr_ifru.ifru_data = values.as_mut_ptr().cast();
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    // SAFETY: the request and the values behind its pointer live through the call, and for these two commands the kernel reads and writes
    // no more than `struct ethtool_coalesce`.
    unsafe { ioctl::ethtool(socket.as_raw_fd(), &mut request) }?;
    Ok(())
}

mod ioctl {
    nix::ioctl_readwrite_bad!(ethtool, libc::SIOCETHTOOL, libc::ifreq);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_interface_does_not_have_is_told() {
        assert!(read("none0", "rx-usecs").unwrap_err().contains("this host does not have it"));
        assert_eq!(read("lo", "rx-usecs").unwrap_err(), "lo: its driver has no interrupt coalescing");
        assert!(write("lo", "rx-usecs", "7").is_err());
        assert!(read("lo", "pkt-rate-low").is_err());
    }

    /// As the kernel's own header has them.
    #[test]
    fn places_are_those_of_the_header() {
        let header = std::fs::read_to_string("/usr/include/linux/ethtool.h")
            .expect("the kernel's headers: make test installs them");
        let body = header.split_once("struct ethtool_coalesce {").unwrap().1.split_once('}').unwrap().0;
        let fields: Vec<&str> =
            body.lines().filter_map(|line| line.trim().strip_prefix("__u32\t")?.strip_suffix(';')).collect();
        assert_eq!(fields.len(), Values::default().len());
        let named = PLACES.map(|place| fields[place]);
        let expected = [
            "rx_coalesce_usecs",
            "rx_max_coalesced_frames",
            "tx_coalesce_usecs",
            "tx_max_coalesced_frames",
            "use_adaptive_rx_coalesce",
            "use_adaptive_tx_coalesce",
        ];
        assert_eq!(named, expected);
    }
}
