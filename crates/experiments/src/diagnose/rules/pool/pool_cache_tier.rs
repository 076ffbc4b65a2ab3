//! Pools in front of other pools, as their caches.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-cache-tier",
    about: Area::Pool,
    what: "A pool is the cache of another one.",
    why: "It slows most loads, say the docs and a test of 2020, and is deprecated since Reef.",
    evidence: "A pool has a tier in front of it, or is one.",
    sources: &["Ceph's documentation, \"Cache Tiering\"", "Ceph's release notes, v18.2.0 Reef"],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "set the cache to proxy, flush it (rados -p CACHE cache-flush-evict-all), then ceph osd tier remove-overlay and remove",
    risk: "flushing takes long, and loads the slow pool",
    confirm: "fathom rados on the slow pool alone, a temporary one on the same OSDs",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.tier_of.is_some() || pool.read_tier.is_some() || pool.write_tier.is_some(),
        "a cache tier",
        |pool| pool.cache_mode.clone().map_or("it has a tier".to_string(), |mode| format!("cache mode {mode}")).into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.read_tier = Some(7))), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.tier_of = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
