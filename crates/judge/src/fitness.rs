//! Is a drive fit for Ceph? By how much a durable write costs beside another one, and by how long a read takes.

use crate::entry::Entry;
use model::fitness::{MANY, by, slowest_durable};
use model::workload::MIB;
use model::{
    DriveFound, DriveWrites, Durability, Estimate, Fitness, FitnessReason, JudgedDrive, Metric, OpClass, Workload,
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
/// Twice the turns in a second of the fastest disks.
const TURNS: f64 = 500.0;
/// Durable writes reach this share of the others where nothing is emptied for them.
const NOTHING_EMPTIED: f64 = 0.8;
/// And stay below this one where a cache is.
const EMPTIED: f64 = 0.5;
/// A switched cache helps if it makes at least this many times as many writes durable, for certain. Some drives get slower.
const HELPS: f64 = 1.1;
/// Two ways that are to do the same and differ by more.
const WAYS_DIFFER: f64 = 3.0;

/// What is known of each drive, the worst first.
pub fn drives(entries: &[Entry], judged: &[JudgedDrive]) -> Vec<DriveFound> {
    let mut found: Vec<DriveFound> = judged.iter().map(|drive| one(entries, drive)).collect();
    found.sort_by_key(|drive| std::cmp::Reverse(drive.fitness));
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
    found
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

/// `said`: does it rotate, as the kernel has it? Believed only where reads do not tell.
fn judged(drive: &DriveFound, said: Option<bool>) -> (Fitness, Vec<FitnessReason>) {
    let rotates = drive.reads[0].map_or(said == Some(true), |reads| 1e3 / reads.value >= ROTATES);
    let (as_it_is, mut reasons) = by_writes(&drive.writes, rotates);
    let Some(cache) = &drive.cache else { return (as_it_is, reasons) };
    if cache.on && !cache.flushed {
        reasons.insert(0, FitnessReason::CacheNotFlushed);
        return (Fitness::Unfit, reasons);
    }
    let Some(factor) = gain(drive) else { return (as_it_is, reasons) };
    let (switched, _) = by_writes(&drive.switched, rotates);
    let helps = factor.low > HELPS;
    let reason = match cache.on {
        true if helps => FitnessReason::CacheOffHelps { factor: factor.value },
        true => FitnessReason::CacheOffDoesNotHelp,
        false if helps => FitnessReason::CacheOnHelps { factor: factor.value },
        false => return (as_it_is, reasons),
    };
    reasons.insert(if helps { 0 } else { reasons.len() }, reason);
    match helps && cache.on && switched == Fitness::Fit && as_it_is != Fitness::Fit {
        true => (Fitness::FitIfCacheOff, reasons),
        false => (as_it_is, reasons),
    }
}

/// How many times as many writes are durable with the cache switched the other way; `None`: not known.
fn gain(drive: &DriveFound) -> Option<Estimate> {
    let ((_, now), (_, then)) = (drive.slowest_durable()?, slowest_durable(&drive.switched)?);
    (now.low > 0.0).then(|| Estimate {
        value: then.value / now.value,
        low: then.low / now.high,
        high: then.high / now.low,
    })
}

fn by_writes(writes: &[DriveWrites], rotates: bool) -> (Fitness, Vec<FitnessReason>) {
    let missing = |way: &DriveWrites| way.alone.is_none().then(|| what(way.way));
    if let Some(what) = writes.iter().find_map(missing) {
        return (Fitness::Open, vec![FitnessReason::NotMeasured { what }]);
    }
    let (Some((_, durable)), Some(plain)) = (slowest_durable(writes), by(writes, Durability::None)) else {
        return (Fitness::Open, Vec::new());
    };
    let of = |durable: f64, plain: f64| fitness(rotates, durable, durable / plain);
    let (best, worst) = (of(durable.high, plain.low), of(durable.low, plain.high));
    let mut reasons = reasons(writes, rotates, durable.value, durable.value / plain.value);
    if best != worst {
        reasons.insert(0, FitnessReason::Undecided { either: best, or: worst });
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
        CacheEmptied, NothingEmptied, Rotates, SlowerThanDisks, SlowerThanOsds, SoonerThanMedium, WaysDiffer,
    };
    let of_medium = rotates.then(|| match durable {
        rate if rate < DISK_LEAST => vec![SlowerThanDisks { least: DISK_LEAST }, Rotates],
        rate if rate > TURNS => vec![Rotates, SoonerThanMedium { per_second: TURNS }],
        _ => vec![Rotates],
    });
    let of_flash = || {
        let slow = (durable < OSD_ALONE).then_some(SlowerThanOsds { least: OSD_ALONE });
        let emptied = (share < EMPTIED && !is_protected(durable, share)).then_some(CacheEmptied);
        let nothing = (share >= NOTHING_EMPTIED).then_some(NothingEmptied);
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

fn what(way: Durability) -> String {
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
        let either = FitnessReason::Undecided { either: Fitness::Fit, or: Fitness::NotForJournals };
        assert_eq!(reasons[0], either);
        wide.writes[1].alone = None;
        let what = "writes with fsync".to_string();
        assert_eq!(judged(&wide, None), (Fitness::Open, vec![FitnessReason::NotMeasured { what }]));
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
            matches!(reasons[0], FitnessReason::CacheOffHelps { factor } if (factor - 38.1).abs() < 0.1),
            "{reasons:?}"
        );
        let (fitness, reasons) = switched(659.0, 660.0, true);
        assert_eq!(fitness, Fitness::Unfit);
        assert_eq!(reasons.last(), Some(&FitnessReason::CacheOffDoesNotHelp));
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
    fn the_kernel_is_believed_only_where_reads_do_not_tell() {
        let mut fast = drive([25_000.0; 4], 9_000.0);
        assert_eq!(judged(&fast, Some(true)).0, Fitness::Fit);
        fast.reads[0] = None;
        assert_eq!(judged(&fast, Some(true)).0, Fitness::NotForJournals);
    }
}
