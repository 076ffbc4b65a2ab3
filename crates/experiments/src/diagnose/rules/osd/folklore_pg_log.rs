//! Logs of placement groups that are cut short.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-pg-log",
    about: Area::Osd,
    what: "The logs of placement groups are cut short: advice from benchmarks.",
    why: "An OSD that was away for a moment then has to be backfilled whole, since the log does not reach back far enough. Tests that looked for a gain found none or little.",
    evidence: "osd_max_pg_log_entries is set below 1000 (default 10,000). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)", "Ceph's source: src/common/options"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "memory for longer logs",
    confirm: "fathom run before and after the change, the second when logs have had hours under the usual load to fill, then fathom compare",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "osd_max_pg_log_entries",
        |option| number(option).is_some_and(|entries| entries < 1000.0),
        "logs of placement groups are cut short: folklore",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_max_pg_log_entries", "10")),
            ["osd/osd_max_pg_log_entries"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_max_pg_log_entries", "3000")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
