//! OSDs that may be silent for long.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-heartbeat-grace",
    about: Area::Osd,
    what: "An OSD that is gone is noticed late.",
    why: "Until it is marked down, operations to it wait: the grace is the longest pause of a failure.",
    evidence: "osd_heartbeat_grace is set above 30 s (default 20). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"Configuring Monitor/OSD Interaction\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "where the network is bad, OSDs are marked down more often",
    confirm: "stop an OSD of a test cluster while fathom rados loads it: the pause is as long",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "osd_heartbeat_grace",
        |option| number(option).is_some_and(|seconds| seconds > 30.0),
        "failures are noticed late",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "global", "osd_heartbeat_grace", "120")),
            ["global/osd_heartbeat_grace"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "osd_heartbeat_grace", "25")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
