//! Heartbeats that come late.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-slow-ping",
    about: Area::State,
    what: "Heartbeats between OSDs take longer than a twentieth of the grace (1 s).",
    evidence: "One of the health checks OSD_SLOW_PING_TIME_FRONT, OSD_SLOW_PING_TIME_BACK stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "ceph daemon mgr.NAME dump_osd_network says which ways are slow",
    risk: "none: looking changes nothing",
    confirm: "fathom network --hosts LIST measures every way between hosts",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = ["OSD_SLOW_PING_TIME_FRONT", "OSD_SLOW_PING_TIME_BACK"]
        .iter()
        .filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    match listed(found) {
        Some(all) => {
            vec![Suspect::new(
                Subject::Cluster,
                Standing::Confirmed,
                "heartbeats between OSDs came late within the last 15 minutes".into(),
                all,
            )]
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
        assert_eq!(told(&RULE, |facts| check(facts, "OSD_SLOW_PING_TIME_FRONT")), ["cluster"]);
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
