//! Journals that are not trimmed in time.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-mds-trim",
    about: Area::CephFs,
    what: "The journal of a metadata server is not trimmed in time.",
    why: "The metadata pool is slow, or the server has more to do than it can; a restart then takes long.",
    evidence: "One of the health checks MDS_TRIM stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"CephFS health messages\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "look at the metadata pool's OSDs; more ranks; mds_log_max_segments",
    risk: "more memory of the server",
    confirm: "ceph daemon mds.NAME perf dump: mds_log, seg",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = ["MDS_TRIM"].iter().filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    listed(found).map_or(Vec::new(), |all| of_cluster("journals are not trimmed in time", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "MDS_TRIM")), ["cluster"]);
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
