//! Several OSDs on one hard disk.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-multi-per-hdd",
    about: Area::Osd,
    what: "Several OSDs share a hard disk, or an SSD behind SATA.",
    why: "Each seeks away from where the other was; two do less together than one.",
    evidence: "Two OSDs of a host have data on one disk that is no NVMe.",
    sources: &["Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "make one OSD of each disk",
    risk: "data are made anew elsewhere meanwhile",
    confirm: "fathom osd: each alone does far more than all at once",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_shared_disks(case, |osd| osd.on_disks() && !osd.on_nvme(), 1, "several OSDs share a disk")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                each_osd(facts, |osd| osd.data_devices = vec!["sda".into()])
            }),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, hard_disks), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
