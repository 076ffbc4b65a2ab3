//! Drives that say themselves that they fail or are worn out.

use crate::diagnose::facts::prelude::*;
use model::DriveHealth;

pub static RULE: Rule = Rule {
    id: "disk-smart-bad",
    about: Area::Device,
    what: "A drive of OSDs expects to fail, has sectors that it can't read, errors that it did not mend, or is nearly worn out.",
    why: "It tries again and again before it gives up, and every pool that has a copy on it waits meanwhile.",
    evidence: "By smartctl, of an OSD's drive: it says itself that it fails; pending sectors or errors of the medium that are not 0; 90 % of the promised endurance used.",
    sources: &[
        "NVM Express Base Specification 1.4, \"SMART / Health Information\"",
        "smartctl(8)",
        "Ceph's documentation, \"Device Management\"",
    ],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "look at what grows (smartctl -x /dev/DISK, a day apart); replace a drive that expects to fail: ceph osd out N, wait until its data is elsewhere, then destroy and replace it",
    risk: "moving its data is a load of its own",
    confirm: "fathom osd N --alone beside its peers; fathom disk on it, once its OSD is out",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

/// Percent.
const WORN: f64 = 90.0;

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "the drive is failing or worn out", |disk| disk.health.as_ref().and_then(bad))
}

fn bad(health: &DriveHealth) -> Option<String> {
    let some = |count: Option<u64>, what: &str| count.filter(|count| *count > 0).map(|count| format!("{count} {what}"));
    let all = [
        (health.passed == Some(false)).then(|| "it says itself that it fails".to_string()),
        some(health.pending, "pending sectors"),
        some(health.uncorrected, "errors that it did not mend"),
        health.used.filter(|used| *used >= WORN).map(|used| format!("{used:.0} % of its endurance used")),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn of(health: DriveHealth) -> Vec<String> {
        told(&RULE, |facts| one_disk(facts, |disk| disk.health = Some(health.clone())))
    }

    #[test]
    fn it_is_seen() {
        let well = DriveHealth { passed: Some(true), used: Some(3.0), pending: Some(0), ..DriveHealth::default() };
        assert_eq!(of(DriveHealth { passed: Some(false), ..well.clone() }), ["b"]);
        assert_eq!(of(DriveHealth { pending: Some(8), ..well.clone() }), ["b"]);
        assert_eq!(of(DriveHealth { uncorrected: Some(1), ..well.clone() }), ["b"]);
        assert_eq!(of(DriveHealth { used: Some(104.0), ..well }), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        let well = DriveHealth { passed: Some(true), used: Some(89.0), pending: Some(0), ..DriveHealth::default() };
        assert_eq!(of(well), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
        assert_eq!(of(DriveHealth::default()), NOBODY);
    }
}
