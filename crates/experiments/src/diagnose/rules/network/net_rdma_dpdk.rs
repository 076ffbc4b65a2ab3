//! Another transport than the kernel's TCP.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-rdma-dpdk",
    about: Area::Network,
    what: "Daemons talk by RDMA or DPDK in place of the kernel's TCP.",
    why: "It is experimental; in an independent test it crashed or brought nothing, since the network is the smaller part of an operation's time.",
    evidence: "ms_type, ms_cluster_type or ms_public_type is set to another value than async+posix. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)", "Ceph's source: src/common/options"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "daemons restart, one host at a time",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    ["ms_type", "ms_cluster_type", "ms_public_type"]
        .iter()
        .flat_map(|name| {
            of_settings(
                case,
                name,
                |option| !["", "async", "async+posix"].contains(&option.value.as_str()),
                "daemons use another transport than TCP",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "ms_type", "async+rdma")), ["global/ms_type"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "ms_type", "async+posix")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
