//! A disk that is slower than its peers: others of the same model, measured in the same way.

use crate::diagnose::peers::{self, slow_targets};
use crate::diagnose::rules::osd::osd_slow;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect};
use judge::lies_on;
use model::pattern::Family;
use model::{Outlier, Standing, Subject, TargetKind};

pub static RULE: Rule = Rule {
    id: "device-slow",
    about: Area::Device,
    what: "A disk is slower than others of its model.",
    evidence: "In at least one pattern it is slower than the median of its peers by 10 % and more, beyond the noise (docs/method.md, \"The slow one\"). Confirmed if it \
               and its peers were each measured twice, alone.",
    sources: &["docs/method.md, \"The slow one\": simulated healthy peers, with 5 % false discoveries"],
    needs: &[Source::Outliers],
    suspect: |case| slow_targets(case, TargetKind::Path),
    test: Some(peers::MEASURE_AGAIN),
    explains: &[Explains {
        rule: &osd_slow::RULE,
        which: "that of an OSD on it, if the disk is slow in the same patterns, by as large a factor, and by at least half of the OSD's milliseconds",
        follows: slows_osd,
    }],
    fix: "compare its SMART data, firmware, link speed and temperature with its peers'",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    ..Rule::USUAL
};

/// A write waits for its disk at most this often: for its data, and for RocksDB's log.
const WAITS: f64 = 2.0;
/// By chance an OSD may seem slower than its disk by up to this factor.
const CHANCE: f64 = 1.1;

/// Is the OSD slow because of this disk? The disk has to be slow in every pattern in which the OSD is slow, and slow enough to explain it:
/// else the OSD has another cause, perhaps besides the disk. A hint explains nothing that is confirmed.
fn slows_osd(disk: &Suspect, slow: &Suspect, case: &Case) -> bool {
    let Subject::Osd(id) = slow.subject else { return false };
    let of = |suspect: &Suspect| case.outliers.iter().filter(|outlier| outlier.subject == suspect.subject).collect();
    let (disks, osds): (Vec<&Outlier>, Vec<&Outlier>) = (of(disk), of(slow));
    let suffices = |osd: &&Outlier| disks.iter().any(|disk| disk.pattern == osd.pattern && suffices(disk, osd, case));
    let on_it = case.record.scope.osds.iter().filter(|osd| osd.id == id).any(|osd| {
        let own = |entry: &&judge::Entry| entry.only_target().map(Subject::of).as_ref() == Some(&disk.subject);
        case.entries.iter().filter(own).any(|entry| lies_on(entry, osd))
    });
    let sure = disk.standing == Standing::Confirmed || slow.standing == Standing::Hint;
    on_it && sure && osds.iter().all(suffices)
}

/// What an OSD adds to its disk makes it slower by a smaller factor than the disk; and it waits for the disk at most [`WAITS`] times.
fn suffices(disk: &Outlier, osd: &Outlier, case: &Case) -> bool {
    let times = |outlier: &Outlier| 1.0 / (1.0 - outlier.slower_by);
    let more_ms = |outlier: &Outlier| {
        let own = case.entries.iter().filter(|entry| {
            let it = entry.only_target().map(Subject::of).as_ref() == Some(&outlier.subject);
            it && entry.is(outlier.layer, outlier.pattern) && entry.figure.chart
        });
        let alone = own.min_by_key(|entry| entry.figure.at_once)?;
        Some(alone.usable()?.value * outlier.slower_by)
    };
    let enough = match osd.pattern.family() {
        Family::Latency => more_ms(disk).zip(more_ms(osd)).is_some_and(|(disk, osd)| osd <= WAITS * CHANCE * disk),
        _ => true,
    };
    enough && times(osd) <= CHANCE * times(disk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::{Made, disk, osd};
    use crate::diagnose::testing::{findings, one, suspects, text, told};
    use model::{Pattern, Standing};

    fn with(factor: f64, disks: u32) -> Made {
        let mut made = Made::cluster();
        for id in 0..disks {
            let slow = if id == 2 { factor } else { 1.0 };
            made.measured(Pattern::WriteLatency, disk(id), 0.3 * slow);
            made.delivers(Pattern::ReadParallel, disk(id), 9000.0 / slow);
        }
        made
    }

    #[test]
    fn the_slow_one_of_three_is_named_once_with_its_patterns() {
        let found = suspects(&RULE, &with(2.0, 3).record);
        assert_eq!((found.len(), found[0].standing), (1, Standing::Confirmed));
        assert_eq!(text(&found[0].says), "/dev/vd2 is slower than its peers");
        let evidence: Vec<String> = found[0].evidence.iter().map(text).collect();
        assert!(evidence[0].starts_with("write-latency: /dev/vd2 takes 100 % longer than"), "{evidence:?}");
        assert!(evidence[1].starts_with("read-parallel: /dev/vd2 is 50 % slower than"), "{evidence:?}");
    }

    #[test]
    fn equal_disks_and_those_without_peers_are_not_suspected() {
        assert_eq!(suspects(&RULE, &with(1.02, 3).record), []);
        let two = with(2.0, 3).record.slices.into_iter().filter(|slice| slice.step.0 > 1).collect();
        assert_eq!(suspects(&RULE, &model::Record { slices: two, ..with(2.0, 3).record }), []);
    }

    /// With an OSD on it that takes `ms`; the two others take 1 ms.
    fn osd_on_it(factor: f64, pattern: Pattern, ms: f64) -> Made {
        let mut made = with(factor, 3);
        for id in 0..3 {
            made.measured(pattern, osd(id), if id == 2 { ms } else { 1.0 });
        }
        made
    }

    #[test]
    fn it_explains_an_osd_that_is_slow_in_the_same_way_and_no_more_than_it_can() {
        let told = |factor, pattern, ms| told(&osd_on_it(factor, pattern, ms).record);
        let both = [one("device-slow", "/dev/vd2"), one("osd-slow", "osd.2")];
        assert_eq!(told(2.0, Pattern::WriteLatency, 1.5), [one("device-slow", "/dev/vd2")]);
        assert_eq!(told(2.0, Pattern::WriteLatency, 17.0), both, "another cause makes it so much slower");
        assert_eq!(told(1.5, Pattern::WriteLatency, 1.45), both, "0.15 ms more of the disk are not 0.45 ms more");
        assert_eq!(told(2.0, Pattern::ReadLatency, 1.5), both, "the disk is not slow in that");
        let mut elsewhere = osd_on_it(2.0, Pattern::WriteLatency, 1.5);
        elsewhere.record.scope.devices.clear();
        elsewhere.record.scope.osds[2].device = Some("vd7".into());
        assert_eq!(crate::diagnose::testing::told(&elsewhere.record), both, "it is not known on which disk it lies");
        let found = &findings(&osd_on_it(2.0, Pattern::WriteLatency, 1.5).record)[0];
        let says = text(found.all_evidence().last().unwrap());
        assert!(says.starts_with("osd.2 is slower than its peers (write-latency: osd.2 takes 5"), "{says}");
    }
}
