//! Objects with very many keys.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-large-omap",
    about: Area::Pool,
    what: "Objects have more keys than can be listed at once.",
    why: "Listing and recovering them holds others up; mostly indexes of buckets that were not split.",
    evidence: "The health check LARGE_OMAP_OBJECTS stands (200,000 keys or 1 GiB).",
    sources: &["Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "for gateways: radosgw-admin bucket limit check, then radosgw-admin bucket reshard --bucket NAME --num-shards N; then deep-scrub",
    risk: "writes to the bucket wait while it is split, before Tentacle",
    confirm: "the cluster's log names the objects: Large omap object found",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    case.check("LARGE_OMAP_OBJECTS").map_or(Vec::new(), |says| of_cluster("objects with very many keys", says))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "LARGE_OMAP_OBJECTS")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| check(facts, "POOL_APP_NOT_ENABLED")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
