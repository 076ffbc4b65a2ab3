//! Hosts whose packets differ in size.

use crate::diagnose::facts::prelude::*;
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "net-mtu-mixed",
    about: Area::Network,
    what: "Hosts with OSDs send packets of different sizes.",
    why: "What is larger than the receiver takes is lost where nobody may cut it up: small operations are well, large ones hang.",
    evidence: "Interfaces with the OSDs' public addresses have different MTUs.",
    sources: &["Ceph's documentation, \"Cephadm Operations: CEPHADM_CHECK_MTU\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "give all hosts of a network the same MTU (ip link set DEV mtu N), and in the configuration that survives a restart",
    risk: "a wrong MTU cuts a host off: one host at a time",
    confirm: "fathom network --hosts LIST proves the packet sizes of every way",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut values: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for host in case.hosts() {
        let own = host.nics.iter().filter(|nic| {
            !nic.addresses.is_empty()
                && case
                    .osds()
                    .iter()
                    .any(|osd| osd.public_address.as_ref().is_some_and(|address| nic.addresses.contains(address)))
        });
        own.filter_map(|nic| nic.mtu).for_each(|value| values.entry(value).or_default().push(&host.name));
    }
    if values.len() < 2 {
        return Vec::new();
    }
    let told = values.iter().map(|(value, hosts)| format!("{value}: {}", hosts.join(" ")));
    listed(told).map_or(Vec::new(), |all| of_cluster("packets of hosts differ in size", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.mtu = Some(1500))), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_nic(facts, |nic| nic.mtu = Some(1500))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
