//! Bonds that spread by host alone.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-bond-hash",
    about: Area::Network,
    what: "A bond spreads what it sends by the addresses of hosts alone.",
    why: "All connections between two hosts then take one leg: with few hosts others stay idle.",
    evidence: "A bond with LACP or balance-xor has two legs and more, and the policy layer2.",
    sources: &["Linux, \"Ethernet Bonding Driver\": xmit_hash_policy"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "xmit_hash_policy=layer3+4 on the host, and its like on the switch",
    risk: "packets of fragmented datagrams may come out of order",
    confirm: "fathom network --hosts LIST: what each of several streams between two hosts carries",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_nics(case, "a bond spreads by host alone", |nic| {
        nic.bond
            .as_ref()
            .filter(|bond| bond.legs.len() > 1)
            .and_then(|bond| bond.spread.clone())
            .filter(|policy| policy == "layer2")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_nic(facts, |nic| nic.bond =
                Some(model::Bond { spread: Some("layer2".into()), ..bond(true) }))),
            ["b"]
        );
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
