//! Is a drive fit for Ceph? By how much a durable write costs beside another one, and by how long a read takes.

mod by_writes;
mod health;
mod lasting;
mod odd;
#[cfg(test)]
mod tests;
mod uses;

use crate::entry::Entry;
use by_writes::{ROTATES, by_writes, rotates};
use model::fitness::{FAILED_WHILE_FILLED, MANY, slowest_durable};
use model::workload::MIB;
use model::{
    DriveFound, DriveWrites, Durability, Endurance, Estimate, Figure, Fitness, FitnessReason, JudgedDrive, Label,
    Metric, OpClass, Record, RestedReads, Temperatures, Workload,
};

/// Times as long as another read.
const ASLEEP: f64 = 2.0;
/// ms: processors leave their deepest sleep within 0.2, drives theirs in 1 to 100 (NVMe: exit latency of a power state).
const WAKES_MS: f64 = 0.5;
/// A switched cache helps if it makes at least this many times as many writes durable, for certain. Some drives get slower.
const HELPS: f64 = 1.1;
/// And does not, if it makes less than this many times as many, for certain.
const NO_HELP: f64 = 1.25;

/// What is known of each drive, the worst first. `sustained`: how they last, as far as that was asked for. `record`: what else was
/// seen of them.
pub fn drives(entries: &[Entry], judged: &[JudgedDrive], sustained: &[Endurance], record: &Record) -> Vec<DriveFound> {
    let mut found: Vec<DriveFound> = judged.iter().map(|drive| one(entries, drive, record)).collect();
    for (target, reason) in odd::odd_ones(entries, judged) {
        let own = found.iter_mut().filter(|drive| drive.target == target);
        own.for_each(|drive| drive.reasons.push(reason.clone()));
    }
    let serves: Vec<_> = found.iter().map(|drive| uses::serves(drive, &found)).collect();
    for (drive, serves) in found.iter_mut().zip(serves) {
        drive.reasons.extend(lasting::reasons(&drive.target, sustained));
        (drive.one_osd, drive.serves) = (uses::one_osd(drive), serves);
    }
    found.sort_by_key(|drive| Fitness::BY_GRAVITY.iter().position(|one| *one == drive.fitness));
    found
}

fn one(entries: &[Entry], drive: &JudgedDrive, record: &Record) -> DriveFound {
    let own: Vec<&Entry> = entries.iter().filter(|entry| entry.figure.target == drive.target).collect();
    let figure = |class: OpClass, like: &dyn Fn(&Workload) -> bool| {
        let of = |entry: &&&Entry| entry.figure.kind == class && like(&entry.figure.workload);
        own.iter().find(of).and_then(|entry| rate(entry))
    };
    let small = |load: &Workload, depth: u32| {
        load.block < MIB && load.depth == depth && !load.mix.is_mixed() && load.rate.is_none()
    };
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
    let mut rested: Vec<RestedReads> = own.iter().filter_map(|entry| after_pauses(entry)).collect();
    rested.sort_by(|a, b| a.pause_ms.total_cmp(&b.pause_ms));
    let tried = own.iter().any(|entry| !entry.figure.workload.settings.is_empty());
    let mut found = DriveFound {
        target: drive.target.clone(),
        host: own.first().and_then(|entry| entry.figure.host.clone()),
        model: drive.device.as_ref().and_then(|device| device.model.clone()),
        about: drive.about.clone(),
        through_file: drive.through_file,
        beside: drive.beside.clone(),
        fitness: Fitness::Open,
        reasons: Vec::new(),
        cache: drive.cache.clone(),
        writes: writes(false),
        switched: if tried { writes(true) } else { Vec::new() },
        reads,
        mixed: [mixed(OpClass::Read), mixed(OpClass::Write)],
        rested,
        temperatures: temperatures(record, &drive.target),
        linear: [linear(OpClass::Write), linear(OpClass::Read)],
        one_osd: None,
        serves: None,
    };
    let said = drive.device.as_ref().and_then(|device| device.rotational);
    (found.fitness, found.reasons) = judged(&found, said);
    explain(&mut found, &own);
    found.reasons.extend(shared(drive));
    if let Some(reason) = failed(&own) {
        found.fitness = Fitness::Unfit;
        // What is not known would not change that.
        found.reasons.retain(|reason| !matches!(reason, FitnessReason::NotMeasured { .. }));
        found.reasons.insert(0, reason);
    }
    let Some(about) = &drive.about else { return found };
    if health::is_failing(about) {
        found.fitness = Fitness::Unfit;
    }
    let told = health::reasons(about).into_iter().chain(health::ran_hot(&found));
    let (worst, rest): (Vec<_>, Vec<_>) = told.partition(|reason| *reason == FitnessReason::Failing);
    found.reasons = [worst, std::mem::take(&mut found.reasons), rest].concat();
    found
}

