//! Drives whose figures were published, and made ones near every bound.

use super::by_writes::{DISK_LEAST, GOOD, OSD_ALONE, PROTECTED, TURNS};
use super::*;
use model::WriteCache;

fn exactly(value: f64) -> Estimate {
    Estimate::new(value, value * 0.02)
}

fn cache(on: bool, flushed: bool) -> WriteCache {
    WriteCache { disk: "sdx".into(), on, flushed, alone: true, shared: false, identity: None }
}

/// Writes per second with O_DSYNC, fsync, fdatasync and without, and reads per second, one in flight.
pub(super) fn drive(rates: [f64; 4], reads: f64) -> DriveFound {
    let ways = [Durability::Dsync, Durability::Fsync, Durability::Fdatasync, Durability::None];
    let writes = |(way, rate): (Durability, f64)| DriveWrites { way, alone: Some(exactly(rate)), many: None };
    DriveFound {
        target: "/dev/sdx".to_string(),
        host: None,
        model: None,
        about: None,
        through_file: false,
        beside: Vec::new(),
        fitness: Fitness::Open,
        reasons: Vec::new(),
        cache: None,
        switched: Vec::new(),
        writes: ways.into_iter().zip(rates).map(writes).collect(),
        reads: [Some(exactly(reads)), None],
        mixed: [None; 2],
        rested: Vec::new(),
        temperatures: Vec::new(),
        linear: [None; 2],
        one_osd: None,
        serves: None,
    }
}

fn told(rates: [f64; 4], reads: f64) -> (Fitness, Vec<FitnessReason>) {
    judged(&drive(rates, reads), None)
}

/// Durable writes may be as fast as others or only faster than flash: either way no test tells whether they are safe, and that is said.
#[test]
fn that_safety_is_not_proven_is_said_whichever_reason_holds() {
    let mut found = drive([93_000.0, 106_000.0, 110_000.0, 120_000.0], 200_000.0);
    for writes in &mut found.writes {
        writes.alone = writes.alone.map(|exact| Estimate::new(exact.value, exact.value * 0.3));
    }
    let (fitness, reasons) = judged(&found, None);
    assert_eq!(fitness, Fitness::Fit);
    assert_eq!(reasons.iter().filter(|reason| reason.is_unproven()).count(), 1, "{reasons:?}");
}

/// Figures of drives that were published, and those of a drive whose flush takes 3.5 ms.
#[test]
fn published_drives_are_what_they_are_known_for() {
    use Fitness::{Fit, NotForJournals, Unfit};
    use FitnessReason::{CacheEmptied, NothingEmptied, Rotates};
    let slower_than_osds = FitnessReason::SlowerThanOsds { least: OSD_ALONE };
    let slower_than_journals = FitnessReason::SlowerThanJournals { least: GOOD, protected: PROTECTED };
    let slower_than_disks = FitnessReason::SlowerThanDisks { least: DISK_LEAST };
    // Micron 5100 Eco, its cache on and off; Seagate Nytro 1351 likewise.
    assert_eq!(told([659.0, 659.0, 659.0, 25_000.0], 9_000.0), (Unfit, vec![slower_than_osds.clone(), CacheEmptied]));
    assert_eq!(told([25_100.0; 4], 9_000.0), (Fit, vec![NothingEmptied]));
    assert_eq!(told([288.0, 288.0, 288.0, 20_000.0], 8_000.0).0, Unfit);
    assert_eq!(told([18_100.0, 18_100.0, 18_100.0, 20_000.0], 8_000.0).0, Fit);
    // A consumer's SSD that flushes quickly, and a disk of 7,200 turns a minute, alone and shingled.
    assert_eq!(
        told([1_900.0, 1_800.0, 1_850.0, 30_000.0], 9_000.0),
        (NotForJournals, vec![slower_than_journals, CacheEmptied])
    );
    assert_eq!(told([110.0, 60.0, 62.0, 250.0], 75.0), (NotForJournals, vec![Rotates]));
    assert_eq!(told([9.0, 8.0, 8.0, 250.0], 75.0), (Unfit, vec![slower_than_disks, Rotates]));
    // A flush that takes 3.5 ms.
    assert_eq!(told([124.0, 231.0, 231.0, 5_836.0], 6_000.0), (Unfit, vec![slower_than_osds, CacheEmptied]));
}

#[test]
fn writes_that_are_durable_before_the_medium_turned_are_kept_by_something_before_it() {
    let (fitness, reasons) = told([9_000.0; 4], 80.0);
    assert_eq!(fitness, Fitness::NotForJournals);
    assert_eq!(reasons[..2], [FitnessReason::Rotates, FitnessReason::SoonerThanMedium { per_second: TURNS }]);
}

#[test]
fn a_way_that_does_nothing_is_told_and_the_other_one_counts() {
    let (fitness, reasons) = told([20_000.0, 900.0, 900.0, 22_000.0], 9_000.0);
    assert_eq!(fitness, Fitness::Unfit);
    let differ = |reason: &FitnessReason| match reason {
        FitnessReason::WaysDiffer { factor } => Some(*factor),
        _ => None,
    };
    let factor = reasons.iter().find_map(differ).unwrap();
    assert!((factor - 22.2).abs() < 0.1, "{factor}");
}

