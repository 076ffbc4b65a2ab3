//! Very small objects.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-tiny-objects",
    about: Area::Pool,
    what: "A pool has very many very small objects.",
    why: "Each takes a whole allocation unit and an entry in the database, on every copy.",
    evidence: "More than 100,000 objects of less than 4 KiB on average, in a pool with data (index and metadata pools, which hold keys in place of data, are left out).",
    sources: &["Clyso's analyzer (clyso/otto on GitHub)"],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "pack them in the application",
    risk: "the application has to change",
    confirm: "ceph df detail: USED against STORED times the copies",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| {
            pool.of_users()
                && !pool.has("rgw")
                && !pool.has("cephfs")
                && pool.objects.is_some_and(|objects| objects > 100_000)
                && pool.object_bytes().is_some_and(|bytes| bytes > 0.0 && bytes < 4096.0)
        },
        "very small objects",
        |pool| phrase!("{} bytes on average", Quantity::Count(pool.object_bytes().unwrap_or(0.0) as u64)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| (pool.stored, pool.objects) = (Some(1 << 28), Some(1_000_000)))),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| (pool.stored, pool.objects) = (Some(1 << 20), Some(1_000)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
