//! More OSDs on a drive than bring anything.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-per-nvme",
    about: Area::Osd,
    what: "More than two OSDs share an NVMe drive.",
    why: "Since Pacific two bring little below 16 threads for each drive, and more than two nothing in a test of 2020; each takes memory and processors.",
    evidence: "More than two OSDs of a host have data on one NVMe drive.",
    sources: &["ceph.io blog, 2023: reef-osds-per-nvme", "Red Hat, \"Ceph Storage 4 on NVMe\", part 4 (2020)"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "make new drives with one OSD each, or two where processors are idle and the tail matters",
    risk: "data are made anew elsewhere meanwhile",
    confirm: "fathom osd measures each OSD alone and all at once",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_shared_disks(case, OsdFacts::on_nvme, 2, "more OSDs on a drive than bring anything")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| each_osd(facts, |osd| if osd.id < 3 {
                (osd.host, osd.data_devices) = ("a".into(), vec!["nvme0n1".into()])
            })),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_osd(facts, |osd| osd.data_devices = vec!["nvme0n1".into()])), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
