//! What the kernel tells of a bond and its legs (`/sys/class/net/BOND/bonding`, `/sys/class/net/LEG/bonding_slave`).

use model::{Bond, Leg};
use std::fs::read_to_string;
use std::path::Path;

/// `interfaces`: `/sys/class/net`. `None`: it is no bond.
pub fn bond(interfaces: &Path, name: &str) -> Option<Bond> {
    let own = |file: &str| text(&interfaces.join(name).join("bonding").join(file));
    // `802.3ad 4`: the word and its number.
    let mode = own("mode")?;
    let word = |text: String| text.split_whitespace().next().map(str::to_string);
    // Without LACP the kernel has neither a number here, nor one for a leg.
    let in_use = own("ad_aggregator").and_then(|number| number.parse().ok());
    let legs = own("slaves").unwrap_or_default();
    let legs = legs.split_whitespace().map(|leg| self::leg(interfaces, leg, in_use)).collect();
    let mode = word(mode)?;
    // The kernel shows a policy for every mode; these go by it.
    let spreads = ["802.3ad", "balance-xor", "balance-tlb"].contains(&mode.as_str());
    Some(Bond { spread: own("xmit_hash_policy").and_then(word).filter(|_| spreads), mode, legs })
}

fn leg(interfaces: &Path, name: &str, in_use: Option<u32>) -> Leg {
    let folder = interfaces.join(name);
    let (own, part) =
        (|file: &str| text(&folder.join(file)), |file: &str| text(&folder.join("bonding_slave").join(file)));
    let megabits = own("speed").and_then(|speed| speed.parse::<i64>().ok()).filter(|speed| *speed > 0);
    let aggregate: Option<u32> = part("ad_aggregator_id").and_then(|number| number.parse().ok());
    Leg {
        up: part("mii_status").as_deref() == Some("up"),
        megabits: megabits.and_then(|speed| u32::try_from(speed).ok()),
        full_duplex: own("duplex").filter(|duplex| duplex != "unknown").map(|duplex| duplex == "full"),
        failures: part("link_failure_count").and_then(|count| count.parse().ok()),
        apart: aggregate.is_some_and(|own| in_use.is_some_and(|used| own != used)),
        name: name.to_string(),
    }
}

fn text(path: &Path) -> Option<String> {
    read_to_string(path).ok().map(|text| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Phrase, Quantity, phrase};
    use std::fs;

    /// As Linux 6.1 shows a bond of two legs.
    fn made(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let plain = [
            ("bond0/bonding/mode", "802.3ad 4\n"),
            ("bond0/bonding/xmit_hash_policy", "layer3+4 1\n"),
            ("bond0/bonding/slaves", "eth0 eth1\n"),
            ("bond0/bonding/ad_aggregator", "1\n"),
            ("eth0/bonding_slave/mii_status", "up\n"),
            ("eth0/bonding_slave/link_failure_count", "0\n"),
            ("eth0/bonding_slave/ad_aggregator_id", "1\n"),
            ("eth0/speed", "25000\n"),
            ("eth0/duplex", "full\n"),
            ("eth1/bonding_slave/mii_status", "up\n"),
            ("eth1/bonding_slave/link_failure_count", "0\n"),
            ("eth1/bonding_slave/ad_aggregator_id", "1\n"),
            ("eth1/speed", "25000\n"),
            ("eth1/duplex", "full\n"),
        ];
        for (file, text) in plain.iter().chain(files) {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn faults(files: &[(&str, &str)]) -> Vec<Phrase> {
        bond(made(files).path(), "bond0").unwrap().faults()
    }

    #[test]
    fn a_whole_bond_is_read_and_has_no_fault() {
        let whole = bond(made(&[]).path(), "bond0").unwrap();
        assert_eq!((whole.mode.as_str(), whole.spread.as_deref()), ("802.3ad", Some("layer3+4")));
        let leg = |name: &str| Leg {
            name: name.into(),
            up: true,
            megabits: Some(25_000),
            full_duplex: Some(true),
            failures: Some(0),
            apart: false,
        };
        assert_eq!(whole.legs, [leg("eth0"), leg("eth1")]);
        assert_eq!(whole.faults(), []);
        assert_eq!(bond(made(&[]).path(), "eth0"), None);
    }

    #[test]
    fn a_bad_leg_is_told() {
        // A leg without a link has no speed.
        let down = [("eth1/bonding_slave/mii_status", "down\n"), ("eth1/speed", "-1\n"), ("eth1/duplex", "unknown\n")];
        assert_eq!(faults(&down), ["eth1 is down".into()]);
        assert_eq!(
            faults(&[("eth1/speed", "1000\n")]),
            [phrase!("eth1 runs at {} and another leg at {}", Quantity::Megabits(1000), Quantity::Megabits(25_000))]
        );
        assert_eq!(faults(&[("eth0/duplex", "half\n")]), ["eth0 is half duplex".into()]);
        let apart = [("eth1/bonding_slave/ad_aggregator_id", "2\n")];
        assert_eq!(faults(&apart), ["eth1 is in another aggregate than the one in use".into()]);
        assert_eq!(faults(&[("bond0/bonding/slaves", "eth0\n")]), ["it has one leg".into()]);
    }

    #[test]
    fn without_lacp_there_are_no_aggregates_and_a_slower_spare_is_no_fault() {
        let folder = made(&[
            ("bond0/bonding/mode", "active-backup 1\n"),
            ("bond0/bonding/xmit_hash_policy", "layer2 0\n"),
            ("bond0/bonding/ad_aggregator", ""),
            ("eth0/bonding_slave/ad_aggregator_id", "N/A\n"),
            ("eth1/bonding_slave/ad_aggregator_id", "N/A\n"),
            ("eth1/speed", "1000\n"),
        ]);
        let found = bond(folder.path(), "bond0").unwrap();
        assert_eq!((found.mode.as_str(), found.spread.as_deref()), ("active-backup", None));
        assert_eq!(found.faults(), []);
    }
}
