//! An OSD whose store commits slowly.

use super::by_position::{Slow, Where, every};
use super::devices::WaitsOn;
use super::{osd_holds_operations, osd_slow};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{Phrase, Standing, phrase};

pub static RULE: Rule = Rule {
    id: "osd-store-slow",
    about: Area::Osd,
    what: "An OSD's store takes long to make writes durable: its disk, the device of its database, or what limits or shares them. Where the device of its database and log alone is slow, that is osd-db-slow.",
    evidence: "In writes between pairs of OSDs it adds at least 15 % of a usual write, by twice its 95 % interval, at least half of it in its store's commits, and less than a \
               quarter in its own software; or, where its software takes more, at least eight tenths of it (on average over both roles) in commits: the rest then waits for the store as well. \
               Or it has a part in nearly all writes that take eight times as long as the 90th percentile and more, at eight tenths of the moments at which there are any, which happens to \
               an OSD by chance in one of a thousand diagnoses (in one of twenty: a hint), and at least seven tenths of their time is in its commits.",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions],
    suspect,
    test: None,
    explains: &[
        Explains {
            rule: &osd_slow::RULE,
            which: "that of the same OSD, where this one is certain",
            follows: |cause, slow, _| cause.standing == Standing::Confirmed && cause.subject == slow.subject,
        },
        osd_holds_operations::FOLLOWS,
    ],
    fix: "measure its disk alone (fathom disk, on a spare partition or after it was drained); compare SMART data, firmware, link and write cache with its peers'; look for \
          limits of block I/O in its cgroup, and for who else uses the disk or the device of its database",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "fathom store OSD measures its store alone, and fathom disk its disk",
    tried: Tried::Machines,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    every(case).iter().filter_map(|slow| of_one(slow, case)).collect()
}

fn of_one(slow: &Slow, case: &Case) -> Option<Suspect> {
    match slow.waits(case) {
        // A cause of its own: osd-db-slow.
        Some(waits) if waits.on == WaitsOn::Log => None,
        Some(waits) => {
            let mut suspect = of_store(slow, case, |how| phrase!("{}: {}", how, waits.says()))?;
            suspect.evidence.push(waits.evidence());
            Some(suspect)
        }
        None => of_store(slow, case, |how| phrase!("{}: its disk, or what limits it", how)),
    }
}

/// An OSD whose store is slow; `says`: how it is slow becomes what is said.
pub fn of_store(slow: &Slow, case: &Case, says: impl FnOnce(Phrase) -> Phrase) -> Option<Suspect> {
    let name = || model::Subject::Osd(slow.osd.osd);
    if slow.is_clear() {
        let at_times: Phrase = if slow.in_bursts() { " in bursts".into() } else { Phrase::default() };
        let how = phrase!("{}'s store commits slowly{}", name(), at_times);
        return (slow.spent() == Where::Store).then(|| slow.suspect(says(how), case));
    }
    let stalls = slow.stalls().filter(|stalls| stalls.spent == Where::Store)?;
    let how = phrase!("{}'s store stops at times, and its writes wait", name());
    Some(Suspect { standing: stalls.standing, ..slow.stalling(says(how), case) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;
    use model::facts::OsdFacts;

    #[test]
    fn a_disk_with_a_limit_is_slow_in_its_commits() {
        let wanted = ["osd.1's store commits slowly in bursts: its disk, or what limits it"];
        assert_eq!(says_of_one(&RULE, SLOW_DISK), wanted);
        assert_eq!(says_of_one(&RULE, SLOWER_DISK), wanted);
        let again = Adds { primary: [0.4, 28.3, 73.7], own: Some([35.5, 22.4]), ..SLOWER_DISK };
        assert_eq!(says_of_one(&RULE, again), wanted);
    }

    #[test]
    fn healthy_osds_other_causes_and_osds_without_timers_are_not_suspected() {
        for other in
            [NOTHING, DEBUG_LOGGING, CPU_QUOTA, STOPPED_AT_TIMES, SENDS_SLOWLY, Adds { own: None, ..SLOW_DISK }]
        {
            assert!(says_of_one(&RULE, other).is_empty());
        }
    }

    /// Of OSDs of the class ssd those on SATA take longer than those on NVMe, as they must.
    #[test]
    fn what_a_disk_of_another_kind_takes_is_no_fault() {
        let all = positions(|osd| if osd == 3 || osd == 4 { SLOW_DISK } else { NOTHING });
        let with = |disk: fn(u32) -> Vec<String>| {
            let osd = |id| OsdFacts { id, class: Some("ssd".into()), data_devices: disk(id), ..OsdFacts::default() };
            told_of_facts(&RULE, &all, (0..6).map(osd).collect()).len()
        };
        assert_eq!(with(|osd| vec![if osd == 3 || osd == 4 { "sda" } else { "nvme0n1" }.to_string()]), 0);
        assert_eq!(with(|_| vec!["sda".to_string()]), 2);
        assert_eq!(with(|_| Vec::new()), 2, "of disks that are not known the class tells");
        assert_eq!(with(|osd| vec![if osd < 3 { "sda" } else { "nvme0n1" }.to_string()]), 0, "there is no usual kind");
    }

    #[test]
    fn one_that_is_late_with_both_is_told_as_neither() {
        // Commits take 70 % of what it adds, its software 58 %.
        assert!(says_of_one(&RULE, Adds { own: Some([2.36, 2.66]), ..CPU_QUOTA }).is_empty());
    }

    #[test]
    fn long_writes_whose_time_is_in_its_commits_are_those_of_its_store() {
        let stops = |commit| {
            let mut all = with_long_writes(positions(|_| NOTHING), 12, 12);
            all.osds[1].timers = Some(model::OsdStages { software: 0.45, commit, parts: None });
            told_of(&RULE, &all)
        };
        let says = "osd.1's store stops at times, and its writes wait: its disk, or what limits it";
        assert_eq!(stops(1.0), [(model::Standing::Confirmed, says.to_string())]);
        assert!(stops(0.4).is_empty());
    }
}
