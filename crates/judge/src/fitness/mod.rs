//! Is a drive fit for Ceph? By how much a durable write costs beside another one, and by how long a read takes.

mod health;
mod odd;

use crate::entry::Entry;
use model::fitness::{MANY, by, slowest_durable};
use model::workload::MIB;
use model::{
    DriveFound, DriveWrites, Durability, Estimate, Fitness, FitnessReason, JudgedDrive, Label, Metric, OpClass,
    Workload,
};

/// Durable writes per second, one in flight. SSDs with capacitors make 10,000 and more; of those without, the flash has to be
/// written each time: 100 to 2,000 (catalogue of causes, disk-no-plp; Micron 5100, Seagate Nytro 1351).
const GOOD: f64 = 10_000.0;
/// From here on also good, if a durable write is not far slower than another one.
const PROTECTED: f64 = 5_000.0;
/// At least this share of the other writes, where durable ones need not wait for the flash.
const PROTECTED_SHARE: f64 = 0.2;
/// What a fast OSD does with one operation in flight, by its software: 300 to 2,500. A drive below it holds it back.
const OSD_ALONE: f64 = 1_000.0;
/// Disks make 60 to 200; shingled ones that are full, fewer than this.
const DISK_LEAST: f64 = 20.0;
/// ms of a random read from which on a medium rotates: half a turn at 15,000 turns a minute, and no flash needs as long.
const ROTATES: f64 = 2.0;
/// No disk takes longer for one alone: half a turn and the longest way of its heads are below 30 ms.
const ROTATES_MOST: f64 = 60.0;
/// Twice the turns in a second of the fastest disks.
const TURNS: f64 = 500.0;
/// Durable writes reach this share of the others where nothing is emptied for them.
const NOTHING_EMPTIED: f64 = 0.8;
/// And stay below this one where a cache is. A flush that does nothing is a command as well, and O_DSYNC on a device may be three in all:
/// a third to a quarter by itself.
const EMPTIED: f64 = 0.2;
/// A switched cache helps if it makes at least this many times as many writes durable, for certain. Some drives get slower.
const HELPS: f64 = 1.1;
/// And does not, if it makes less than this many times as many, for certain.
const NO_HELP: f64 = 1.25;
/// Two ways that are to do the same and differ by more.
const WAYS_DIFFER: f64 = 3.0;

/// What is known of each drive, the worst first.
pub fn drives(entries: &[Entry], judged: &[JudgedDrive]) -> Vec<DriveFound> {
    let mut found: Vec<DriveFound> = judged.iter().map(|drive| one(entries, drive)).collect();
    for (target, reason) in odd::odd_ones(entries, judged) {
        let own = found.iter_mut().filter(|drive| drive.target == target);
        own.for_each(|drive| drive.reasons.push(reason.clone()));
    }
    found.sort_by_key(|drive| Fitness::BY_GRAVITY.iter().position(|one| *one == drive.fitness));
    found
}

