//! Hosts with different kernels.

use crate::diagnose::facts::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

pub static RULE: Rule = Rule {
    id: "kern-mixed",
    about: Area::Host,
    what: "Hosts with OSDs run different kernels.",
    why: "Where some hosts are slower than others, what differs between them is the first thing to look at.",
    evidence: "OSDs of different hosts tell different kernel releases.",
    sources: &["ceph.io docs, \"Cephadm Operations\": the configuration check kernel_version"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "bring all hosts to one kernel",
    risk: "hosts restart",
    confirm: "fathom diagnose: are the hosts with the other kernel slower than the others?",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut kernels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for osd in case.osds() {
        if let Some(kernel) = &osd.kernel {
            kernels.entry(kernel).or_default().insert(&osd.host);
        }
    }
    if kernels.len() < 2 {
        return Vec::new();
    }
    let told = kernels
        .iter()
        .map(|(kernel, hosts)| format!("{kernel} on {}", hosts.iter().copied().collect::<Vec<_>>().join(" ")));
    listed(told).map_or(Vec::new(), |all| of_cluster("hosts with OSDs run different kernels", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.host, osd.kernel) = ("d".into(), Some("5.4.0".into())))),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_osd(facts, |osd| osd.kernel = Some("5.4.0".into()))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
