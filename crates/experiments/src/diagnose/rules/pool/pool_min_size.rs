//! Pools that take writes without a second copy.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-min-size",
    about: Area::Pool,
    what: "A pool takes writes while only one copy, or no spare part, is there.",
    why: "What is written then is lost with one more disk.",
    evidence: "min_size of a replicated pool of two copies and more is 1; or of an erasure-coded one no more than k.",
    sources: &["Ceph's documentation, \"Pools\"", "Ceph's documentation, \"Erasure code\""],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL min_size 2 (erasure-coded: k+1)",
    risk: "operations wait when more disks fail at once",
    confirm: "ceph osd pool get POOL min_size",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| {
            !case.cluster().lab
                && !pool.has("fathom")
                && pool.min_size.is_some_and(|least| match pool.erasure {
                    Some(true) => pool.code("k").is_some_and(|k| least <= k) && pool.code("m").is_some_and(|m| m > 1),
                    Some(false) => least < 2 && pool.size.is_some_and(|size| size > 1),
                    None => false,
                })
        },
        "writes are taken without a second copy",
        |pool| phrase!("min_size {}", pool.min_size.unwrap_or(0).to_string()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.min_size = Some(1))), ["pool vms"]);
        assert_eq!(
            told(&RULE, |facts| {
                coded(facts, 4, 2, "isa");
                the_pool(facts, |pool| pool.min_size = Some(4))
            }),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| coded(facts, 4, 2, "isa")), NOBODY);
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| (pool.size, pool.min_size) = (Some(1), Some(1)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
