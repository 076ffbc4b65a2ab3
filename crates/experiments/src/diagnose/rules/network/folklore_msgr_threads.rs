//! Threads of the messenger that were set by hand.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-msgr-threads",
    about: Area::Network,
    what: "The number of the messenger's threads was set by hand.",
    why: "More of them helped large erasure-coded transfers and brought laggy placement groups; one alone ended those and hurt large reads.",
    evidence: "ms_async_op_threads is set to another number than 3. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "daemons restart, one host at a time",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "ms_async_op_threads",
        |option| number(option).is_some_and(|threads| threads != 3.0),
        "threads of the messenger were set by hand: folklore, unless it was measured here",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "global", "ms_async_op_threads", "8")),
            ["global/ms_async_op_threads"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "ms_async_op_threads", "3")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
