//! OSDs with little memory for caches.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-mem-target",
    about: Area::Osd,
    what: "OSDs are told to make do with little memory.",
    why: "From 4 to 8 GiB a test of 2020 gained 14 % of random reads and 15 to 31 % of mixed and random writes; below 2 GiB OSDs become very slow, say the docs.",
    evidence: "osd_memory_target is set below 4 GiB (default 4 GiB). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Ceph's documentation, \"Hardware Recommendations\"",
        "Red Hat, \"Ceph Storage 4 on NVMe\", part 4 (2020)",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "where the host has the memory: ceph config set WHO OPTION 4294967296, or 8589934592 on NVMe",
    risk: "memory: 20 % more than the sum of all targets should be free",
    confirm: "fathom run --ab option:WHO/OPTION=8589934592 compares both, in turns; caches need time to fill",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "osd_memory_target",
        |option| number(option).is_some_and(|bytes| bytes < LEAST),
        "OSDs have little memory for caches",
    )
}

/// 4 GiB, as cephadm rounds it.
const LEAST: f64 = 4.0 * 1_073_741_824.0 * 0.98;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_memory_target", "2147483648")),
            ["osd/osd_memory_target"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_memory_target", "8589934592")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
