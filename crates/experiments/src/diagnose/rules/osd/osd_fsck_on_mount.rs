//! Stores that are checked at every start.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-fsck-on-mount",
    about: Area::Osd,
    what: "An OSD checks its whole store whenever it starts.",
    why: "It takes minutes to hours, in which its data have fewer copies.",
    evidence: "bluestore_fsck_on_mount, bluestore_fsck_on_mount_deep or bluestore_fsck_on_umount is true. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's source: src/common/options"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "errors of the store are found later",
    confirm: "restart one OSD with noout set, with the option and without it",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    ["bluestore_fsck_on_mount", "bluestore_fsck_on_mount_deep", "bluestore_fsck_on_umount"]
        .iter()
        .flat_map(|name| of_settings(case, name, on, "stores are checked at every start"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "bluestore_fsck_on_mount", "true")),
            ["osd/bluestore_fsck_on_mount"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluestore_fsck_on_mount", "false")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
