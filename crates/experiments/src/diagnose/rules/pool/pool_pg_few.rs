//! Pools with few placement groups for their data.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-pg-few",
    about: Area::Pool,
    what: "A pool with much data has few placement groups for each OSD.",
    why: "Operations of a placement group wait for each other, and few of them spread unevenly: on 60 NVMe drives reads grew up to 820 copies for each OSD, writes above 100.",
    evidence: "A pool of at least 100 GiB, and of a tenth of all data, has fewer than 50 copies of placement groups for each OSD that its rule reaches.",
    sources: &[
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
        "Ceph's documentation, \"Placement Groups\"",
    ],
    needs: &[Source::Facts(Part::Pools), Source::Facts(Part::Crush)],
    suspect,
    fix: "ceph osd pool set POOL bulk true (the autoscaler then begins with many), or ceph osd pool set POOL pg_num NUMBER",
    risk: "data move, and OSDs need more memory; do not copy 16,000 from a record",
    confirm: "fathom rados --pool POOL against a temporary pool with four times as many (fathom rados --pgs NUMBER)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| few(case, pool).is_some(),
        "few placement groups for the data",
        |pool| phrase!("{} copies for each OSD", format!("{:.0}", few(case, pool).unwrap_or(0.0))),
    )
}

/// Copies of the pool's placement groups for each OSD, if they are few and it holds much.
fn few(case: &Case, pool: &PoolFacts) -> Option<f64> {
    let all: u64 = case.pools().iter().filter_map(|pool| pool.stored).sum();
    let stored = pool.stored.filter(|stored| *stored >= 100 << 30 && *stored >= all / 10)?;
    let rule = case.cluster().crush_rules.iter().flatten().find(|rule| Some(rule.id) == pool.crush_rule)?;
    let osds: u32 = rule.reaches.as_ref()?.values().sum();
    let each = f64::from(pool.pg_num? * pool.size?) / f64::from(osds.max(1));
    (stored > 0 && each < 50.0).then_some(each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.pg_num = Some(32))), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| (pool.pg_num, pool.stored) = (Some(32), Some(1 << 30)))),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                the_pool(facts, |pool| pool.pg_num = Some(32));
                and_pool(facts, "big", |pool| pool.stored = Some(100 << 40))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
