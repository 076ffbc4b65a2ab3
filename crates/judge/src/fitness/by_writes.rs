//! What a drive's writes say of its fitness, and why: at every end of their intervals.

use super::what;
use model::fitness::{by, slowest_durable};
use model::{DriveWrites, Durability, Estimate, Fitness, FitnessReason};

/// Durable writes per second, one in flight. SSDs with capacitors make 10,000 and more; of those without, the flash has to be
/// written each time: 100 to 2,000 (catalogue of causes, disk-no-plp; Micron 5100, Seagate Nytro 1351).
pub(super) const GOOD: f64 = 10_000.0;
/// From here on also good, if a durable write is not far slower than another one.
pub(super) const PROTECTED: f64 = 5_000.0;
/// At least this share of the other writes, where durable ones need not wait for the flash.
const PROTECTED_SHARE: f64 = 0.2;
/// What a fast OSD does with one operation in flight, by its software: 300 to 2,500. A drive below it holds it back.
pub(super) const OSD_ALONE: f64 = 1_000.0;
/// Disks make 60 to 200; shingled ones that are full, fewer than this.
pub(super) const DISK_LEAST: f64 = 20.0;
/// ms of a random read from which on a medium rotates: half a turn at 15,000 turns a minute, and no flash needs as long.
pub(super) const ROTATES: f64 = 2.0;
/// No disk takes longer for one alone: half a turn and the longest way of its heads are below 30 ms.
const ROTATES_MOST: f64 = 60.0;
/// Twice the turns in a second of the fastest disks.
pub(super) const TURNS: f64 = 500.0;
/// Durable writes reach this share of the others where nothing is emptied for them.
const NOTHING_EMPTIED: f64 = 0.8;
/// And stay below this one where a cache is. A flush that does nothing is a command as well, and O_DSYNC on a device may be three in all:
/// a third to a quarter by itself.
const EMPTIED: f64 = 0.2;
/// Two ways that are to do the same and differ by more.
const WAYS_DIFFER: f64 = 3.0;

/// Is it a disk? By the time of a read: the kernel takes what it does not know for one, so that only its no counts. Both, where the interval
/// or the lack of a figure leaves it open. `turns`: it says itself how fast it turns, so that reads that are faster come from a cache before it.
pub(super) fn rotates(reads: Option<Estimate>, said: Option<bool>, turns: bool) -> Vec<bool> {
    let as_a_disk = |rate: f64| {
        let ms = 1e3 / rate;
        (ROTATES..=ROTATES_MOST).contains(&ms) || (turns && ms < ROTATES)
    };
    match (said, reads) {
        (Some(false), _) => vec![false],
        (_, None) if turns => vec![true],
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
pub(super) fn by_writes(
    writes: &[DriveWrites],
    kinds: &[bool],
    reads: Option<Estimate>,
) -> (Fitness, Vec<FitnessReason>) {
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
    // Each of these says that no test tells protected writes from lost ones; which of them it is may be open.
    let unproven = |of_one: &Vec<FitnessReason>| of_one.iter().find(|reason| reason.is_unproven()).cloned();
    if told.iter().all(|of_one| unproven(of_one).is_some()) && unproven(&reasons).is_none() {
        reasons.extend(unproven(&told[0]));
    }
    let found = corners.iter().map(|(rotates, durable, share)| fitness(*rotates, *durable, *share));
    let gravity = |one: &Fitness| Fitness::BY_GRAVITY.iter().position(|known| known == one);
    let mut found: Vec<Fitness> = found.collect();
    found.sort_by_key(gravity);
    let (worst, best) = (found[0], found[found.len() - 1]);
    if best != worst {
        let of_kind = |rotates: &bool| ends.map(|(durable, plain)| fitness(*rotates, durable, durable / plain));
        let by_reads = kinds.len() > 1 && kinds.iter().map(of_kind).all(|[one, other]| one == other);
        let (either, or) = (best, worst);
        let why = match reads.filter(|_| by_reads) {
            Some(reads) => {
                let ms = |rate: f64| Some(1e3 / rate).filter(|ms| ms.is_finite());
                let (low_ms, high_ms) = (1e3 / reads.high, ms(reads.low));
                FitnessReason::ReadsUndecided { either, or, low_ms, high_ms }
            }
            None if by_reads => FitnessReason::NotMeasured { what: "random reads".to_string(), why: None },
            None => {
                let high = Some(durable.high).filter(|high| high.is_finite());
                FitnessReason::Undecided { either, or, low: durable.low, high }
            }
        };
        reasons.insert(0, why);
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
        CacheEmptied, FasterThanFlash, NothingEmptied, Rotates, SlowerThanDisks, SlowerThanJournals, SlowerThanOsds,
        SoonerThanMedium, WaysDiffer,
    };
    let of_medium = rotates.then(|| match durable {
        rate if rate < DISK_LEAST => vec![SlowerThanDisks { least: DISK_LEAST }, Rotates],
        rate if rate > TURNS => vec![Rotates, SoonerThanMedium { per_second: TURNS }],
        _ => vec![Rotates],
    });
    let of_flash = || {
        let slow = match durable {
            rate if rate < OSD_ALONE => Some(SlowerThanOsds { least: OSD_ALONE }),
            _ => (!is_protected(durable, share)).then_some(SlowerThanJournals { least: GOOD, protected: PROTECTED }),
        };
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
