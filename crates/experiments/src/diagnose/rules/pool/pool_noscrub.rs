//! Pools that are not scrubbed.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-noscrub",
    about: Area::Pool,
    what: "A pool is not scrubbed.",
    why: "Errors of disks are found when its data are needed.",
    evidence: "A pool has the flag noscrub or nodeep-scrub.",
    sources: &["Ceph's documentation, \"Pools\""],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL noscrub 0; ceph osd pool set POOL nodeep-scrub 0",
    risk: "scrubs of it begin",
    confirm: "ceph osd pool get POOL noscrub",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.flag("noscrub") || pool.flag("nodeep-scrub"),
        "not scrubbed",
        |pool| pool.flags.join(", ").into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.flags.push("nodeep-scrub".into()))), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.flags.push("nodelete".into()))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
