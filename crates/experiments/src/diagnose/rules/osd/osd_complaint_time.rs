//! Slow operations that are not told.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-complaint-time",
    about: Area::Osd,
    what: "Operations have to be slower than usual before anybody is told.",
    why: "Warnings of slow operations name the OSD to look at; raising the bound hides them.",
    evidence: "osd_op_complaint_time is set above 30 s (the default). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"Troubleshooting OSDs\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "more warnings are told",
    confirm: "ceph daemon osd.N dump_historic_ops has the slowest operations",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "osd_op_complaint_time",
        |option| number(option).is_some_and(|seconds| seconds > 30.0),
        "slow operations are not told",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_op_complaint_time", "120")),
            ["osd/osd_op_complaint_time"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_op_complaint_time", "30")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
