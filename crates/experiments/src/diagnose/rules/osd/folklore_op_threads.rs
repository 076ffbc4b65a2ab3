//! Options that were removed long ago.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-op-threads",
    about: Area::Osd,
    what: "Options are set that were removed long ago.",
    why: "Guides still name them; nothing reads them.",
    evidence: "One of osd_op_threads, osd_disk_threads, osd_recovery_threads, osd_disk_thread_ioprio_class, bluefs_preextend_wal_files, ms_nocrc is set. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's source: src/common/options: none of them is there any more, or has a use"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "none that is known",
    confirm: "nothing changes without it: fathom run before and after, then fathom compare",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    [
        "osd_op_threads",
        "osd_disk_threads",
        "osd_recovery_threads",
        "osd_disk_thread_ioprio_class",
        "bluefs_preextend_wal_files",
        "ms_nocrc",
    ]
    .iter()
    .flat_map(|name| of_settings(case, name, |_| true, "an option that nothing reads is set: folklore"))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_op_threads", "4")), ["osd/osd_op_threads"]);
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
