//! Pools with few placement groups for their data.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-pg-few",
    about: Area::Pool,
    what: "A pool with much data, or the one that is measured, has few placement groups for its OSDs.",
    why: "Operations of a placement group wait for each other, and few of them spread unevenly: on 60 NVMe drives reads grew up to 820 copies for each OSD, writes above 100.",
    evidence: "A pool of at least 100 GiB, and of a tenth of all data, has fewer than 50 copies of placement groups for each OSD that its rule reaches, and OSDs of these classes keep fewer than 80 on average, of all pools together (mon_target_pg_per_osd, 100, is for all of them); or a pool that is measured (--pool) has fewer placement groups than its rule reaches OSDs, so that not each is the primary of one.",
    sources: &[
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
        "Ceph's documentation, \"Placement Groups\"",
    ],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph osd pool set POOL bulk true (the autoscaler then begins with many), or ceph osd pool set POOL pg_num NUMBER",
    risk: "data move, and OSDs need more memory; do not copy 16,000 from a record",
    confirm: "fathom rados --pool POOL against a temporary pool with four times as many (fathom rados --pgs NUMBER)",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut found = of_data(case);
    let fewer = |pool: &PoolFacts| {
        measured(case, &pool.name) && pool.pg_num.zip(reached(case, pool)).is_some_and(|(pgs, osds)| pgs < osds)
    };
    let idle =
        of_pools(case, fewer, "fewer placement groups than OSDs: some OSDs serve no read and begin no write", |pool| {
            let (pgs, osds) = (pool.pg_num.unwrap_or(0), reached(case, pool).unwrap_or(0));
            phrase!("{} placement groups, {} OSDs", Quantity::Count(u64::from(pgs)), Quantity::Count(u64::from(osds)))
        });
    found.extend(idle.into_iter().filter(|one| !of_data(case).iter().any(|other| other.subject == one.subject)));
    found
}

/// One that somebody named, not one of our own.
fn measured(case: &Case, pool: &str) -> bool {
    let mut places = case.record.plan.steps.iter().flat_map(|step| &step.targets).map(|target| &target.place);
    let made = case
        .record
        .plan
        .changes
        .iter()
        .any(|change| matches!(change, model::Change::Pool { name, .. } if name == pool));
    !made && places.any(|place| place.data_pool() == Some(pool))
}

/// OSDs that its rule reaches.
fn reached(case: &Case, pool: &PoolFacts) -> Option<u32> {
    Some(case.crush_rule(pool)?.reaches.as_ref()?.values().sum())
}

fn of_data(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| few(case, pool).is_some(),
        "few placement groups for the data",
        |pool| {
            let rounded = |number: Option<f64>| format!("{:.0}", number.unwrap_or(0.0));
            phrase!(
                "{} copies for each OSD, {} of all pools",
                rounded(few(case, pool)),
                rounded(of_all_pools(case, pool))
            )
        },
    )
}

/// Copies of the pool's placement groups for each OSD, if they are few, its OSDs have few in all, and it holds much.
fn few(case: &Case, pool: &PoolFacts) -> Option<f64> {
    let all: u64 = case.pools().iter().filter_map(|pool| pool.stored).sum();
    let stored = pool.stored.filter(|stored| *stored >= 100 << 30 && *stored >= all / 10)?;
    let each = f64::from(pool.pg_num? * pool.size?) / f64::from(reached(case, pool)?.max(1));
    (stored > 0 && each < 50.0 && of_all_pools(case, pool)? < 80.0).then_some(each)
}

/// Copies of placement groups, of whatever pool, on the OSDs that its rule reaches: on average.
fn of_all_pools(case: &Case, pool: &PoolFacts) -> Option<f64> {
    let serve = |osd: &&OsdFacts| osd.up != Some(false) && osd.inside != Some(false);
    let reached = case.reached_by(case.crush_rule(pool)?).filter(serve);
    let groups: Vec<f64> = reached.filter_map(|osd| osd.groups.map(f64::from)).collect();
    (!groups.is_empty()).then(|| groups.iter().sum::<f64>() / groups.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing_facts::*;
    use judge::assess;
    use model::facts::Facts;
    use model::{Observation, Pattern, Step, Target, testing};

    /// OSDs keep this many copies in all.
    fn in_all(facts: &mut Facts, groups: u32) {
        each_osd(facts, |osd| osd.groups = Some(groups));
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                the_pool(facts, |pool| pool.pg_num = Some(32));
                in_all(facts, 16)
            }),
            ["pool vms"]
        );
    }

    /// Three pools with a third of the data each: 32 copies an OSD, and 96 in all, which is what Ceph aims at.
    #[test]
    fn pools_that_share_what_an_osd_should_have_are_no_hint() {
        let three = |groups: u32| {
            told(&RULE, |facts| {
                the_pool(facts, |pool| pool.pg_num = Some(64));
                ["images", "backups"].iter().for_each(|name| and_pool(facts, name, |pool| pool.pg_num = Some(64)));
                in_all(facts, groups)
            })
        };
        assert_eq!(three(96), NOBODY);
        assert_eq!(three(79), ["pool vms", "pool images", "pool backups"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                the_pool(facts, |pool| (pool.pg_num, pool.stored) = (Some(32), Some(1 << 30)));
                in_all(facts, 16)
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                the_pool(facts, |pool| pool.pg_num = Some(32));
                in_all(facts, 16);
                and_pool(facts, "big", |pool| pool.stored = Some(100 << 40))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }

    #[test]
    fn a_pool_that_is_measured_needs_a_group_for_each_osd_however_little_it_holds() {
        let with = |pool: &str, pg_num: u32| {
            let mut facts = healthy();
            the_pool(&mut facts, |pool| (pool.pg_num, pool.stored) = (Some(pg_num), Some(1 << 20)));
            let mut record = Made::cluster().record.with(Observation::Facts(Box::new(facts)));
            let place = model::Place::Pool { pool: pool.into(), prefix: "x".into() };
            let targets = vec![Target::new(testing::pools(), pool, place)];
            record.plan.steps.push(Step { targets, ..testing::step(9, testing::pools(), Pattern::WriteLatency, &[]) });
            suspect(&Case::of(&assess(&record))).len()
        };
        assert_eq!((with("vms", 1), with("vms", 128), with("another", 1)), (1, 0, 0));
    }
}
