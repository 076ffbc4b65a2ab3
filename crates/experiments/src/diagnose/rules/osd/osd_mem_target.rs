//! OSDs with little memory for caches.

use crate::diagnose::facts::prelude::*;
use crate::diagnose::memory_target::{TUNED, is_tuned};
use crate::diagnose::origins::FROM_POD;

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
    special_fixes: &[&FROM_POD, &AUTOTUNED],
    risk: "memory: 20 % more than the sum of all targets should be free",
    confirm: "fathom run before and after the change, the second when caches have had hours under the usual load to fill, then fathom compare",
    ..Rule::OF_FACTS
};

static AUTOTUNED: Fix = Fix {
    when: TUNED,
    what: "cephadm writes over what is set by hand: give OSDs a larger share of their host's memory (ceph config set mgr mgr/cephadm/autotune_memory_target_ratio SHARE; 0.7 unless set), or leave a host out of it (ceph config set osd/host:HOST osd_memory_target_autotune false) and set osd/host:HOST osd_memory_target to 4294967296",
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = of_settings(
        case,
        "osd_memory_target",
        |option| number(option).is_some_and(|bytes| bytes < LEAST),
        "OSDs have little memory for caches",
    );
    let mended = |one: Suspect| match &one.subject {
        Subject::Setting { who, .. } if one.fix.is_none() && is_tuned(case, who) => {
            Suspect { fix: Some(AUTOTUNED.what.to_string()), ..one }
        }
        _ => one,
    };
    found.into_iter().map(mended).collect()
}

/// 4 GiB, as cephadm rounds it.
const LEAST: f64 = 4.0 * 1_073_741_824.0 * 0.98;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::Facts;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_memory_target", "2147483648")),
            ["osd/osd_memory_target"]
        );
    }

    #[test]
    fn it_is_changed_where_it_is_set() {
        let fix = |change: fn(&mut Facts)| suspects(&RULE, change).remove(0).fix.unwrap_or_default();
        let closer = |facts: &mut Facts, origin| set_closer(facts, "osd.0", "osd_memory_target", "2147483648", origin);
        assert_eq!(fix(|facts| set(facts, "osd", "osd_memory_target", "2147483648")), "", "the rule's own");
        let pod = suspects(&RULE, |facts| closer(facts, "env")).remove(0).fix.unwrap_or_default();
        assert!(pod.contains("CephCluster") && !pod.contains("config unset"), "{pod}");
        let unit = suspects(&RULE, |facts| closer(facts, "cmdline")).remove(0).fix.unwrap_or_default();
        assert!(unit.contains("its unit") && !unit.contains("config unset"), "{unit}");
        let tuned = fix(|facts| {
            facts.cluster.manager_modules = Some(vec!["cephadm".into()]);
            set(facts, "osd", "osd_memory_target_autotune", "true");
            set(facts, "osd/host:b", "osd_memory_target", "2147483648")
        });
        assert!(tuned.contains("mgr/cephadm/autotune_memory_target_ratio"), "{tuned}");
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
