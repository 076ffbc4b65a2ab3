//! Pools with more than three copies.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-replica-cost",
    about: Area::Pool,
    what: "A pool keeps more than three copies.",
    why: "Each further copy is a write more: from two to three, random writes lost 29 to 35 % in tests of 2018 and 2020. Reads lose nothing.",
    evidence: "A replicated pool has a size above 3, and the cluster no stretched rule (size 4).",
    sources: &["Micron and Red Hat, reference architectures 2018 to 2020: two copies against three"],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL size 3, if it is not meant so",
    risk: "less safety against failures",
    confirm: "fathom rados against a temporary pool of three copies",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.erasure == Some(false) && pool.size.is_some_and(|size| size > 4),
        "more than three copies",
        |pool| phrase!("{} copies", pool.size.unwrap_or(0).to_string()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.size = Some(5))), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.size = Some(4))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
