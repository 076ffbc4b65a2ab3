//! Hard disks that carry their own database.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-db-on-hdd",
    about: Area::Device,
    what: "OSDs on hard disks have their database on the same disk.",
    why: "With it on flash a table of measurements has 200 to 390 durable writes a second in place of 75; large reads and writes gain little. For the index of gateways, recovery and scrubs it is much more.",
    evidence: "An OSD on hard disks has no device of its own for its database.",
    sources: &[
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        "ceph.io blog, 2021: qos-study-with-mclock-and-wpq-schedulers",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "give it one: ceph-volume lvm new-db, then migrate (one flash device for a few OSDs)",
    risk: "the flash device is one more thing whose loss takes several OSDs",
    confirm: "fathom osd measures one OSD before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.on_hdd() && osd.dedicated_db == Some(false),
        "hard disks carry their own database",
        |_| "no block.db of its own".into(),
    )
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
                one_osd(facts, |osd| osd.dedicated_db = Some(false));
                each_osd(facts, |osd| {
                    if osd.id != 1 {
                        osd.dedicated_db = Some(true)
                    }
                })
            }),
            ["osd.1"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                each_osd(facts, |osd| osd.dedicated_db = Some(true))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
