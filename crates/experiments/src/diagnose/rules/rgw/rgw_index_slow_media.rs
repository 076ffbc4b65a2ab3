//! Indexes of buckets on hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-index-slow-media",
    about: Area::Rgw,
    what: "The indexes of buckets lie on hard disks.",
    why: "Every PUT takes three round trips, of which two wait for the index: without an index one hard disk took 288 in place of 135 objects a second.",
    evidence: "The rule of a pool whose name ends in buckets.index reaches OSDs of the class hdd, and not all of these have their database, in which indexes lie, on flash of its own.",
    sources: &[
        "ceph.io blog, 2023: reef-freeze-rgw-performance",
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
    ],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush)],
    suspect,
    fix: ON_SSD,
    special_fixes: &[&NO_SSD, &LIKE_ITS_OWN],
    risk: "indexes move",
    confirm: "PUT many small objects before and after",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = of_pools(
        case,
        |pool| pool.name.ends_with("buckets.index") && omap_on_hard_disks(case, pool),
        "indexes of buckets on hard disks",
        |_| "its rule reaches the class hdd".into(),
    );
    onto_flash(case, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::Facts;

    fn index_on_hard_disks(facts: &mut Facts) {
        and_pool(facts, "default.rgw.buckets.index", |pool| {
            (pool.applications, pool.pg_num, pool.stored) = (vec!["rgw".into()], Some(64), Some(1 << 30))
        });
        hard_disks(facts);
        facts.cluster.crush_rules.as_mut().unwrap()[0].reaches = Some([("hdd".to_string(), 6)].into());
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, index_on_hard_disks), ["pool default.rgw.buckets.index"]);
    }

    #[test]
    fn an_index_in_databases_on_flash_is_no_hint() {
        let apart = |osd: &mut OsdFacts| (osd.dedicated_db, osd.db_rotational) = (Some(true), Some(false));
        assert_eq!(
            told(&RULE, |facts| {
                index_on_hard_disks(facts);
                each_osd(facts, apart)
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                index_on_hard_disks(facts);
                one_osd(facts, apart)
            }),
            ["pool default.rgw.buckets.index"],
            "of the others the index lies on the hard disk"
        );
    }

    #[test]
    fn a_class_that_is_not_there_is_not_advised() {
        let fix = |change: fn(&mut OsdFacts)| {
            let told = suspects(&RULE, |facts| {
                index_on_hard_disks(facts);
                one_osd(facts, change)
            });
            told.into_iter().find_map(|one| one.fix).unwrap()
        };
        assert!(fix(|osd| osd.class = Some("ssd".into())).contains("default host ssd;"));
        assert!(fix(|_| ()).contains("default host CLASS;"));
    }

    #[test]
    fn the_index_stays_in_as_many_racks_and_of_a_stretched_rule_no_command_is_given() {
        let fix = |change: fn(&mut model::facts::CrushRule)| {
            let told = suspects(&RULE, |facts| {
                index_on_hard_disks(facts);
                one_osd(facts, |osd| osd.class = Some("ssd".into()));
                the_rule(facts, change);
            });
            told.into_iter().find_map(|one| one.fix).unwrap()
        };
        assert!(fix(|rule| rule.domain = Some("rack".into())).contains("default rack ssd"));
        assert!(!fix(|rule| rule.root = None).contains("create-replicated"));
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| and_pool(facts, "default.rgw.buckets.index", |pool| (
                pool.applications,
                pool.pg_num,
                pool.stored
            ) =
                (vec!["rgw".into()], Some(64), Some(1 << 30)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