#[test]
fn what_the_interval_leaves_open_or_is_missing_is_not_decided() {
    let mut wide = drive([5_100.0, 5_100.0, 5_100.0, 9_000.0], 9_000.0);
    wide.writes[1].alone = Some(Estimate::new(5_000.0, 600.0));
    let (fitness, reasons) = judged(&wide, None);
    assert_eq!(fitness, Fitness::Open);
    let (either, or, low, high) = (Fitness::Fit, Fitness::NotForJournals, 4_400.0, Some(5_202.0));
    assert_eq!(reasons, [FitnessReason::Undecided { either, or, low, high }]);
    wide.writes[1].alone = None;
    let what = "writes with fsync".to_string();
    assert_eq!(judged(&wide, None), (Fitness::Open, vec![FitnessReason::NotMeasured { what, why: None }]));
}

/// 8 reads and 8 writes a second: a throttle, and no disk; 9 ms for a read of what the kernel knows to be flash.
#[test]
fn what_is_slower_than_any_disk_or_known_not_to_rotate_is_no_disk() {
    let slow_reads =
        |reasons: &[FitnessReason]| reasons.iter().any(|one| matches!(one, FitnessReason::SlowReads { .. }));
    let (fitness, reasons) = told([8.0; 4], 8.0);
    assert_eq!(fitness, Fitness::Unfit);
    assert!(slow_reads(&reasons) && !reasons.contains(&FitnessReason::Rotates), "{reasons:?}");
    let (fitness, reasons) = judged(&drive([110.0, 60.0, 62.0, 250.0], 110.0), Some(false));
    assert_eq!(fitness, Fitness::Unfit);
    assert!(slow_reads(&reasons) && !reasons.contains(&FitnessReason::Rotates), "{reasons:?}");
    assert!(!slow_reads(&told([110.0, 60.0, 62.0, 250.0], 75.0).1), "a disk");
}

/// 277 durable writes a second, and a read of 1.98 ms, give or take: unfit flash, or a disk.
#[test]
fn reads_near_the_bound_decide_nothing() {
    let mut near = drive([277.0, 280.0, 290.0, 5_000.0], 1e3 / 1.98);
    near.reads[0] = Some(Estimate { value: 505.0, low: 465.0, high: 552.0 });
    let (fitness, reasons) = judged(&near, Some(true));
    assert_eq!(fitness, Fitness::Open);
    let either = (Fitness::NotForJournals, Fitness::Unfit);
    assert!(
        matches!(&reasons[0], FitnessReason::ReadsUndecided { either: a, or: b, low_ms, .. } if (*a, *b) == either && *low_ms < 2.0),
        "{reasons:?}"
    );
    assert!(!reasons.contains(&FitnessReason::Rotates));
}

#[test]
fn a_way_that_is_hardly_known_is_no_faster_than_one_that_is() {
    let mut wide = drive([164.0, 159.0, 189.0, 470.0], 9_000.0);
    wide.writes[1].alone = Some(Estimate { value: 159.0, low: 67.0, high: f64::INFINITY });
    assert_eq!(judged(&wide, None).0, Fitness::Unfit);
}

/// Where every command takes 1.5 ms and nothing is emptied, a durable write is two or three commands.
#[test]
fn a_share_that_the_commands_alone_explain_empties_no_cache() {
    for rates in [[175.0, 227.0, 227.0, 470.0], [932.0, 1_081.0, 1_081.0, 4_101.0]] {
        assert!(!told(rates, 9_000.0).1.contains(&FitnessReason::CacheEmptied), "{rates:?}");
    }
    let (fitness, reasons) = told([11_000.0, 12_000.0, 12_000.0, 30_000.0], 9_000.0);
    assert_eq!((fitness, reasons), (Fitness::Fit, vec![FitnessReason::FasterThanFlash]));
}

#[test]
fn a_drive_that_sleeps_between_reads_is_told() {
    let after = |pauses: &[(f64, Estimate)]| {
        let rested = pauses.iter().map(|(pause_ms, mean)| RestedReads { pause_ms: *pause_ms, mean: *mean });
        let found = DriveFound { rested: rested.collect(), ..drive([25_000.0; 4], 10_000.0) };
        judged(&found, None).1
    };
    let slow = Estimate::new(8.0, 1.0);
    let told = after(&[(1.0, Estimate::new(0.1, 0.01)), (10.0, slow), (100.0, slow)]);
    assert!(told.contains(&FitnessReason::Sleeps { pause_ms: 10.0, rested_ms: 8.0, ms: 0.1 }), "{told:?}");
    let of = |rested: Estimate| {
        let asleep = FitnessReason::Sleeps { pause_ms: 100.0, rested_ms: rested.value, ms: 0.1 };
        after(&[(100.0, rested)]).contains(&asleep)
    };
    assert!(of(Estimate::new(8.0, 1.0)));
    assert!(!of(Estimate::new(8.0, 7.9)), "not certain");
    assert!(!of(Estimate::new(0.3, 0.01)), "a processor that wakes up");
    assert!(!of(Estimate::new(0.1, 0.01)));
}