fn one(entries: &[Entry], drive: &JudgedDrive) -> DriveFound {
    let own: Vec<&Entry> = entries.iter().filter(|entry| entry.figure.target == drive.target).collect();
    let figure = |class: OpClass, like: &dyn Fn(&Workload) -> bool| {
        let of = |entry: &&&Entry| entry.figure.kind == class && like(&entry.figure.workload);
        own.iter().find(of).and_then(|entry| rate(entry))
    };
    let small = |load: &Workload, depth: u32| load.block < MIB && load.depth == depth && !load.mix.is_mixed();
    let writes = |switched: bool| {
        let by = |way: Durability, depth: u32| {
            figure(OpClass::Write, &move |load| {
                small(load, depth) && load.durability == way && load.settings.is_empty() != switched
            })
        };
        let ways = [Durability::Dsync, Durability::Fsync, Durability::Fdatasync, Durability::None];
        ways.map(|way| DriveWrites { way, alone: by(way, 1), many: by(way, MANY) }).to_vec()
    };
    let linear = |class: OpClass| figure(class, &|load| load.block >= MIB);
    let mixed = |class: OpClass| figure(class, &|load| load.mix.is_mixed());
    let reads = [1, MANY].map(|depth| figure(OpClass::Read, &move |load| small(load, depth)));
    let tried = own.iter().any(|entry| !entry.figure.workload.settings.is_empty());
    let mut found = DriveFound {
        target: drive.target.clone(),
        host: own.first().and_then(|entry| entry.figure.host.clone()),
        model: drive.device.as_ref().and_then(|device| device.model.clone()),
        about: drive.about.clone(),
        through_file: drive.through_file,
        fitness: Fitness::Open,
        reasons: Vec::new(),
        cache: drive.cache.clone(),
        writes: writes(false),
        switched: if tried { writes(true) } else { Vec::new() },
        reads,
        mixed: [mixed(OpClass::Read), mixed(OpClass::Write)],
        linear: [linear(OpClass::Write), linear(OpClass::Read)],
    };
    let said = drive.device.as_ref().and_then(|device| device.rotational);
    (found.fitness, found.reasons) = judged(&found, said);
    explain(&mut found, &own);
    let Some(about) = &drive.about else { return found };
    if health::is_failing(about) {
        found.fitness = Fitness::Unfit;
    }
    let told = health::reasons(about).into_iter();
    let (worst, rest): (Vec<_>, Vec<_>) = told.partition(|reason| *reason == FitnessReason::Failing);
    found.reasons = [worst, std::mem::take(&mut found.reasons), rest].concat();
    found
}

/// Why it is not decided, as far as its figures tell.
fn explain(found: &mut DriveFound, own: &[&Entry]) {
    for reason in &mut found.reasons {
        let FitnessReason::NotMeasured { what, why } = reason else { continue };
        let of = |entry: &&&Entry| {
            let load = &entry.figure.workload;
            *what == self::what(load.durability) && load.depth == 1 && load.settings.is_empty() && load.block < MIB
        };
        *why = own
            .iter()
            .filter(of)
            .filter(|entry| entry.usable().is_none())
            .find_map(|entry| entry.figure.label.why().map(str::to_string));
    }
    let held = own.iter().filter(|entry| matches!(entry.figure.label, Label::GeneratorLimited(_))).count() as u64;
    if held * 4 >= own.len() as u64 && found.fitness == Fitness::Open {
        found.reasons.insert(1.min(found.reasons.len()), FitnessReason::HeldBack { loads: held, of: own.len() as u64 });
    }
}

/// Per second; of a time, its reciprocal: with one in flight the next one starts when it has ended.
fn rate(entry: &Entry) -> Option<Estimate> {
    let estimate = entry.usable()?;
    match entry.figure.metric {
        Metric::LatencyMean | Metric::Rtt => {
            let per_second = |ms: f64| if ms > 0.0 { 1e3 / ms } else { f64::INFINITY };
            let Estimate { value, low, high } = estimate;
            (value > 0.0).then(|| Estimate { value: per_second(value), low: per_second(high), high: per_second(low) })
        }
        _ => Some(estimate),
    }
}

