//! Writes to flash that are written twice.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-defer-on-ssd",
    about: Area::Osd,
    what: "Small writes to flash go to the log first and to their place later.",
    why: "What goes to the log first is written twice; on flash the default is not to (0).",
    evidence: "bluestore_prefer_deferred_size_ssd is set above 0. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"BlueStore Configuration Reference\"", "Ceph's source: src/common/options"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "daemons restart, one host at a time",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "bluestore_prefer_deferred_size_ssd",
        |option| number(option).is_some_and(|bytes| bytes > 0.0),
        "small writes to flash are written twice",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "bluestore_prefer_deferred_size_ssd", "32768")),
            ["osd/bluestore_prefer_deferred_size_ssd"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluestore_prefer_deferred_size_ssd", "0")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
