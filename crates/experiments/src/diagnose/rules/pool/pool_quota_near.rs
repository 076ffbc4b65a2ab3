//! Pools that will soon take no more.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-quota-near",
    about: Area::Pool,
    what: "A pool has used nine tenths of its quota.",
    why: "At the quota all writes to it wait.",
    evidence: "A pool holds 90 % or more of its quota of bytes or objects.",
    sources: &["Ceph's documentation, \"Pools: quotas\""],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set-quota POOL max_bytes N, or delete what is not needed",
    risk: "others have less room",
    confirm: "ceph df detail: QUOTA BYTES",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| {
            [(pool.stored, pool.quota_bytes), (pool.objects, pool.quota_objects)]
                .iter()
                .any(|(used, most)| used.zip(*most).is_some_and(|(used, most)| used >= most / 10 * 9))
        },
        "nearly at its quota",
        |pool| {
            phrase!(
                "{} bytes, {} objects",
                Quantity::Count(pool.stored.unwrap_or(0)),
                Quantity::Count(pool.objects.unwrap_or(0))
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
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.quota_objects = Some(262_144))), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.quota_objects = Some(1_000_000))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