/// `said`: does it rotate, as the kernel has it?
fn judged(drive: &DriveFound, said: Option<bool>) -> (Fitness, Vec<FitnessReason>) {
    let kinds = rotates(drive.reads[0], said);
    let (as_it_is, mut reasons) = by_writes(&drive.writes, &kinds);
    let slow = drive.reads[0].filter(|reads| !kinds.contains(&true) && 1e3 / reads.high >= ROTATES);
    reasons.extend(slow.map(|reads| FitnessReason::SlowReads { ms: 1e3 / reads.value }));
    let Some(cache) = &drive.cache else { return (as_it_is, reasons) };
    if cache.on && !cache.flushed {
        reasons.insert(0, FitnessReason::CacheNotFlushed);
        return (Fitness::Unfit, reasons);
    }
    let Some(factor) = gain(drive) else { return (as_it_is, reasons) };
    let (then, of_other) = by_writes(&drive.switched, &kinds);
    let helps = factor.low > HELPS;
    let reason = match cache.on {
        true if helps => FitnessReason::CacheOffHelps { factor: factor.value, then },
        true if factor.high < 1.0 / HELPS => FitnessReason::CacheOffSlower { factor: 1.0 / factor.value },
        true if factor.high < NO_HELP => FitnessReason::CacheOffDoesNotHelp,
        true => FitnessReason::CacheOffUnknown,
        false if helps => FitnessReason::CacheOnHelps { factor: factor.value },
        false => return (as_it_is, reasons),
    };
    reasons.insert(if helps { 0 } else { reasons.len() }, reason);
    if !(helps && cache.on && then == Fitness::Fit && as_it_is != Fitness::Fit) {
        return (as_it_is, reasons);
    }
    // What holds of it as it would be used.
    let uncertain =
        |reason: &FitnessReason| matches!(reason, FitnessReason::NothingEmptied | FitnessReason::FasterThanFlash);
    reasons.extend(of_other.into_iter().filter(uncertain));
    (Fitness::FitIfCacheOff, reasons)
}

/// How many times as many writes are durable with the cache switched the other way; `None`: not known.
fn gain(drive: &DriveFound) -> Option<Estimate> {
    let missing = |writes: &[DriveWrites]| writes.iter().any(|one| one.alone.is_none());
    let ((_, now), (_, then)) = (drive.slowest_durable()?, slowest_durable(&drive.switched)?);
    (now.low > 0.0 && !missing(&drive.writes) && !missing(&drive.switched)).then(|| Estimate {
        value: then.value / now.value,
        low: then.low / now.high,
        high: then.high / now.low,
    })
}

/// Is it a disk? By the time of a read: the kernel takes what it does not know for one, so that only its no counts. Both, where the interval
/// or the lack of a figure leaves it open.
fn rotates(reads: Option<Estimate>, said: Option<bool>) -> Vec<bool> {
    let as_a_disk = |rate: f64| (ROTATES..=ROTATES_MOST).contains(&(1e3 / rate));
    match (said, reads) {
        (Some(false), _) => vec![false],
        (_, None) => vec![false, true],
        (_, Some(reads)) => {
            let mut kinds = vec![as_a_disk(reads.low), as_a_disk(reads.value), as_a_disk(reads.high)];
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        }
    }
}

/// `kinds`: rotating or not, as far as that is known.
fn by_writes(writes: &[DriveWrites], kinds: &[bool]) -> (Fitness, Vec<FitnessReason>) {
    let missing = |way: &DriveWrites| way.alone.is_none().then(|| what(way.way));
    if let Some(what) = writes.iter().find_map(missing) {
        return (Fitness::Open, vec![FitnessReason::NotMeasured { what, why: None }]);
    }
    let (Some((_, durable)), Some(plain)) = (slowest_durable(writes), by(writes, Durability::None)) else {
        return (Fitness::Open, Vec::new());
    };
    let ends = [(durable.high, plain.low), (durable.low, plain.high)];
    let corners: Vec<(bool, f64, f64)> =
        kinds.iter().flat_map(|rotates| ends.map(|(durable, plain)| (*rotates, durable, durable / plain))).collect();
    // Only what is so at every end of the intervals.
    let told: Vec<Vec<FitnessReason>> =
        corners.iter().map(|(rotates, durable, share)| reasons(writes, *rotates, *durable, *share)).collect();
    let certain = |reason: &&FitnessReason| told.iter().all(|of_one| of_one.contains(reason));
    let mut reasons: Vec<FitnessReason> = told.iter().flatten().take(told[0].len()).filter(certain).cloned().collect();
    let found = corners.iter().map(|(rotates, durable, share)| fitness(*rotates, *durable, *share));
    let gravity = |one: &Fitness| Fitness::BY_GRAVITY.iter().position(|known| known == one);
    let mut found: Vec<Fitness> = found.collect();
    found.sort_by_key(gravity);
    let (worst, best) = (found[0], found[found.len() - 1]);
    if best != worst {
        let high = Some(durable.high).filter(|high| high.is_finite());
        reasons.insert(0, FitnessReason::Undecided { either: best, or: worst, low: durable.low, high });
        return (Fitness::Open, reasons);
    }
    (best, reasons)
}

