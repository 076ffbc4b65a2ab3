//! Pools whose placement groups are not placed anew.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-pgp-behind",
    about: Area::Pool,
    what: "A pool has more placement groups than it places.",
    why: "Split groups stay where their parent was: twice the data on the same OSDs, until pgp_num follows.",
    evidence: "pgp_num is below pg_num, and neither is about to change.",
    sources: &["Ceph's documentation, \"Placement Groups\""],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL pgp_num NUMBER, with its pg_num",
    risk: "data move: do it when the cluster is calm",
    confirm: "ceph osd df: VAR before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| {
            pool.pgp_num.zip(pool.pg_num).is_some_and(|(placed, all)| placed < all)
                && pool.pgp_num == pool.pgp_num_target
                && pool.pg_num == pool.pg_num_target
        },
        "placement groups are not placed anew",
        |pool| {
            phrase!(
                "pg_num {}, pgp_num {}",
                pool.pg_num.unwrap_or(0).to_string(),
                pool.pgp_num.unwrap_or(0).to_string()
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| (pool.pgp_num, pool.pgp_num_target) = (Some(128), Some(128)))),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.pgp_num = Some(128))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