#[test]
fn no_reason_is_told_that_only_one_end_of_an_interval_has() {
    let mut wide = drive([2_000.0, 2_000.0, 2_000.0, 30_000.0], 9_000.0);
    wide.writes[1].alone = Some(Estimate { value: 600.0, low: 100.0, high: 3_000.0 });
    let (fitness, reasons) = judged(&wide, None);
    assert_eq!(fitness, Fitness::Open);
    assert_eq!(reasons[1..], [FitnessReason::CacheEmptied], "not that it is slower than OSDs");
    // And of its cache nothing is known either.
    (wide.cache, wide.switched) = (Some(cache(true, true)), drive([2_000.0; 4], 9_000.0).writes);
    assert_eq!(judged(&wide, None).1.last(), Some(&FitnessReason::CacheOffUnknown));
    wide.switched[0].alone = None;
    assert_eq!(judged(&wide, None).1.last(), Some(&FitnessReason::CacheEmptied), "a way is missing");
}

/// The Micron 5100 Eco again: 659 durable writes a second with its cache on, 25,100 with it off.
#[test]
fn a_cache_that_is_better_off_makes_a_drive_fit_and_one_that_does_not_matter_is_told() {
    let switched = |now: f64, then: f64, on: bool| {
        let mut found = drive([now, now, now, 26_000.0], 9_000.0);
        (found.cache, found.switched) = (Some(cache(on, true)), drive([then, then, then, 26_000.0], 9_000.0).writes);
        judged(&found, None)
    };
    let (fitness, reasons) = switched(659.0, 25_100.0, true);
    assert_eq!(fitness, Fitness::FitIfCacheOff);
    assert!(
        matches!(reasons[0], FitnessReason::CacheOffHelps { factor, then: Fitness::Fit } if (factor - 38.1).abs() < 0.1),
        "{reasons:?}"
    );
    let (fitness, reasons) = switched(659.0, 660.0, true);
    assert_eq!(fitness, Fitness::Unfit);
    assert_eq!(reasons.last(), Some(&FitnessReason::CacheOffDoesNotHelp));
    assert!(matches!(switched(659.0, 330.0, true).1.last(), Some(FitnessReason::CacheOffSlower { .. })));
    // As another one that is told, of the state in which it would be used.
    assert_eq!(switched(659.0, 12_000.0, true).1.last(), Some(&FitnessReason::FasterThanFlash));
    // It helps, and not enough.
    let (fitness, reasons) = switched(230.0, 700.0, true);
    assert_eq!(fitness, Fitness::Unfit);
    assert!(matches!(reasons[0], FitnessReason::CacheOffHelps { .. }), "{reasons:?}");
    let (fitness, reasons) = switched(12_000.0, 24_000.0, false);
    assert_eq!(fitness, Fitness::Fit);
    assert!(matches!(reasons[0], FitnessReason::CacheOnHelps { .. }), "{reasons:?}");
    let mut unsafe_one = drive([25_000.0; 4], 9_000.0);
    unsafe_one.cache = Some(cache(true, false));
    assert_eq!(judged(&unsafe_one, None).1[0], FitnessReason::CacheNotFlushed);
    assert_eq!(judged(&unsafe_one, None).0, Fitness::Unfit);
}

#[test]
fn the_kernel_is_believed_only_if_it_says_that_nothing_rotates() {
    let mut fast = drive([25_000.0; 4], 9_000.0);
    assert_eq!(judged(&fast, Some(true)).0, Fitness::Fit);
    fast.reads[0] = None;
    let what = "random reads".to_string();
    let told = (Fitness::Open, vec![FitnessReason::NotMeasured { what, why: None }, FitnessReason::NothingEmptied]);
    assert_eq!(judged(&fast, Some(true)).0, told.0, "virtual disks say that they rotate");
    assert_eq!(judged(&fast, Some(true)).1[0], told.1[0]);
    assert_eq!(judged(&fast, Some(false)).0, Fitness::Fit);
}

/// A disk behind a controller whose cache holds all that is read and written.
#[test]
fn a_drive_that_says_how_fast_it_turns_is_a_disk_however_fast_a_cache_before_it_is() {
    let mut cached = drive([25_000.0; 4], 9_000.0);
    let queue = model::facts::BlockQueue { turns_a_minute: Some(7200), ..Default::default() };
    cached.about = Some(model::DriveAbout { queue, health: Err("x".into()) });
    let (fitness, reasons) = judged(&cached, Some(true));
    assert_eq!(fitness, Fitness::NotForJournals);
    assert_eq!(reasons, [FitnessReason::Rotates, FitnessReason::SoonerThanMedium { per_second: TURNS }]);
    assert_eq!(judged(&cached, Some(false)).0, Fitness::Fit, "the kernel knows that it is flash");
}