fn is_protected(durable: f64, share: f64) -> bool {
    durable >= GOOD || (durable >= PROTECTED && share >= PROTECTED_SHARE)
}

fn fitness(rotates: bool, durable: f64, share: f64) -> Fitness {
    let protected = is_protected(durable, share);
    match rotates {
        true if durable < DISK_LEAST => Fitness::Unfit,
        // Whatever keeps its writes, metadata are read as well, and each read waits for the medium.
        true => Fitness::NotForJournals,
        false if protected => Fitness::Fit,
        false if durable >= OSD_ALONE => Fitness::NotForJournals,
        false => Fitness::Unfit,
    }
}

fn reasons(writes: &[DriveWrites], rotates: bool, durable: f64, share: f64) -> Vec<FitnessReason> {
    use FitnessReason::{
        CacheEmptied, FasterThanFlash, NothingEmptied, Rotates, SlowerThanDisks, SlowerThanOsds, SoonerThanMedium,
        WaysDiffer,
    };
    let of_medium = rotates.then(|| match durable {
        rate if rate < DISK_LEAST => vec![SlowerThanDisks { least: DISK_LEAST }, Rotates],
        rate if rate > TURNS => vec![Rotates, SoonerThanMedium { per_second: TURNS }],
        _ => vec![Rotates],
    });
    let of_flash = || {
        let slow = (durable < OSD_ALONE).then_some(SlowerThanOsds { least: OSD_ALONE });
        let emptied = (share < EMPTIED && !is_protected(durable, share)).then_some(CacheEmptied);
        let nothing = match share >= NOTHING_EMPTIED {
            true => Some(NothingEmptied),
            false => is_protected(durable, share).then_some(FasterThanFlash),
        };
        slow.into_iter().chain(emptied).chain(nothing).collect()
    };
    let mut all = of_medium.unwrap_or_else(of_flash);
    all.extend(ways_differ(writes).map(|factor| WaysDiffer { factor }));
    all
}

/// FUA against a flush of the whole cache. Only beyond both intervals.
fn ways_differ(writes: &[DriveWrites]) -> Option<f64> {
    let (fua, flush) = (by(writes, Durability::Dsync)?, by(writes, Durability::Fdatasync)?);
    let (slow, fast) = if fua.value < flush.value { (fua, flush) } else { (flush, fua) };
    (fast.low / slow.high > WAYS_DIFFER).then(|| fast.value / slow.value)
}

