//! Limits of recovery that the scheduler does not read.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-recovery-sleep",
    about: Area::Osd,
    what: "Limits of recovery were set by hand, and the scheduler mClock does not read them.",
    why: "From 17.2 on mClock decides by its profile; osd_recovery_sleep and osd_snap_trim_sleep are set to 0, and osd_max_backfills back to its default, unless osd_mclock_override_recovery_settings is true.",
    evidence: "One of osd_recovery_sleep, osd_recovery_sleep_hdd, osd_recovery_sleep_ssd, osd_snap_trim_sleep, osd_max_backfills, osd_recovery_max_active, osd_recovery_max_active_hdd or osd_recovery_max_active_ssd is set, osd_op_queue is not wpq, and osd_mclock_override_recovery_settings is not true. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"mClock Config Reference\""],
    needs: &[Source::Facts(FactsPart::Options), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph config rm WHO OPTION; choose a profile: ceph config set osd osd_mclock_profile high_client_ops",
    risk: "recovery takes as long as the profile lets it",
    confirm: "watch recovering bytes (ceph status) with the option set and without it: nothing changes",
    releases: Releases::from(17, 2, 0),
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.has_wpq() || case.set("osd_mclock_override_recovery_settings").any(on) {
        return Vec::new();
    }
    IGNORED
        .iter()
        .flat_map(|name| of_settings(case, name, |_| true, "mClock does not read this limit of recovery: folklore"))
        .collect()
}

const IGNORED: [&str; 8] = [
    "osd_recovery_sleep",
    "osd_recovery_sleep_hdd",
    "osd_recovery_sleep_ssd",
    "osd_snap_trim_sleep",
    "osd_max_backfills",
    "osd_recovery_max_active",
    "osd_recovery_max_active_hdd",
    "osd_recovery_max_active_ssd",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_recovery_sleep", "0.1")), ["osd/osd_recovery_sleep"]);
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_recovery_max_active_hdd", "32")),
            ["osd/osd_recovery_max_active_hdd"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                set(facts, "osd", "osd_max_backfills", "4");
                set(facts, "osd", "osd_mclock_override_recovery_settings", "true")
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                set(facts, "osd", "osd_max_backfills", "4");
                set(facts, "osd", "osd_op_queue", "wpq")
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
