//! Limits of recovery that were raised and left.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-recovery-raised",
    about: Area::Osd,
    what: "Recovery may take far more than usual at once.",
    why: "With 1000 backfills allowed, clients kept 2,500 of 21,500 IOPS in a study. Often it was raised for one night, and left.",
    evidence: "osd_max_backfills or osd_recovery_max_active is set above 16 (defaults: 1 to 10). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["ceph.io blog, 2021: qos-study-with-mclock-and-wpq-schedulers"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "a lost disk takes longer to be made up for",
    confirm: "measure while a disk recovers: fathom run before and after, fathom compare",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    ["osd_max_backfills", "osd_recovery_max_active", "osd_recovery_max_active_hdd", "osd_recovery_max_active_ssd"]
        .iter()
        .flat_map(|name| {
            of_settings(
                case,
                name,
                |option| number(option).is_some_and(|most| most > 16.0),
                "recovery may take far more than usual",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_max_backfills", "64")), ["osd/osd_max_backfills"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_max_backfills", "8")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