pub(in crate::fitness) fn what(way: Durability) -> String {
    let how = match way {
        Durability::None => "that need not be durable",
        Durability::Sync => "with O_SYNC",
        Durability::Dsync => "with O_DSYNC",
        Durability::Fsync => "with fsync",
        Durability::Fdatasync => "with fdatasync",
        Durability::GroupCommit => "committed in groups",
    };
    format!("writes {how}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::WriteCache;

    fn exactly(value: f64) -> Estimate {
        Estimate::new(value, value * 0.02)
    }

    /// Writes per second with O_DSYNC, fsync, fdatasync and without, and reads per second, one in flight.
    fn drive(rates: [f64; 4], reads: f64) -> DriveFound {
        let ways = [Durability::Dsync, Durability::Fsync, Durability::Fdatasync, Durability::None];
        let writes = |(way, rate): (Durability, f64)| DriveWrites { way, alone: Some(exactly(rate)), many: None };
        DriveFound {
            target: "/dev/sdx".to_string(),
            host: None,
            model: None,
            about: None,
            through_file: false,
            fitness: Fitness::Open,
            reasons: Vec::new(),
            cache: None,
            switched: Vec::new(),
            writes: ways.into_iter().zip(rates).map(writes).collect(),
            reads: [Some(exactly(reads)), None],
            mixed: [None; 2],
            linear: [None; 2],
        }
    }

    fn told(rates: [f64; 4], reads: f64) -> (Fitness, Vec<FitnessReason>) {
        judged(&drive(rates, reads), None)
    }

    /// Figures of drives that were published, and those of a drive whose flush takes 3.5 ms.
    #[test]
    fn published_drives_are_what_they_are_known_for() {
        use Fitness::{Fit, NotForJournals, Unfit};
        use FitnessReason::{CacheEmptied, NothingEmptied, Rotates};
        let slower_than_osds = FitnessReason::SlowerThanOsds { least: OSD_ALONE };
        let slower_than_disks = FitnessReason::SlowerThanDisks { least: DISK_LEAST };
        // Micron 5100 Eco, its cache on and off; Seagate Nytro 1351 likewise.
        assert_eq!(
            told([659.0, 659.0, 659.0, 25_000.0], 9_000.0),
            (Unfit, vec![slower_than_osds.clone(), CacheEmptied])
        );
        assert_eq!(told([25_100.0; 4], 9_000.0), (Fit, vec![NothingEmptied]));
        assert_eq!(told([288.0, 288.0, 288.0, 20_000.0], 8_000.0).0, Unfit);
        assert_eq!(told([18_100.0, 18_100.0, 18_100.0, 20_000.0], 8_000.0).0, Fit);
        // A consumer's SSD that flushes quickly, and a disk of 7,200 turns a minute, alone and shingled.
        assert_eq!(told([1_900.0, 1_800.0, 1_850.0, 30_000.0], 9_000.0), (NotForJournals, vec![CacheEmptied]));
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
            matches!(&reasons[0], FitnessReason::Undecided { either: a, or: b, .. } if (*a, *b) == either),
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
    fn no_reason_is_told_that_only_one_end_of_an_interval_has() {
        let mut wide = drive([2_000.0, 2_000.0, 2_000.0, 30_000.0], 9_000.0);
        wide.writes[1].alone = Some(Estimate { value: 600.0, low: 100.0, high: 3_000.0 });
        let (fitness, reasons) = judged(&wide, None);
        assert_eq!(fitness, Fitness::Open);
        assert_eq!(reasons[1..], [FitnessReason::CacheEmptied], "not that it is slower than OSDs");
        // And of its cache nothing is known either.
        (wide.cache, wide.switched) =
            (Some(WriteCache { disk: "sdx".into(), on: true, flushed: true }), drive([2_000.0; 4], 9_000.0).writes);
        assert_eq!(judged(&wide, None).1.last(), Some(&FitnessReason::CacheOffUnknown));
        wide.switched[0].alone = None;
        assert_eq!(judged(&wide, None).1.last(), Some(&FitnessReason::CacheEmptied), "a way is missing");
    }

    /// The Micron 5100 Eco again: 659 durable writes a second with its cache on, 25,100 with it off.
    #[test]
    fn a_cache_that_is_better_off_makes_a_drive_fit_and_one_that_does_not_matter_is_told() {
        let cache = |on, flushed| Some(WriteCache { disk: "sdx".to_string(), on, flushed });
        let switched = |now: f64, then: f64, on: bool| {
            let mut found = drive([now, now, now, 26_000.0], 9_000.0);
            (found.cache, found.switched) = (cache(on, true), drive([then, then, then, 26_000.0], 9_000.0).writes);
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
        unsafe_one.cache = cache(true, false);
        assert_eq!(judged(&unsafe_one, None).1[0], FitnessReason::CacheNotFlushed);
        assert_eq!(judged(&unsafe_one, None).0, Fitness::Unfit);
    }

    #[test]
    fn the_kernel_is_believed_only_if_it_says_that_nothing_rotates() {
        let mut fast = drive([25_000.0; 4], 9_000.0);
        assert_eq!(judged(&fast, Some(true)).0, Fitness::Fit);
        fast.reads[0] = None;
        assert_eq!(judged(&fast, Some(true)).0, Fitness::Open, "virtual disks say that they rotate");
        assert_eq!(judged(&fast, Some(false)).0, Fitness::Fit);
    }
}
