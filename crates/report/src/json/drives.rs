//! How devices last, and whether drives are fit for Ceph, in the document.

use super::parts::{Interval, Unit, interval_of, value_of};
use crate::sections::fitness;
use model::fitness::slowest_durable;
use model::{
    Bytes, Cliff, DriveFound, DriveHealth, Durability, Ended, Endurance, Fitness, FitnessReason, Metric, OsdEstimate,
    RestedReads, Rounds, ServesDbs, Until, WriteCache,
};
use schemars::JsonSchema;
use serde::Serialize;

/// How much a device took before its rate fell.
#[derive(Serialize, JsonSchema)]
pub(super) struct SustainedDocument {
    target: String,
    until: Until,
    /// Percent of the device that were written before, after all of it was discarded; null: it was taken as it was.
    fill_level: Option<u8>,
    model: Option<String>,
    also: Vec<String>,
    ended: Ended,
    error: Option<String>,
    written: Bytes,
    seconds: f64,
    written_before: Bytes,
    held: Bytes,
    unit: Unit,
    rate: Option<f64>,
    rate_ci95: Option<Interval>,
    cliff: Option<CliffDocument>,
    /// Of small random writes; null: too few, or none were asked for.
    rounds: Option<RoundsDocument>,
    each_second: Vec<Bytes>,
    says: String,
}

#[derive(Serialize, JsonSchema)]
struct CliffDocument {
    written: Bytes,
    between: [Bytes; 2],
    from: Option<f64>,
    from_ci95: Option<Interval>,
    to: Option<f64>,
    to_ci95: Option<Interval>,
    fall: f64,
}

/// Rates are writes a second.
#[derive(Serialize, JsonSchema)]
struct RoundsDocument {
    round_seconds: f64,
    /// null: too few rounds.
    steady: Option<bool>,
    /// Share of the working set that was written at least once.
    covered: f64,
    each: Vec<f64>,
    first: Option<f64>,
    first_ci95: Option<Interval>,
    /// Over the last rounds, at most five.
    last: Option<f64>,
    last_ci95: Option<Interval>,
}

impl From<&Rounds> for RoundsDocument {
    fn from(rounds: &Rounds) -> Self {
        RoundsDocument {
            round_seconds: rounds.seconds,
            steady: rounds.steady,
            covered: rounds.covered,
            each: rounds.each.clone(),
            first: value_of(rounds.first.as_ref()),
            first_ci95: interval_of(rounds.first.as_ref()),
            last: value_of(rounds.last.as_ref()),
            last_ci95: interval_of(rounds.last.as_ref()),
        }
    }
}

impl From<&Endurance> for SustainedDocument {
    fn from(found: &Endurance) -> Self {
        SustainedDocument {
            target: found.target.clone(),
            until: found.until,
            fill_level: found.filled,
            model: found.model.clone(),
            also: found.also.clone(),
            ended: found.ended,
            error: found.error.clone(),
            written: found.written,
            seconds: found.seconds,
            written_before: found.before,
            held: found.held,
            unit: Unit(Metric::Bandwidth.unit()),
            rate: value_of(found.rate.as_ref()),
            rate_ci95: interval_of(found.rate.as_ref()),
            cliff: found.cliff.as_ref().map(CliffDocument::from),
            rounds: found.rounds.as_ref().map(RoundsDocument::from),
            each_second: found.each_second.clone(),
            says: found.says.clone(),
        }
    }
}

impl From<&Cliff> for CliffDocument {
    fn from(cliff: &Cliff) -> Self {
        CliffDocument {
            written: cliff.written,
            between: [cliff.low, cliff.high],
            from: value_of(cliff.from.as_ref()),
            from_ci95: interval_of(cliff.from.as_ref()),
            to: value_of(cliff.to.as_ref()),
            to_ci95: interval_of(cliff.to.as_ref()),
            fall: cliff.fall,
        }
    }
}

