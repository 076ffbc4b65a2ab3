//! Options of a store that is gone.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-filestore-options",
    about: Area::Osd,
    what: "Options of FileStore and its journal are set, which nothing reads on BlueStore.",
    why: "They come from old guides. They do nothing, and hide what is meant.",
    evidence: "An option of FileStore or of its journal is set. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's release notes, v18.2.0 Reef: FileStore is removed"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "none on BlueStore",
    confirm: "nothing changes without it: fathom run before and after, then fathom compare",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    [
        "filestore_max_sync_interval",
        "filestore_min_sync_interval",
        "filestore_queue_max_ops",
        "filestore_op_threads",
        "filestore_wbthrottle_enable",
        "journal_max_write_bytes",
        "journal_max_write_entries",
        "journal_queue_max_ops",
    ]
    .iter()
    .flat_map(|name| of_settings(case, name, |_| true, "options of FileStore are set: folklore"))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "filestore_max_sync_interval", "10")),
            ["osd/filestore_max_sync_interval"]
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
