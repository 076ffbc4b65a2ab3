//! Stores that complain of their devices.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-store-alerts",
    about: Area::State,
    what: "An OSD's store says that its device, or that of its database, answers late.",
    evidence: "One of the health checks BLUESTORE_SLOW_OP_ALERT, DB_DEVICE_STALLED_READ_ALERT, WAL_DEVICE_STALLED_READ_ALERT, BLOCK_DEVICE_STALLED_READ_ALERT stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "look at the SMART data and the load of that device; right after an OSD was made it may be of no meaning",
    risk: "none: looking changes nothing",
    confirm: "fathom osd measures each OSD alone: that one is slower than its peers",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = [
        "BLUESTORE_SLOW_OP_ALERT",
        "DB_DEVICE_STALLED_READ_ALERT",
        "WAL_DEVICE_STALLED_READ_ALERT",
        "BLOCK_DEVICE_STALLED_READ_ALERT",
    ]
    .iter()
    .filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    match listed(found) {
        Some(all) => {
            vec![Suspect::new(Subject::Cluster, Standing::Confirmed, "stores say that devices answer late".into(), all)]
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
        assert_eq!(told(&RULE, |facts| check(facts, "BLUESTORE_SLOW_OP_ALERT")), ["cluster"]);
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
