//! Interfaces of a host that share its traffic as one, and what is wrong with them.

use crate::phrase;
use crate::phrase::{Phrase, Quantity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bond {
    /// `802.3ad`, `active-backup`.
    pub mode: String,
    /// What of a packet decides on its leg: `layer3+4`. Of `layer2` all that goes to one host takes one leg.
    pub spread: Option<String>,
    pub legs: Vec<Leg>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Leg {
    pub name: String,
    pub up: bool,
    /// As negotiated; `None`: the driver does not say.
    pub megabits: Option<u32>,
    pub full_duplex: Option<bool>,
    /// How often its link has failed since it joined.
    pub failures: Option<u64>,
    /// It belongs to another aggregate (LACP) than the one in use, and carries nothing.
    pub apart: bool,
}

/// A bond of a host that takes part in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostBond {
    /// As it stands in the list of hosts.
    pub host: String,
    pub nic: String,
    /// Its own; none: a bridge or a VLAN on it has them, or an older run did not tell.
    #[serde(default)]
    pub addresses: Vec<String>,
    pub bond: Bond,
}

impl Bond {
    /// In words, what keeps a leg from carrying its part.
    pub fn faults(&self) -> Vec<Phrase> {
        // One leg at a time: the spare may be a slower one.
        let fastest = self.legs.iter().filter_map(|leg| leg.megabits).max().filter(|_| self.mode != "active-backup");
        let of = |leg: &Leg| {
            let what = match leg {
                Leg { up: false, .. } => phrase!(" is down"),
                Leg { apart: true, .. } => phrase!(" is in another aggregate than the one in use"),
                Leg { full_duplex: Some(false), .. } => phrase!(" is half duplex"),
                Leg { megabits: Some(own), .. } if fastest.is_some_and(|best| *own < best) => {
                    let best = Quantity::Megabits(fastest?);
                    phrase!(" runs at {} and another leg at {}", Quantity::Megabits(*own), best)
                }
                _ => return None,
            };
            Some(phrase!("{}{}", leg.name.as_str(), what))
        };
        let mut faults: Vec<Phrase> = self.legs.iter().filter_map(of).collect();
        match self.legs.len() {
            0 => faults.push("it has no legs".into()),
            1 => faults.push("it has one leg".into()),
            _ => {}
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(name: &str) -> Leg {
        Leg { name: name.into(), up: true, megabits: Some(10_000), full_duplex: Some(true), ..Leg::default() }
    }

    fn faults(second: Leg) -> Vec<Phrase> {
        Bond { legs: vec![leg("eth0"), second], ..Bond::default() }.faults()
    }

    #[test]
    fn a_leg_that_is_unlike_the_others_is_named() {
        assert_eq!(faults(leg("eth1")), []);
        assert_eq!(faults(Leg { up: false, ..leg("eth1") }), ["eth1 is down".into()]);
        assert_eq!(
            faults(Leg { megabits: Some(1000), ..leg("eth1") }),
            [phrase!("eth1 runs at {} and another leg at {}", Quantity::Megabits(1000), Quantity::Megabits(10_000))]
        );
        assert_eq!(faults(Leg { full_duplex: Some(false), ..leg("eth1") }), ["eth1 is half duplex".into()]);
        assert_eq!(
            faults(Leg { apart: true, ..leg("eth1") }),
            ["eth1 is in another aggregate than the one in use".into()]
        );
        assert_eq!(faults(Leg { megabits: None, full_duplex: None, ..leg("eth1") }), []);
        let alone = Bond { legs: vec![leg("eth0")], ..Bond::default() };
        assert_eq!(alone.faults(), ["it has one leg".into()]);
    }
}
