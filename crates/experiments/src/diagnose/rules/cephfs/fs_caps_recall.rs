//! Clients that do not give back what they hold.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-caps-recall",
    about: Area::CephFs,
    what: "Clients of a file system do not give back what they hold of it.",
    why: "Others wait for them, and the metadata server's cache grows.",
    evidence: "One of the health checks MDS_CLIENT_RECALL, MDS_CLIENT_LATE_RELEASE, MDS_CLIENT_OLDEST_TID stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"CephFS health messages\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "ceph tell mds.NAME session ls names the clients: update or restart them",
    risk: "programs on that client wait",
    confirm: "ceph tell mds.NAME session ls: num_caps",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = ["MDS_CLIENT_RECALL", "MDS_CLIENT_LATE_RELEASE", "MDS_CLIENT_OLDEST_TID"]
        .iter()
        .filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    listed(found).map_or(Vec::new(), |all| of_cluster("clients do not give back what they hold", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "MDS_CLIENT_RECALL")), ["cluster"]);
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
