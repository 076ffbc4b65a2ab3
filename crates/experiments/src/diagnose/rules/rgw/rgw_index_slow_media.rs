//! Indexes of buckets on hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-index-slow-media",
    about: Area::Rgw,
    what: "The indexes of buckets lie on hard disks.",
    why: "Every PUT takes three round trips, of which two wait for the index: without an index one hard disk took 288 in place of 135 objects a second.",
    evidence: "The rule of a pool whose name ends in buckets.index reaches OSDs of the class hdd.",
    sources: &[
        "ceph.io blog, 2023: reef-freeze-rgw-performance",
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
    ],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush)],
    suspect,
    fix: "ceph osd crush rule create-replicated fast default host ssd; ceph osd pool set POOL crush_rule fast",
    risk: "indexes move",
    confirm: "PUT many small objects before and after",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.name.ends_with("buckets.index") && on_hard_disks(case, pool),
        "indexes of buckets on hard disks",
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
                and_pool(facts, "default.rgw.buckets.index", |pool| {
                    (pool.applications, pool.pg_num, pool.stored) = (vec!["rgw".into()], Some(64), Some(1 << 30))
                });
                each_osd(facts, |osd| osd.class = Some("hdd".into()));
                facts.cluster.crush_rules.as_mut().unwrap()[0].reaches = Some([("hdd".to_string(), 6)].into())
            }),
            ["pool default.rgw.buckets.index"]
        );
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
