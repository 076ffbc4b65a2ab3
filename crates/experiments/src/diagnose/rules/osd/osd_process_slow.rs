//! An OSD whose process is slow in all that it does.

use super::by_position::{Slow, Where, every};
use super::{cpu_kv_sync_bound, cpu_msgr_bound, osd_holds_operations, osd_slow, osd_thread_full};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{Phrase, Standing, Subject, phrase};

pub static RULE: Rule = Rule {
    id: "osd-process-slow",
    about: Area::Osd,
    what: "An OSD's process is slow in its own software: it gets too little of the processor, is stopped at times, or has more to do than its peers.",
    evidence: "In writes between pairs of OSDs it adds at least 15 % of a usual write, by twice its 95 % interval, and at least a quarter of that is spent before its store \
               and its replicas have the write, and less than six tenths (on average over both roles) in its store's commits; or it adds as much in both roles, in bursts that the median of the writes does not show, and no other OSD of its host does. A hint, if it \
               adds at least 15 % in the mean of both roles, each beyond its 95 % interval but not by twice that, in such bursts, and no other OSD of its host does. Or it has a part in \
               nearly all writes that take eight times as long as the 90th percentile and more, at eight tenths of the moments at which there are any, which happens to an OSD by \
               chance in one of a thousand diagnoses (in one of twenty: a hint; also where no other OSD lies on its host), and less than three tenths of their time is in its store's \
               commits. What is long within half a second is of one moment.",
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
        cpu_kv_sync_bound::FOLLOWS,
        cpu_msgr_bound::FOLLOWS,
        osd_thread_full::FOLLOWS,
        osd_holds_operations::FOLLOWS,
    ],
    fix: "compare its process with its peers': cgroup limits (cpu.max or cpu.cfs_quota_us and the throttled time beside it), debug options and delays of messages (ceph config show osd.N | grep \
          -e debug -e ms_inject), what else runs on its processors, CPU pinning",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "cat cpu.stat of its control group before and after a load (nr_throttled), and fathom prove for the options that differ from its peers'",
    tried: Tried::Machines,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    every(case).iter().filter_map(|slow| of_one(slow, case)).collect()
}

fn of_one(slow: &Slow, case: &Case) -> Option<Suspect> {
    let name = || Subject::Osd(slow.osd.osd);
    if slow.is_clear() && slow.spent() == Where::Process {
        let at_times: Phrase = if slow.in_bursts() { " in bursts".into() } else { Phrase::default() };
        return Some(
            slow.suspect(phrase!("{}'s process is slow{}, not its disk and not the network", name(), at_times), case),
        );
    }
    let told_otherwise = slow.is_clear() && slow.spent() != Where::Unknown;
    let stalls = slow.stalls().filter(|stalls| !told_otherwise && stalls.spent != Where::Store);
    match stalls.map(|stalls| stalls.standing) {
        Some(Standing::Confirmed) => {
            Some(slow.stalling(phrase!("{}'s process stops at times, and its writes wait: not its disk", name()), case))
        }
        Some(Standing::Hint) => {
            let says = phrase!(
                "{} seems to be held up at times: its process stops, or packets to or from its host are lost",
                name()
            );
            Some(Suspect { standing: Standing::Hint, ..slow.stalling(says, case) })
        }
        None => slow.may_be_held_up().then(|| {
            let says =
                phrase!("{} seems to be held up at times: few of its writes take very long, in both its roles", name());
            Suspect { standing: Standing::Hint, ..slow.suspect(says, case) }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;

    #[test]
    fn debug_logging_is_software_in_all_quantiles() {
        let wanted = ["osd.1's process is slow, not its disk and not the network"];
        assert_eq!(says_of_one(&RULE, DEBUG_LOGGING), wanted);
    }

    #[test]
    fn a_process_that_is_stopped_at_times_is_slow_in_bursts() {
        let wanted = ["osd.1's process is slow in bursts, not its disk and not the network"];
        assert_eq!(says_of_one(&RULE, STOPPED_AT_TIMES), wanted);
        // If the other OSD of its host does the same, it is not its process.
        assert!(says_of_host(&RULE, STOPPED_AT_TIMES).is_empty());
    }

    #[test]
    fn too_little_of_the_processor_is_told_from_a_disk_for_which_all_waits() {
        assert_eq!(says_of_one(&RULE, CPU_QUOTA).len(), 1);
        assert!(says_of_one(&RULE, SLOWER_DISK).is_empty());
    }

    #[test]
    fn an_osd_that_stops_seldom_is_a_hint_and_none_where_its_neighbour_does_too() {
        let told =
            |slow: fn(u32) -> bool| told_of(&RULE, &positions(|osd| if slow(osd) { STOPPED_SELDOM } else { NOTHING }));
        let says =
            "osd.1 seems to be held up at times: few of its writes take very long, in both its roles".to_string();
        assert_eq!(told(|osd| osd == 1), [(Standing::Hint, says)]);
        assert_eq!(told(|osd| osd % 3 == 1), []);
        assert_eq!(told(|_| false), []);
    }

    #[test]
    fn healthy_osds_other_causes_and_osds_without_timers_are_not_suspected() {
        for other in [NOTHING, SLOW_DISK, SENDS_SLOWLY, Adds { own: None, ..DEBUG_LOGGING }] {
            assert!(says_of_one(&RULE, other).is_empty());
        }
    }

    #[test]
    fn one_that_is_late_with_both_is_told_as_neither() {
        // Commits take 70 % of what it adds, its software 58 %.
        assert!(says_of_one(&RULE, Adds { own: Some([2.36, 2.66]), ..CPU_QUOTA }).is_empty());
    }

    /// Twelve stops of 200 ms in twelve seconds.
    #[test]
    fn an_osd_that_has_a_part_in_all_long_writes_stops_at_times() {
        let told = |writes, own| told_of(&RULE, &with_long_writes(positions(|_| NOTHING), writes, own));
        let stops = "osd.1's process stops at times, and its writes wait: not its disk";
        assert_eq!(told(12, 12), [(Standing::Confirmed, stops.to_string())]);
        // Of four all may be its own by chance, of twenty half; where nothing is long nobody is suspected.
        assert_eq!(told(4, 4).iter().map(|(standing, _)| *standing).collect::<Vec<_>>(), []);
        assert_eq!((told(20, 10), told(0, 0)), (vec![], vec![]));
        assert_eq!(told(5, 5)[0].0, Standing::Hint);
    }

    /// A flush or a compaction, which every OSD has now and then.
    #[test]
    fn many_long_writes_of_one_moment_are_one_event() {
        let mut all = with_long_writes(positions(|_| NOTHING), 30, 30);
        all.long.moments = 1;
        all.osds.iter_mut().for_each(|osd| osd.took_part.moments = u64::from(osd.osd == 1));
        assert_eq!(told_of(&RULE, &all), []);
    }

    #[test]
    fn where_no_other_osd_lies_on_its_host_it_may_be_the_host() {
        let mut alone = with_long_writes(positions(|_| NOTHING), 12, 12);
        alone.osds.retain(|osd| osd.osd < 3);
        assert_eq!(told_of(&RULE, &alone)[0].0, Standing::Hint);
    }
}
