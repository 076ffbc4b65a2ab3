//! Operations that wait for long.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-slow-ops",
    about: Area::State,
    what: "Operations of clients have waited for longer than osd_op_complaint_time (30 s).",
    evidence: "One of the health checks SLOW_OPS stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"Troubleshooting OSDs\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "ceph daemon osd.N dump_historic_slow_ops says in which stage they waited; look at the OSD that most of them wait for, not at the one that complains",
    risk: "none: looking changes nothing",
    confirm: "fathom diagnose measures the OSDs in turns",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = ["SLOW_OPS"].iter().filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    match listed(found) {
        Some(all) => vec![Suspect::new(Subject::Cluster, Standing::Confirmed, "operations wait for long".into(), all)],
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "SLOW_OPS")), ["cluster"]);
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
