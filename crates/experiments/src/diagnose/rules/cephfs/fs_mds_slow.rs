//! Requests to metadata servers that wait.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-mds-slow",
    about: Area::CephFs,
    what: "Requests to a metadata server, or its own to the metadata pool, wait for long.",
    evidence: "One of the health checks MDS_SLOW_REQUEST, MDS_SLOW_METADATA_IO stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"CephFS health messages\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "ceph tell mds.NAME ops says for what they wait: a lock of another client, or the pool below",
    risk: "a client that is evicted loses what it had not written",
    confirm: "fathom rados --pool POOL of the metadata pool: is it slow itself?",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found =
        ["MDS_SLOW_REQUEST", "MDS_SLOW_METADATA_IO"].iter().filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    listed(found).map_or(Vec::new(), |all| of_cluster("requests to metadata servers wait", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "MDS_SLOW_REQUEST")), ["cluster"]);
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
