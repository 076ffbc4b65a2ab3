//! Pools with fewer than three copies.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-size-two",
    about: Area::Pool,
    what: "A pool keeps fewer than three copies.",
    why: "With two, one failed disk and one bad sector on the other lose data; writes are faster by a quarter to a third for it.",
    evidence: "A replicated pool, not of Fathom's own or in a lab, has a size below 3.",
    sources: &[
        "Ceph's documentation, \"Pools\"",
        "Micron and Red Hat, reference architectures 2018 to 2020: two copies against three",
    ],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL size 3; ceph osd pool set POOL min_size 2",
    risk: "copies are made: load, and half as much space again",
    confirm: "ceph osd pool get POOL size; fathom rados against a temporary pool of three copies",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| {
            pool.erasure == Some(false)
                && pool.size.is_some_and(|size| size < 3)
                && !case.cluster().lab
                && !pool.has("fathom")
                && pool.of_users()
        },
        "fewer than three copies",
        |pool| phrase!("{} copies", pool.size.unwrap_or(0).to_string()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.size = Some(2))), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| (pool.size, pool.applications) =
                (Some(1), vec!["fathom".into()]))),
            NOBODY
        );
        assert_eq!(told(&RULE, |facts| coded(facts, 2, 1, "isa")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
