//! Metadata of file systems on hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-meta-on-hdd",
    about: Area::CephFs,
    what: "The metadata of a file system lie on hard disks.",
    why: "Each create, rename and open waits for them, whatever the data lie on.",
    evidence: "The rule of the metadata pool reaches OSDs of the class hdd, and not all of these have their database, in which all metadata but the journal lie, on flash of its own.",
    sources: &[
        "Ceph's documentation, \"Creating a CephFS file system\"",
        "SUSE Enterprise Storage 6, \"Tuning Guide\"",
    ],
    needs: &[Source::Facts(FactsPart::FileSystems), Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush)],
    suspect,
    fix: ON_SSD,
    special_fixes: &[&NO_SSD, &LIKE_ITS_OWN],
    risk: "metadata move",
    confirm: "create many small files before and after, from a mount",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let of_metadata = |pool: &PoolFacts| {
        case.cluster().file_systems.iter().flatten().any(|system| system.metadata_pool == Some(pool.id))
    };
    let found = of_pools(
        case,
        |pool| of_metadata(pool) && omap_on_hard_disks(case, pool),
        "metadata of a file system on hard disks",
        |_| "its rule reaches the class hdd".into(),
    );
    onto_flash(case, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                file_system(facts, |_| ());
                each_osd(facts, |osd| osd.class = Some("hdd".into()));
                facts.cluster.crush_rules.as_mut().unwrap()[0].reaches = Some([("hdd".to_string(), 6)].into())
            }),
            ["pool meta"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| file_system(facts, |_| ())), NOBODY);
    }

    #[test]
    fn metadata_in_databases_on_flash_are_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                file_system(facts, |_| ());
                hard_disks(facts);
                each_osd(facts, |osd| (osd.dedicated_db, osd.db_rotational) = (Some(true), Some(false)));
                facts.cluster.crush_rules.as_mut().unwrap()[0].reaches = Some([("hdd".to_string(), 6)].into())
            }),
            NOBODY
        );
    }

    #[test]
    fn a_class_that_is_not_there_is_not_advised() {
        let told = suspects(&RULE, |facts| {
            file_system(facts, |_| ());
            hard_disks(facts);
            facts.cluster.crush_rules.as_mut().unwrap()[0].reaches = Some([("hdd".to_string(), 6)].into())
        });
        assert!(told[0].fix.as_ref().unwrap().contains("create-replicated fast default host CLASS;"));
    }

    #[test]
    fn the_metadata_stay_in_as_many_racks_and_of_a_stretched_rule_no_command_is_given() {
        let fix = |change: fn(&mut model::facts::CrushRule)| {
            let told = suspects(&RULE, |facts| {
                file_system(facts, |_| ());
                hard_disks(facts);
                the_rule(facts, |rule| rule.reaches = Some([("hdd".to_string(), 6), ("ssd".to_string(), 3)].into()));
                the_rule(facts, change);
            });
            told.into_iter().find_map(|one| one.fix).unwrap()
        };
        assert!(fix(|rule| rule.domain = Some("rack".into())).contains("default rack ssd"));
        assert!(!fix(|rule| rule.root = None).contains("create-replicated"));
    }

    /// Ceph takes a file, as a lab's OSDs have it, for a hard disk.
    #[test]
    fn what_lies_in_files_is_no_hint() {
        let in_files = |osd: &mut OsdFacts| (osd.class, osd.data_devices) = (Some("hdd".into()), Vec::new());
        assert_eq!(
            told(&RULE, |facts| {
                file_system(facts, |_| ());
                each_osd(facts, in_files);
                facts.cluster.crush_rules.as_mut().unwrap()[0].reaches = Some([("hdd".to_string(), 6)].into())
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
