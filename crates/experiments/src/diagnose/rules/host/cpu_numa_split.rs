//! OSDs whose network and disks are on different sockets.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cpu-numa-split",
    about: Area::Host,
    what: "Network card and disks of OSDs are on different sockets.",
    why: "Every byte then crosses the link between the sockets. What it costs Ceph was not measured in public.",
    evidence: "An OSD says that its network is on another NUMA node than its store.",
    sources: &["SUSE Enterprise Storage 6, \"Tuning Guide\"", "Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "put cards of both kinds on each socket, or pin OSDs to that of their disk: ceph config set osd.N osd_numa_node NODE",
    risk: "OSDs may be spread unevenly over the sockets",
    confirm: "fathom osd before and after pinning one OSD",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| {
            osd.network_numa_node
                .zip(osd.store_numa_node)
                .is_some_and(|(network, store)| network >= 0 && store >= 0 && network != store)
        },
        "network and disks on different sockets",
        |osd| {
            phrase!(
                "network on node {}, store on node {}",
                osd.network_numa_node.unwrap_or(-1).to_string(),
                osd.store_numa_node.unwrap_or(-1).to_string()
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.network_numa_node, osd.store_numa_node) =
                (Some(0), Some(1)))),
            ["osd.1"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.network_numa_node, osd.store_numa_node) =
                (Some(-1), Some(1)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
