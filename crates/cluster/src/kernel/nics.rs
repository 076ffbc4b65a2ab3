//! What network interfaces moved (/proc/net/dev), and how much TCP sent again (/proc/net/snmp).

use model::NicSecond;
use procfs::net::DeviceStatus;
use std::collections::HashMap;

/// TCP segments of this network namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    pub sent: u64,
    /// How many of these were sent again.
    pub again: u64,
}

/// By name.
pub type Nics = HashMap<String, DeviceStatus>;

/// All but loopback.
pub fn between(before: &Nics, now: &Nics, seconds: f64) -> Vec<NicSecond> {
    let lost = |nic: &DeviceStatus| nic.recv_errs + nic.recv_drop + nic.sent_errs + nic.sent_drop;
    let rate = |before: u64, now: u64| now.saturating_sub(before) as f64 / seconds;
    let both = now.iter().filter_map(|(name, now)| Some((name, before.get(name)?, now)));
    let second = |(name, before, now): (&String, &DeviceStatus, &DeviceStatus)| NicSecond {
        name: name.clone(),
        sent: rate(before.sent_bytes, now.sent_bytes),
        received: rate(before.recv_bytes, now.recv_bytes),
        lost: lost(now).saturating_sub(lost(before)),
    };
    let mut all: Vec<NicSecond> = both.filter(|(name, ..)| *name != "lo").map(second).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Two lines of each protocol: names, and numbers in their order.
pub fn segments(snmp: &str) -> Segments {
    let mut lines = snmp.lines().filter_map(|line| line.strip_prefix("Tcp:"));
    let (Some(names), Some(numbers)) = (lines.next(), lines.next()) else { return Segments::default() };
    let of = |wanted: &str| {
        let pairs = names.split_whitespace().zip(numbers.split_whitespace());
        pairs.filter(|(name, _)| *name == wanted).find_map(|(_, number)| number.parse().ok()).unwrap_or(0)
    };
    Segments { sent: of("OutSegs"), again: of("RetransSegs") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use procfs::FromRead;
    use procfs::net::InterfaceDeviceStatus;
    use proptest::prelude::*;

    fn nics(text: &str) -> Nics {
        InterfaceDeviceStatus::from_read(text.as_bytes()).unwrap().0
    }

    const HEADING: &str = "Inter-|   Receive  |  Transmit\n face |bytes packets errs drop|bytes packets errs drop\n";

    #[test]
    fn bytes_and_losses_are_of_the_time_between() {
        let before = nics(&format!(
            "{HEADING}  eth0: 100 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n    lo: 5 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n"
        ));
        let now = nics(&format!("{HEADING}  eth0: 300 1 1 2 0 0 0 0 5000 1 3 4 0 0 0 0\n"));
        let expected = NicSecond { name: "eth0".into(), sent: 2000.0, received: 100.0, lost: 10 };
        assert_eq!(between(&before, &now, 2.0), [expected]);
    }

    #[test]
    fn segments_are_found_by_their_names() {
        let snmp = "Ip: Forwarding\nIp: 1\nTcp: RtoMin MaxConn OutSegs RetransSegs\nTcp: 200 -1 5000 7\n";
        assert_eq!(segments(snmp), Segments { sent: 5000, again: 7 });
        assert_eq!(segments("Tcp: OutSegs\n"), Segments::default());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".{0,200}") {
            segments(&text);
        }
    }
}
