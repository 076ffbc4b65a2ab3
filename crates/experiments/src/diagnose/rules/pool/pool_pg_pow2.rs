//! Pools whose number of placement groups is no power of two.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-pg-pow2",
    about: Area::Pool,
    what: "A pool's number of placement groups is no power of two.",
    why: "Some of its placement groups are then twice as large as others, and so is their load.",
    evidence: "pg_num is no power of two, and is not just being changed.",
    sources: &["Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL pg_num NUMBER, with the next power of two",
    risk: "data move: do it when the cluster is calm",
    confirm: "ceph pg ls-by-pool POOL: bytes of the largest against the smallest",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.pg_num.is_some_and(|number| !number.is_power_of_two()) && pool.pg_num == pool.pg_num_target,
        "the number of placement groups is no power of two",
        |pool| phrase!("{}", pool.pg_num.unwrap_or(0).to_string()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| (pool.pg_num, pool.pg_num_target) = (Some(300), Some(300)))),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| (pool.pg_num, pool.pg_num_target) = (Some(300), Some(512)))),
            NOBODY
        );
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.pg_num = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
