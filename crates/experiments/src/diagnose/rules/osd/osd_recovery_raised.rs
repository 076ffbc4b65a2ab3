//! Limits of recovery that were raised and left.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-recovery-raised",
    about: Area::Osd,
    what: "Recovery may take far more than usual at once.",
    why: "With 1000 backfills allowed, clients kept 2,500 of 21,500 IOPS in a study. Often it was raised for one night, and left.",
    evidence: "osd_max_backfills or osd_recovery_max_active is set above 16 (defaults: 1 to 10), and is read: by an OSD before 17.2, where osd_op_queue is wpq, or where osd_mclock_override_recovery_settings is true; of what mClock does not read, folklore-recovery-sleep tells. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["ceph.io blog, 2021: qos-study-with-mclock-and-wpq-schedulers"],
    needs: &[Source::Facts(FactsPart::Options), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "a lost disk takes longer to be made up for",
    confirm: "measure while a disk recovers: fathom run before and after, fathom compare",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let before_mclock = case.osds().iter().filter_map(|osd| osd.version).any(|version| version < Version(17, 2, 0));
    if !before_mclock && !case.has_wpq() && !case.set("osd_mclock_override_recovery_settings").any(on) {
        return Vec::new();
    }
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
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 16, 2, 15);
                set(facts, "osd", "osd_max_backfills", "64")
            }),
            ["osd/osd_max_backfills"]
        );
    }

    #[test]
    fn under_mclock_it_counts_only_where_it_is_read() {
        let with = |other: Option<(&str, &str)>| {
            told(&RULE, |facts| {
                set(facts, "osd", "osd_max_backfills", "64");
                other.iter().for_each(|(name, value)| set(facts, "osd", name, value))
            })
        };
        assert_eq!(with(None), NOBODY);
        assert_eq!(with(Some(("osd_mclock_override_recovery_settings", "false"))), NOBODY);
        assert_eq!(with(Some(("osd_mclock_override_recovery_settings", "true"))), ["osd/osd_max_backfills"]);
        assert_eq!(with(Some(("osd_op_queue", "wpq"))), ["osd/osd_max_backfills"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 16, 2, 15);
                set(facts, "osd", "osd_max_backfills", "8")
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
