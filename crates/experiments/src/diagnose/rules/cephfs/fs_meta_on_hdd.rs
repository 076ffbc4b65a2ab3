//! Metadata of file systems on hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-meta-on-hdd",
    about: Area::CephFs,
    what: "The metadata of a file system lie on hard disks.",
    why: "Each create, rename and open waits for them, whatever the data lie on.",
    evidence: "The rule of the metadata pool reaches OSDs of the class hdd.",
    sources: &[
        "Ceph's documentation, \"Creating a CephFS file system\"",
        "SUSE Enterprise Storage 6, \"Tuning Guide\"",
    ],
    needs: &[Source::Facts(FactsPart::FileSystems), Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush)],
    suspect,
    fix: "ceph osd crush rule create-replicated fast default host ssd; ceph osd pool set POOL crush_rule fast",
    risk: "metadata move",
    confirm: "create many small files before and after, from a mount",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let rules = || case.cluster().crush_rules.iter().flatten();
    let slow = |pool: &PoolFacts| {
        rules().any(|rule| {
            Some(rule.id) == pool.crush_rule && rule.reaches.as_ref().is_some_and(|reaches| reaches.contains_key("hdd"))
        })
    };
    let of_metadata = |pool: &PoolFacts| {
        case.cluster().file_systems.iter().flatten().any(|system| system.metadata_pool == Some(pool.id))
    };
    of_pools(
        case,
        |pool| of_metadata(pool) && slow(pool),
        "metadata of a file system on hard disks",
        |_| "its rule reaches the class hdd".into(),
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
                file_system(facts, |_| ());
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
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
