//! Erasure codes that read more for less.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-ec-plugin",
    about: Area::Pool,
    what: "A pool uses the code clay.",
    why: "It saves network when a part is made again, and costs 20 to 60 % more latency of writes in a comparison.",
    evidence: "The plugin of an erasure-coded pool is clay.",
    sources: &[
        "ceph.io blog, 2025: cbt-performance-benchmarking-part3",
        "Ceph's documentation, \"Erasure code: CLAY\"",
    ],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "a new pool with isa",
    risk: "data have to be copied",
    confirm: "fathom rados on temporary pools with both codes",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.profile.get("plugin").is_some_and(|plugin| plugin == "clay"),
        "the code clay",
        |_| "plugin clay".into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| coded(facts, 4, 2, "clay")), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| coded(facts, 4, 2, "jerasure")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
