//! Reads that ask all parts.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-fast-read",
    about: Area::Pool,
    what: "Reads of an erasure-coded pool ask all k+m OSDs.",
    why: "It helps where single OSDs are slow at times and the others idle; on busy disks it is m reads more for each.",
    evidence: "fast_read of an erasure-coded pool is on.",
    sources: &["TheJJ, ceph-cheatsheet", "Ceph's documentation, \"Pools\""],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL fast_read 0",
    risk: "a slow OSD shows in reads again",
    confirm: "fathom rados reads with it on and off",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.erasure == Some(true) && pool.fast_read == Some(true),
        "reads ask all parts",
        |_| "fast_read is on".into(),
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
                coded(facts, 4, 2, "isa");
                the_pool(facts, |pool| pool.fast_read = Some(true))
            }),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.fast_read = Some(true))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
