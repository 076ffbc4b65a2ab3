//! Monitors with little room, or large stores.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-monitor-store",
    about: Area::State,
    what: "A monitor has little room, or its store has grown.",
    why: "Changes of maps then take longer: peering, marking OSDs down.",
    evidence: "One of the health checks MON_DISK_LOW, MON_DISK_CRIT, MON_DISK_BIG stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "give it room on a disk that does not rotate; ceph tell mon.NAME compact",
    risk: "the monitor does not answer while it compacts",
    confirm: "ceph daemon mon.NAME perf dump: commit_latency of paxos before and after",
    matters: Matters::Some,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = ["MON_DISK_LOW", "MON_DISK_CRIT", "MON_DISK_BIG"]
        .iter()
        .filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    match listed(found) {
        Some(all) => {
            let says = "monitors have little room, or large stores".into();
            vec![Suspect { slows_nothing: true, ..Suspect::new(Subject::Cluster, Standing::Confirmed, says, all) }]
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
        assert_eq!(told(&RULE, |facts| check(facts, "MON_DISK_LOW")), ["cluster"]);
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
