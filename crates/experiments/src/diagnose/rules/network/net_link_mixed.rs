//! Hosts whose links differ in speed.

use crate::diagnose::facts::prelude::*;
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "net-link-mixed",
    about: Area::Network,
    what: "Hosts with OSDs reach the network at different speeds.",
    why: "Copies of a write go to several hosts: the slowest one sets the pace.",
    evidence: "Interfaces with the OSDs' public addresses negotiated different speeds (Mbit/s).",
    sources: &["Ceph's documentation, \"Cephadm Operations: CEPHADM_CHECK_LINKSPEED\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "look at port and cable of the slower ones (ethtool DEV)",
    risk: "none that is known",
    confirm: "fathom network --hosts LIST",
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
        own.filter_map(|nic| nic.megabits).for_each(|value| values.entry(value).or_default().push(&host.name));
    }
    if values.len() < 2 {
        return Vec::new();
    }
    let told = values.iter().map(|(value, hosts)| format!("{value}: {}", hosts.join(" ")));
    listed(told).map_or(Vec::new(), |all| of_cluster("links of hosts differ in speed", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.megabits = Some(10_000))), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_nic(facts, |nic| nic.megabits = Some(10_000))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
