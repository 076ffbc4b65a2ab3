//! What network interfaces moved (/proc/net/dev), and how much TCP sent again (/proc/net/snmp).

use model::NicSecond;
use std::collections::BTreeMap;

/// Since the interface came up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NicCount {
    received: u64,
    sent: u64,
    lost: u64,
}

/// TCP segments of this network namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    pub sent: u64,
    /// Of these again.
    pub again: u64,
}

/// All but loopback.
pub fn nics(dev: &str) -> BTreeMap<String, NicCount> {
    dev.lines().filter_map(line).filter(|(name, _)| name != "lo").collect()
}

/// `eth0: bytes packets errs drop fifo frame compressed multicast bytes packets errs drop fifo colls carrier compressed`
fn line(line: &str) -> Option<(String, NicCount)> {
    let (name, rest) = line.split_once(':')?;
    let numbers: Vec<u64> = rest.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let at = |index: usize| numbers.get(index).copied();
    let lost = [at(2)?, at(3)?, at(10)?, at(11)?].iter().fold(0u64, |sum, one| sum.saturating_add(*one));
    Some((name.trim().to_string(), NicCount { received: at(0)?, sent: at(8)?, lost }))
}

pub fn between(before: &BTreeMap<String, NicCount>, now: &BTreeMap<String, NicCount>, seconds: f64) -> Vec<NicSecond> {
    let both = now.iter().filter_map(|(name, now)| Some((name, before.get(name)?, now)));
    both.map(|(name, before, now)| NicSecond {
        name: name.clone(),
        sent: now.sent.saturating_sub(before.sent) as f64 / seconds,
        received: now.received.saturating_sub(before.received) as f64 / seconds,
        lost: now.lost.saturating_sub(before.lost),
    })
    .collect()
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
    use proptest::prelude::*;

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
        fn any_text_is_survived(text in ".{0,200}", dev in "( eth[0-9]: [0-9 ]{0,60}\n){0,3}") {
            segments(&text);
            between(&nics(&text), &nics(&dev), 1.0);
            between(&nics(&dev), &nics(&text), 1.0);
        }
    }
}
