//! Daemons that crashed lately.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-crashes",
    about: Area::State,
    what: "Daemons crashed in the last two weeks.",
    why: "Each crash is an outage of seconds, and a restart begins with empty caches.",
    evidence: "One of the health checks RECENT_CRASH, RECENT_MGR_MODULE_CRASH stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"Crash Module\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "ceph crash ls; ceph crash info ID; then ceph crash archive-all",
    risk: "none: looking changes nothing",
    confirm: "ceph crash info ID says whether it was in the time that you look at",
    matters: Matters::Some,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found =
        ["RECENT_CRASH", "RECENT_MGR_MODULE_CRASH"].iter().filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    match listed(found) {
        Some(all) => vec![Suspect {
            slows_nothing: true,
            ..Suspect::new(Subject::Cluster, Standing::Confirmed, "daemons crashed lately".into(), all)
        }],
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "RECENT_CRASH")), ["cluster"]);
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
