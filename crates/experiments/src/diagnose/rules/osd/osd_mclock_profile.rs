//! A profile of mClock for other times.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-mclock-profile",
    about: Area::Osd,
    what: "OSDs use mClock's profile for recovery, or one of somebody's own.",
    why: "high_recovery_ops reserves 70 % of an OSD for recovery, and 30 % for clients: less is never left to them, but while it recovers it may be no more. The other profiles reserve 50 or 60 % for clients.",
    evidence: "osd_mclock_profile is set to high_recovery_ops or custom, and osd_op_queue is not wpq. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"mClock Config Reference\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "recovery takes longer",
    confirm: "measure while a disk recovers: fathom run before and after, fathom compare",
    releases: Releases::from(17, 2, 0),
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.has_wpq() {
        return Vec::new();
    }
    of_settings(
        case,
        "osd_mclock_profile",
        |option| ["high_recovery_ops", "custom"].contains(&option.value.as_str()),
        "mClock has a profile for other times",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_mclock_profile", "high_recovery_ops")),
            ["osd/osd_mclock_profile"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_mclock_profile", "balanced")), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                set(facts, "osd", "osd_mclock_profile", "high_recovery_ops");
                set(facts, "osd", "osd_op_queue", "wpq")
            }),
            NOBODY,
            "the older scheduler reads no profile"
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
