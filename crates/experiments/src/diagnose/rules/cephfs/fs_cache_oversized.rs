//! Metadata servers whose cache has outgrown its limit.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-cache-oversized",
    about: Area::CephFs,
    what: "The cache of a metadata server is larger than it may be.",
    why: "Clients hold more than the server can forget.",
    evidence: "One of the health checks MDS_CACHE_OVERSIZED stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"CephFS health messages\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "a higher mds_cache_memory_limit, or fewer files held by clients",
    risk: "memory of the server",
    confirm: "ceph tell mds.NAME cache status",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = ["MDS_CACHE_OVERSIZED"].iter().filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    listed(found).map_or(Vec::new(), |all| of_cluster("a cache has outgrown its limit", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "MDS_CACHE_OVERSIZED")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| check(facts, "MDS_UP_LESS_THAN_MAXIMUM")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
