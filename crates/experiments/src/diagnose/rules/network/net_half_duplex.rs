//! Links that send or receive, but not both.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-half-duplex",
    about: Area::Network,
    what: "A link of a host with OSDs is half duplex.",
    why: "A failed negotiation: collisions and retransmits.",
    evidence: "The interface with the address of an OSD, or what it is made of, says half duplex.",
    sources: &["Linux, ethtool(8)"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "let both ends negotiate: ethtool -s DEV autoneg on; look at the switch's port",
    risk: "the link is away for seconds",
    confirm: "fathom network --hosts LIST",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_nics(case, "a link is half duplex", |nic| nic.duplex.clone().filter(|duplex| duplex == "half"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.duplex = Some("half".into()))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.duplex = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
