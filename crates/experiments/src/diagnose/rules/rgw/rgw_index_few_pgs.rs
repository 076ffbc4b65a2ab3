//! Indexes of buckets on few OSDs.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-index-few-pgs",
    about: Area::Rgw,
    what: "The indexes of buckets lie on few OSDs.",
    why: "All PUTs go through them.",
    evidence: "A pool whose name ends in buckets.index holds keys (more than 1 MiB), and has fewer placement groups than its rule reaches OSDs.",
    sources: &["ceph.io blog, 2023: reef-freeze-rgw-performance"],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush)],
    suspect,
    fix: "ceph osd pool set POOL pg_num NUMBER, some for each OSD",
    risk: "indexes move",
    confirm: "PUT many small objects before and after; ceph osd perf meanwhile",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let osds = |pool: &PoolFacts| -> Option<u32> {
        let rule = case.cluster().crush_rules.iter().flatten().find(|rule| Some(rule.id) == pool.crush_rule)?;
        Some(rule.reaches.as_ref()?.values().sum())
    };
    let few = |pool: &PoolFacts| pool.pg_num.zip(osds(pool)).is_some_and(|(groups, osds)| groups < osds);
    of_pools(
        case,
        |pool| pool.name.ends_with("buckets.index") && pool.stored.is_some_and(|bytes| bytes > 1 << 20) && few(pool),
        "indexes of buckets on few OSDs",
        |pool| phrase!("{} placement groups", pool.pg_num.unwrap_or(0).to_string()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| and_pool(facts, "default.rgw.buckets.index", |pool| (
                pool.applications,
                pool.pg_num,
                pool.stored
            ) =
                (vec!["rgw".into()], Some(4), Some(1 << 30)))),
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
                (vec!["rgw".into()], Some(8), Some(1 << 30)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
