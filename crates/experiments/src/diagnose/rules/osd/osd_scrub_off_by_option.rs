//! Scrubbing that is as good as off.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-scrub-off-by-option",
    about: Area::Osd,
    what: "Scrubs are put off for longer than a month.",
    why: "Errors of disks are found when the data are needed. After the option is taken back much is scrubbed at once.",
    evidence: "osd_deep_scrub_interval is set above 31 days (default 7). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"OSD Config Reference\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "deep scrubs begin, all at once: raise the interval step by step downwards",
    confirm: "ceph pg dump shows the oldest deep scrub",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "osd_deep_scrub_interval",
        |option| number(option).is_some_and(|seconds| seconds > 31.0 * 86_400.0),
        "scrubbing is as good as off",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_deep_scrub_interval", "10000000")),
            ["osd/osd_deep_scrub_interval"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_deep_scrub_interval", "1209600")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
