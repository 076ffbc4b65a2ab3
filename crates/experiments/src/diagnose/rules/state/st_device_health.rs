//! Devices that are expected to fail.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-device-health",
    about: Area::State,
    what: "Devices are expected to fail, or reads had to be repaired or tried again.",
    why: "A device that tries a bad sector again and again holds operations for seconds.",
    evidence: "One of the health checks DEVICE_HEALTH, DEVICE_HEALTH_IN_USE, DEVICE_HEALTH_TOOMANY, OSD_TOO_MANY_REPAIRS, BLUESTORE_SPURIOUS_READ_ERRORS stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"Device Management\"", "Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "ceph device ls; ceph device get-health-metrics DEVICE; replace it",
    risk: "its data are made anew elsewhere",
    confirm: "fathom disk measures the device and its peers where they are free; fathom osd each OSD alone",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = [
        "DEVICE_HEALTH",
        "DEVICE_HEALTH_IN_USE",
        "DEVICE_HEALTH_TOOMANY",
        "OSD_TOO_MANY_REPAIRS",
        "BLUESTORE_SPURIOUS_READ_ERRORS",
    ]
    .iter()
    .filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    match listed(found) {
        Some(all) => {
            vec![Suspect {
                slows_nothing: true,
                ..Suspect::new(Subject::Cluster, Standing::Confirmed, "devices fail, or are about to".into(), all)
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
        assert_eq!(told(&RULE, |facts| check(facts, "DEVICE_HEALTH")), ["cluster"]);
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