/// Is a drive fit for Ceph? Rates are of 4 KiB with one operation in flight; its other figures stand among `figures`.
#[derive(Serialize, JsonSchema)]
pub(super) struct DriveDocument {
    target: String,
    host: Option<String>,
    model: Option<String>,
    serial: Option<String>,
    firmware: Option<String>,
    /// Bytes of a sector: as it is addressed, and as it lies on the medium.
    sectors: [Option<u64>; 2],
    /// As the kernel has it, which takes what it does not know for a disk.
    rotational: Option<bool>,
    /// By the drive's own word; null: it tells nothing, or is flash.
    turns_a_minute: Option<u16>,
    /// `none`, `host-aware` or `host-managed`, by the kernel.
    zoned: Option<String>,
    /// GT/s and lanes of its PCIe link, as it is and as it could be.
    link: [Option<(f64, u32)>; 2],
    /// null: it tells nothing, or smartctl is not installed on its host.
    health: Option<DriveHealth>,
    through_file: bool,
    /// OSDs that had a part of the same disk, and served their cluster meanwhile.
    beside: Vec<u32>,
    fitness: Fitness,
    reasons: Vec<FitnessReason>,
    /// The slowest way of making a write durable: that counts.
    durable_by: Option<Durability>,
    unit: Unit,
    durable: Option<f64>,
    durable_ci95: Option<Interval>,
    plain: Option<f64>,
    plain_ci95: Option<Interval>,
    /// null: it can't be asked.
    cache: Option<WriteCache>,
    /// With the cache switched the other way; null: not tried.
    durable_switched: Option<f64>,
    durable_switched_ci95: Option<Interval>,
    /// Single reads after pauses, the shortest pause first.
    rested: Vec<RestedDocument>,
    /// Seconds of the run, and °C then.
    temperatures: Vec<(f64, f64)>,
    /// An estimate; null: a figure for it is missing.
    one_osd: Option<OsdEstimate>,
    /// null: it is not fit to hold WAL and DB of others.
    serves: Option<ServesDbs>,
    says: String,
}

/// Reads of 4 KiB, each after a pause.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rested")]
pub(super) struct RestedDocument {
    pause_ms: f64,
    /// Of a read.
    ms: Option<f64>,
    ms_ci95: Option<Interval>,
}

impl From<&RestedReads> for RestedDocument {
    fn from(reads: &RestedReads) -> Self {
        let (ms, ms_ci95) = (value_of(Some(&reads.mean)), interval_of(Some(&reads.mean)));
        RestedDocument { pause_ms: reads.pause_ms, ms, ms_ci95 }
    }
}

impl From<&DriveFound> for DriveDocument {
    fn from(drive: &DriveFound) -> Self {
        let (durable, plain) = (drive.slowest_durable(), drive.plain());
        let rate = durable.as_ref().map(|(_, estimate)| estimate);
        let switched = slowest_durable(&drive.switched).map(|(_, estimate)| estimate);
        let (queue, health) = (drive.about.as_ref().map(|about| &about.queue), drive.health());
        DriveDocument {
            target: drive.target.clone(),
            host: drive.host.clone(),
            model: drive.model.clone(),
            serial: health.and_then(|health| health.serial.clone()),
            firmware: health.and_then(|health| health.firmware.clone()).or_else(|| queue?.firmware.clone()),
            sectors: [queue.and_then(|queue| queue.logical_block), queue.and_then(|queue| queue.physical_block)],
            rotational: queue.and_then(|queue| queue.rotational),
            turns_a_minute: queue.and_then(|queue| queue.turns_a_minute),
            zoned: queue.and_then(|queue| queue.zoned.clone()),
            link: [queue.and_then(|queue| queue.link), queue.and_then(|queue| queue.link_most)],
            health: health.cloned(),
            through_file: drive.through_file,
            beside: drive.beside.clone(),
            fitness: drive.fitness,
            reasons: drive.reasons.clone(),
            durable_by: durable.as_ref().map(|(way, _)| *way),
            unit: Unit(Metric::Iops.unit()),
            durable: value_of(rate),
            durable_ci95: interval_of(rate),
            plain: value_of(plain.as_ref()),
            plain_ci95: interval_of(plain.as_ref()),
            cache: drive.cache.clone(),
            durable_switched: value_of(switched.as_ref()),
            durable_switched_ci95: interval_of(switched.as_ref()),
            rested: drive.rested.iter().map(RestedDocument::from).collect(),
            temperatures: drive.temperatures.clone(),
            one_osd: drive.one_osd,
            serves: drive.serves.clone(),
            says: fitness::sentence(drive),
        }
    }
}
