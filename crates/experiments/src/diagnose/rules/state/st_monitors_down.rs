//! Monitors that are missing.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-monitors-down",
    about: Area::State,
    what: "A monitor, or the manager, is missing.",
    why: "Without a manager nobody balances, and what the cluster counts is old.",
    evidence: "One of the health checks MON_DOWN, MGR_DOWN stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "start it again (ceph orch ps; systemctl status ceph-mon@NAME)",
    risk: "none: looking changes nothing",
    confirm: "ceph quorum_status names who is missing",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = ["MON_DOWN", "MGR_DOWN"].iter().filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    match listed(found) {
        Some(all) => {
            vec![Suspect {
                slows_nothing: true,
                ..Suspect::new(Subject::Cluster, Standing::Confirmed, "monitors or managers are missing".into(), all)
            }]
        }
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "MON_DOWN")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| check(facts, "AUTH_INSECURE_GLOBAL_ID_RECLAIM")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
