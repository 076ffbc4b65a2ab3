//! Lifecycle rules whose days are seconds.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-lc-debug",
    about: Area::Rgw,
    what: "Lifecycle rules of buckets are taken to count in seconds, not in days.",
    why: "The option is for tests: gateways walk all buckets with such rules over and over, whose indexes lie on the OSDs that puts wait for, and objects expire long before they should.",
    evidence: "rgw_lc_debug_interval is set above 0.",
    sources: &["Ceph's documentation, \"Lifecycle Settings\": rgw_lc_debug_interval"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the gateways",
    risk: "none: rules are followed once a day again, as they are meant",
    confirm: "radosgw-admin lc list, twice within a minute: does its time change?",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let set = |option: &SetOption| number(option).is_some_and(|seconds| seconds > 0.0);
    of_settings(case, "rgw_lc_debug_interval", set, "lifecycle rules count in seconds")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client.rgw", "rgw_lc_debug_interval", "10")),
            ["client.rgw/rgw_lc_debug_interval"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client.rgw", "rgw_lc_debug_interval", "-1")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
