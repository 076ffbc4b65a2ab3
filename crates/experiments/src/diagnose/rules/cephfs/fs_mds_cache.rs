//! Small caches of metadata servers.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-mds-cache",
    about: Area::CephFs,
    what: "Metadata servers have a small cache.",
    why: "What does not fit is read from the metadata pool again; clients are asked to give back what they hold.",
    evidence: "mds_cache_memory_limit is set below 4 GiB (default 4 GiB; SUSE's guide asks for 16 and more on large file systems).",
    sources: &["SUSE Enterprise Storage 6, \"Tuning Guide\"", "Ceph's documentation, \"MDS Cache Configuration\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set WHO OPTION 17179869184, where the host has the memory",
    risk: "memory: a metadata server takes up to half as much again",
    confirm: "ceph tell mds.NAME cache status; ceph daemon mds.NAME perf dump: mds_mem",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "mds_cache_memory_limit",
        |option| number(option).is_some_and(|bytes| bytes < 4_294_967_296.0 * 0.98),
        "caches of metadata servers are small",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "mds", "mds_cache_memory_limit", "1073741824")),
            ["mds/mds_cache_memory_limit"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "mds", "mds_cache_memory_limit", "17179869184")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
