//! Bonds with a broken leg.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-bond-broken",
    about: Area::Network,
    what: "A bond of a host with OSDs has a leg that carries nothing, or less.",
    why: "Half of the bandwidth is gone, and nobody is told.",
    evidence: "The kernel tells of a bond's leg that is down, slower than another, half duplex, or in another aggregate.",
    sources: &["Linux, \"Ethernet Bonding Driver\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "look at each leg: cat /proc/net/bonding/BOND; ethtool LEG; the switch's group",
    risk: "with one leg out the bond has less spare, or none",
    confirm: "fathom network --hosts LIST: ways of that host carry less",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_nics(case, "a bond has a broken leg", |nic| {
        nic.bond
            .as_ref()
            .filter(|bond| !bond.faults().is_empty())
            .map(|bond| bond.legs.iter().map(|leg| leg.name.as_str()).collect::<Vec<_>>().join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.bond = Some(bond(false)))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.bond = Some(bond(true)))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
