//! File systems without a spare server.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-no-standby",
    about: Area::CephFs,
    what: "No metadata server stands by.",
    why: "When one fails, nobody takes over: operations wait until it is back.",
    evidence: "A file system has ranks, and there is no standby.",
    sources: &["Ceph's documentation, \"Terminology: standby daemons\""],
    needs: &[Source::Facts(FactsPart::FileSystems)],
    suspect,
    fix: "ceph orch apply mds NAME --placement=2, or start another ceph-mds",
    risk: "memory for one more server",
    confirm: "ceph fs status",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let without = case
        .cluster()
        .file_systems
        .iter()
        .flatten()
        .filter(|system| system.standbys == Some(0) && system.ranks.is_some_and(|ranks| ranks > 0));
    listed(without.map(|system| system.name.clone()))
        .map_or(Vec::new(), |all| of_cluster("file systems without a spare server", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| file_system(facts, |system| system.standbys = Some(0))), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| file_system(facts, |_| ())), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