/// However quick the others are.
fn failed(own: &[&Entry]) -> Option<FitnessReason> {
    let sum = |of: fn(&Figure) -> u64| own.iter().map(|entry| of(&entry.figure)).sum::<u64>();
    let (operations, done) = (sum(|figure| figure.errors), sum(|figure| figure.operations));
    let first = own.iter().find_map(|entry| entry.figure.first_error.clone());
    if operations > 0 {
        return Some(FitnessReason::Failed { operations, of: done + operations, first });
    }
    let filling = |entry: &&Entry| Some(entry.figure.label.why()?.split_once(FAILED_WHILE_FILLED)?.1.to_string());
    let why = own.iter().find_map(filling)?;
    let first = Some(format!("{FAILED_WHILE_FILLED}{why}"));
    Some(FitnessReason::Failed { operations: 1, of: done + 1, first })
}

fn temperatures(record: &Record, target: &str) -> Vec<(f64, f64)> {
    let at = |looked: &Temperatures| {
        let own = looked.drives.iter().find(|(name, _)| name == target)?;
        Some((looked.seconds, own.1))
    };
    record.temperatures().filter_map(at).collect()
}

/// What else is on its disk.
fn shared(drive: &JudgedDrive) -> Vec<FitnessReason> {
    let osds = drive.beside.clone();
    let not_tried = drive.cache.as_ref().is_some_and(|cache| cache.on && cache.flushed && !cache.alone);
    let beside = (!osds.is_empty()).then_some(FitnessReason::Beside { osds });
    beside.into_iter().chain(not_tried.then_some(FitnessReason::CacheNotTried)).collect()
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
    if held > 0 && held * 4 >= own.len() as u64 && found.fitness == Fitness::Open {
        found.reasons.insert(1.min(found.reasons.len()), FitnessReason::HeldBack { loads: held, of: own.len() as u64 });
    }
}

/// Of runs of an earlier version, which kept a rate instead, nothing is told.
fn after_pauses(entry: &Entry) -> Option<RestedReads> {
    // Reads that began too late say nothing of the drive.
    if matches!(entry.figure.label, Label::GeneratorLimited(_)) {
        return None;
    }
    let pause_ms = entry.figure.workload.rate?.pause_ms()?;
    Some(RestedReads { pause_ms, mean: entry.usable()? })
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
    let turns = drive.about.as_ref().and_then(|about| about.queue.turns_a_minute);
    let kinds = rotates(drive.reads[0], said, turns.is_some());
    let (as_it_is, mut reasons) = by_writes(&drive.writes, &kinds, drive.reads[0]);
    let slow = drive.reads[0].filter(|reads| !kinds.contains(&true) && 1e3 / reads.high >= ROTATES);
    reasons.extend(slow.map(|reads| FitnessReason::SlowReads { ms: 1e3 / reads.value }));
    reasons.extend(sleeps(drive));
    let Some(cache) = &drive.cache else { return (as_it_is, reasons) };
    if cache.on && !cache.flushed {
        reasons.insert(0, FitnessReason::CacheNotFlushed);
        return (Fitness::Unfit, reasons);
    }
    let Some(factor) = gain(drive) else { return (as_it_is, reasons) };
    let (then, of_other) = by_writes(&drive.switched, &kinds, drive.reads[0]);
    let helps = factor.low > HELPS;
    let reason = match cache.on {
        true if helps => FitnessReason::CacheOffHelps { factor: factor.value, then },
        true if factor.high < 1.0 / HELPS => FitnessReason::CacheOffSlower { factor: 1.0 / factor.value },
        true if factor.high < NO_HELP => FitnessReason::CacheOffDoesNotHelp,
        true => FitnessReason::CacheOffUnknown,
        false if helps => FitnessReason::CacheOnHelps { factor: factor.value, then },
        false => return (as_it_is, reasons),
    };
    reasons.insert(if helps { 0 } else { reasons.len() }, reason);
    if !(helps && cache.on && then == Fitness::Fit && as_it_is != Fitness::Fit) {
        return (as_it_is, reasons);
    }
    // What holds of it as it would be used.
    reasons.extend(of_other.into_iter().filter(FitnessReason::is_unproven));
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

/// Is it, for certain, twice as slow after a pause, and by more than processors take to wake up?
fn sleeps(drive: &DriveFound) -> Option<FitnessReason> {
    let reads = drive.reads[0]?;
    let longest = 1e3 / reads.low;
    let asleep = |rested: &&RestedReads| rested.mean.low >= ASLEEP * longest && rested.mean.low - longest >= WAKES_MS;
    let RestedReads { pause_ms, mean } = *drive.rested.iter().find(asleep)?;
    Some(FitnessReason::Sleeps { pause_ms, rested_ms: mean.value, ms: 1e3 / reads.value })
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
