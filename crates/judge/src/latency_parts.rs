//! Of what a client's mean latency is made: with one operation in flight, the OSDs' own timers tell where it spent its time.
//!
//! A write's time at its primary runs from receipt to answer: messenger, queue, preparing it, and then the longer of two that go side by
//! side: the primary's own commit, and the replicas' (docs/method.md, "Where the time goes").

use crate::entry::Entry;
use crate::redundancy::redundancy;
use crate::words::percent;
use model::pattern::Family;
use model::{LatencyPart, LatencyParts, LedgerRow, OsdTimes, Part, Place, Record, Slice, Spent, Timer, TimesOfOsd};
use std::collections::BTreeMap;

/// More than this share of the mean that no counter explains, or that they explain twice, is told.
const REST_MOST: f64 = 0.1;
/// Where fewer of the operations that the OSDs counted are the run's own, the parts are those of others as well.
const OWN_LEAST: f64 = 0.9;
/// The same where only some of the OSDs are asked: how many of the run's operations came to them is known by their number alone, and
/// placement groups lie on OSDs unevenly.
const OWN_LEAST_OF_SOME: f64 = 0.7;
/// Counters that explain more than this many times what the client saw are of something else: large operations of an earlier step that
/// ended within this one.
const BEYOND_MOST: f64 = 2.0;

/// Of every figure with one operation in flight; its client's mean must be that of operations which OSDs time.
pub fn latency_parts(entries: &[Entry], ledger: &[LedgerRow], record: &Record) -> Vec<LatencyParts> {
    let each = |entry| Some((of_entry(entry, ledger, record)?, entry.figure.at_once));
    let all: Vec<(LatencyParts, u32)> = entries.iter().filter_map(each).collect();
    // An OSD that was loaded alone is not told once more with all of them at once.
    let key = |one: &LatencyParts| (one.layer, one.pattern, one.target.clone());
    let mut least = BTreeMap::new();
    for (one, at_once) in &all {
        least.entry(key(one)).and_modify(|least: &mut u32| *least = (*least).min(*at_once)).or_insert(*at_once);
    }
    all.into_iter().filter(|(one, at_once)| least.get(&key(one)) == Some(at_once)).map(|(one, _)| one).collect()
}

fn of_entry(entry: &Entry, ledger: &[LedgerRow], record: &Record) -> Option<LatencyParts> {
    let figure = &entry.figure;
    let one_at_a_time = figure.pattern.family() == Family::Latency && figure.kind == figure.pattern.kind();
    let asks_osds = figure.layer.of_ceph() || figure.layer.of_folders() && entry.step.loads_ceph();
    if !one_at_a_time || !asks_osds || entry.usable().is_none() || entry.together() {
        return None;
    }
    let trip = ledger.iter().find(|row| row.layer.of_links() && row.pattern == figure.pattern);
    let trip = trip.map(|row| row.adds).filter(|adds| adds.is_known()).map(|adds| adds.value);
    let seen = Seen::of(entry, record)?;
    let parts = seen.parts(figure.kind.changes(), trip)?;
    if far_beyond(&parts, seen.mean_ms) {
        return None;
    }
    let doubt = doubt(&parts, &seen);
    Some(LatencyParts {
        layer: figure.layer,
        pattern: figure.pattern,
        target: figure.target.clone(),
        mean_ms: seen.mean_ms,
        own: Some(seen.own(figure.kind.changes())),
        requests: None,
        osds: seen.asked,
        of: seen.of,
        parts,
        doubt,
    })
}

/// Do the counters explain many times what the client saw? Then they tell nothing of it.
pub fn far_beyond(parts: &[LatencyPart], mean_ms: f64) -> bool {
    let known = parts.iter().filter(|one| one.part != Part::Rest).map(|one| one.ms).sum::<f64>();
    known > BEYOND_MOST * mean_ms
}

/// Everything that was counted in the slices of a figure.
struct Seen {
    /// By OSD, all slices together.
    osds: BTreeMap<u32, BTreeMap<Timer, Spent>>,
    /// Of all who loaded what the OSDs counted: one pool as several hosts see it.
    operations: u64,
    /// Of this figure's operations.
    mean_ms: f64,
    asked: u32,
    of: u32,
    /// The pool is erasure-coded: an operation is done when several OSDs have done theirs.
    chunks: bool,
}

impl Seen {
    fn of(entry: &Entry, record: &Record) -> Option<Seen> {
        let own = match entry.place()? {
            Place::Osd { osd, .. } => Some(*osd),
            _ => None,
        };
        let chunks = redundancy(record, entry.place()?).is_some_and(|pool| pool.erasure_k.is_some());
        let mut seen = Seen { osds: BTreeMap::new(), operations: 0, mean_ms: 0.0, asked: 0, of: 0, chunks };
        let (mut ns, mut own_operations) = (0.0, 0);
        let good = entry.slices.iter().filter(|slice| slice.void.is_none());
        for (slice, times) in good.filter_map(|slice| Some((slice, times(record, slice)?))) {
            let osds: Vec<&TimesOfOsd> = times.osds.iter().filter(|one| own.is_none_or(|own| own == one.osd)).collect();
            (seen.asked, seen.of) = (osds.len() as u32, if own.is_some() { 1 } else { times.of });
            for one in osds {
                let sums = seen.osds.entry(one.osd).or_default();
                one.spent.iter().for_each(|(timer, spent)| {
                    let sum = sums.entry(*timer).or_default();
                    *sum = *sum + *spent;
                });
            }
            for sample in &slice.samples {
                own_operations += sample.service.count;
                ns += sample.service.sum_ns as f64;
            }
            let beside =
                |other: &&Slice| (other.step, other.pass) == (slice.step, slice.pass) && other.target.is_some();
            let all = record.slices.iter().filter(beside).filter(|other| own.is_none() || other.target == slice.target);
            seen.operations += all.flat_map(|slice| &slice.samples).map(|sample| sample.service.count).sum::<u64>();
        }
        seen.mean_ms = ns / 1e6 / own_operations as f64;
        (own_operations > 0 && !seen.osds.is_empty()).then_some(seen)
    }

    /// How many operations this timer of the clients' operations counted.
    fn counted(&self, timer: Timer) -> u64 {
        self.osds.values().filter_map(|timers| timers.get(&timer)).map(|spent| spent.times).sum()
    }

    /// The mean over OSDs, each as often as it served: as a primary of these operations sees it.
    fn at_primaries(&self, timer: Timer, served: Timer) -> Option<f64> {
        let (mut sum, mut times) = (0.0, 0);
        for timers in self.osds.values() {
            let count = timers.get(&served).map_or(0, |spent| spent.times);
            if count > 0 {
                sum += count as f64 * timers.get(&timer)?.mean_ms().unwrap_or(0.0);
                times += count;
            }
        }
        (times > 0).then(|| sum / times as f64)
    }

    /// Per operation: what need not happen in each.
    fn per_operation(&self, timer: Timer, served: Timer) -> Option<f64> {
        let spent: Vec<Spent> = self.osds.values().map(|timers| timers.get(&timer).copied()).collect::<Option<_>>()?;
        let seconds: f64 = spent.iter().map(|spent| spent.seconds).sum();
        Some(1e3 * seconds / self.counted(served).max(1) as f64)
    }

    fn own(&self, writes: bool) -> f64 {
        let counted = self.counted(if writes { Timer::Write } else { Timer::Read });
        if counted == 0 { 0.0 } else { (self.expected() / counted as f64).min(1.0) }
    }

    /// The run's own operations that those who are asked must have counted: of many OSDs not all are.
    fn expected(&self) -> f64 {
        self.operations as f64 * f64::from(self.asked) / f64::from(self.of.max(1))
    }

    /// `None`: the OSDs do not count these operations, or not enough of what they do.
    fn parts(&self, writes: bool, trip: Option<f64>) -> Option<Vec<LatencyPart>> {
        let served = if writes { Timer::Write } else { Timer::Read };
        // Operations that no OSD saw (a client's cache) are no operations of this path; of many OSDs not all are asked.
        if (self.counted(served) as f64) < 0.5 * self.expected() {
            return None;
        }
        let whole = self.at_primaries(served, served)?;
        let received = self.at_primaries(Timer::Received, served)?;
        let dequeued = self.at_primaries(Timer::Dequeued, served)?;
        let outside = (self.mean_ms - whole).max(0.0);
        let mut parts = match trip.map(|trip| trip.min(outside)) {
            Some(trip) => vec![(Part::Client, outside - trip), (Part::Network, trip)],
            None => vec![(Part::ClientAndNetwork, outside)],
        };
        parts.extend([(Part::Messenger, received), (Part::Queue, dequeued - received)]);
        parts.extend(if writes { self.write(whole - dequeued)? } else { self.read(whole - dequeued)? });
        let mut parts: Vec<LatencyPart> =
            parts.into_iter().map(|(part, ms)| LatencyPart { part, ms: ms.max(0.0) }).collect();
        let rest = self.mean_ms - parts.iter().map(|part| part.ms).sum::<f64>();
        parts.push(LatencyPart { part: Part::Rest, ms: rest });
        Some(parts)
    }

    /// `inside`: from the queue's end to the answer.
    fn write(&self, inside: f64) -> Option<Vec<(Part, f64)>> {
        let of = |timer| self.at_primaries(timer, Timer::Write);
        let prepared = of(Timer::WritePrepared)?;
        let waits = inside - prepared;
        // A store without these timers (memstore) is one part of the software.
        let (data, log) = match (of(Timer::CommitData), of(Timer::CommitQueued), of(Timer::CommitLog)) {
            (Some(data), Some(queued), Some(log)) => (data, queued + log),
            _ => (0.0, 0.0),
        };
        let commit = of(Timer::Commit).unwrap_or(0.0).max(data + log);
        let store = commit - data - log;
        let replicated = 2 * self.counted(Timer::ReplicaWrite) >= self.counted(Timer::Write);
        let after = waits - commit;
        if self.chunks {
            let software = prepared + store + after;
            return Some(vec![(Part::SoftwareAndChunks, software), (Part::Data, data), (Part::Log, log)]);
        }
        let (software, replicas) =
            if replicated { (prepared + store, Some(after)) } else { (prepared + store + after, None) };
        let parts = [(Part::Software, software), (Part::Data, data), (Part::Log, log)];
        Some(parts.into_iter().chain(replicas.map(|ms| (Part::Replicas, ms))).collect())
    }

    fn read(&self, inside: f64) -> Option<Vec<(Part, f64)>> {
        // Stores of several OSDs read side by side.
        if self.chunks {
            return Some(vec![(Part::SoftwareAndChunks, inside)]);
        }
        let of = |timer| self.per_operation(timer, Timer::Read);
        let (metadata, data) = (of(Timer::StoreReadMetadata).unwrap_or(0.0), of(Timer::StoreReadData).unwrap_or(0.0));
        Some(vec![(Part::Software, inside - metadata - data), (Part::Metadata, metadata), (Part::Data, data)])
    }
}

fn times<'a>(record: &'a Record, slice: &Slice) -> Option<&'a OsdTimes> {
    record.osd_times().filter(|one| (one.step, one.pass) == (slice.step, slice.pass)).last()
}

fn doubt(parts: &[LatencyPart], seen: &Seen) -> Option<String> {
    let rest = parts.iter().find(|one| one.part == Part::Rest)?.ms / seen.mean_ms;
    let counted = seen.counted(Timer::Write).max(seen.counted(Timer::Read));
    let own = seen.expected() / counted.max(1) as f64;
    let rest = match rest {
        rest if rest > REST_MOST => Some(format!("no counter explains {} of it", percent(rest))),
        rest if rest < -REST_MOST => {
            Some(format!("the counters add up to {} more than the client saw", percent(-rest)))
        }
        _ => None,
    };
    let least = if seen.asked == seen.of { OWN_LEAST } else { OWN_LEAST_OF_SOME };
    let others =
        (own < least).then(|| format!("{} of the operations that the OSDs timed were others'", percent(1.0 - own)));
    let all: Vec<String> = rest.into_iter().chain(others).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every timer with its mean in ms, and how often it was counted.
    fn timers(means: &[(Timer, f64, u64)]) -> BTreeMap<Timer, Spent> {
        let spent = |(timer, ms, times): &(Timer, f64, u64)| {
            (*timer, Spent { times: *times, seconds: ms * *times as f64 / 1e3 })
        };
        means.iter().map(spent).collect()
    }

    /// The lab of docs/method.md: a write at size 2, as its OSDs counted it.
    fn write(replicas: u64) -> BTreeMap<Timer, Spent> {
        timers(&[
            (Timer::Write, 1.171, 100),
            (Timer::Received, 0.013, 200),
            (Timer::Dequeued, 0.042, 200),
            (Timer::WritePrepared, 0.254, 100),
            (Timer::ReplicaWrite, 0.897, replicas),
            (Timer::Commit, 0.792, 200),
            (Timer::CommitData, 0.002, 200),
            (Timer::CommitQueued, 0.037, 200),
            (Timer::CommitLog, 0.693, 200),
        ])
    }

    fn seen(osds: Vec<BTreeMap<Timer, Spent>>, operations: u64, mean_ms: f64) -> Seen {
        let asked = osds.len() as u32;
        Seen { osds: (0..).zip(osds).collect(), operations, mean_ms, asked, of: asked, chunks: false }
    }

    fn ms(parts: &[LatencyPart], part: Part) -> Option<f64> {
        parts.iter().find(|one| one.part == part).map(|one| (one.ms * 1e6).round() / 1e6)
    }

    #[test]
    fn a_replicated_write_is_taken_apart() {
        let parts = seen(vec![write(100)], 100, 1.325).parts(true, Some(0.05)).unwrap();
        let of = |part| ms(&parts, part);
        assert_eq!((of(Part::Client), of(Part::Network)), (Some(0.104), Some(0.05)));
        assert_eq!((of(Part::Messenger), of(Part::Queue)), (Some(0.013), Some(0.029)));
        // Prepared, and what of the commit is neither data nor log.
        assert_eq!((of(Part::Software), of(Part::Data), of(Part::Log)), (Some(0.314), Some(0.002), Some(0.73)));
        assert_eq!((of(Part::Replicas), of(Part::Rest)), (Some(0.083), Some(0.0)));
    }

    #[test]
    fn of_chunks_nobody_tells_the_primarys_software_from_the_others() {
        let whole = Seen { chunks: true, ..seen(vec![write(0)], 100, 1.0) };
        let parts = whole.parts(true, None).unwrap();
        let of = |part| parts.iter().find(|one| one.part == part).map(|one| one.ms);
        assert_eq!((of(Part::Software), of(Part::Replicas)), (None, None));
        assert!(of(Part::SoftwareAndChunks).is_some_and(|ms| ms > 0.0) && of(Part::Log).is_some());
    }

    #[test]
    fn without_replicas_and_without_a_round_trip_their_parts_are_others() {
        let parts = seen(vec![write(0)], 100, 1.325).parts(true, None).unwrap();
        assert_eq!((ms(&parts, Part::Replicas), ms(&parts, Part::Network)), (None, None));
        assert_eq!((ms(&parts, Part::Software), ms(&parts, Part::ClientAndNetwork)), (Some(0.397), Some(0.154)));
    }

    #[test]
    fn a_read_is_taken_apart() {
        let read = timers(&[
            (Timer::Read, 0.5, 50),
            (Timer::Received, 0.01, 50),
            (Timer::Dequeued, 0.03, 50),
            (Timer::StoreRead, 0.8, 25),
            (Timer::StoreReadMetadata, 0.1, 25),
            (Timer::StoreReadData, 0.6, 25),
        ]);
        let parts = seen(vec![read], 50, 0.6).parts(false, None).unwrap();
        let of = |part| ms(&parts, part);
        // The store was asked in every second read.
        assert_eq!((of(Part::Metadata), of(Part::Data), of(Part::Software)), (Some(0.05), Some(0.3), Some(0.12)));
        assert_eq!(of(Part::Rest), Some(0.0));
    }

    #[test]
    fn counters_that_say_more_than_the_client_saw_are_doubted() {
        let doubts = |mean: f64, operations: u64| {
            let seen = seen(vec![write(100)], operations, mean);
            doubt(&seen.parts(true, None).unwrap(), &seen)
        };
        assert_eq!(doubts(1.325, 100), None);
        assert_eq!(doubts(0.9, 100).as_deref(), Some("the counters add up to 30 % more than the client saw"));
        assert_eq!(doubts(1.325, 60).as_deref(), Some("40 % of the operations that the OSDs timed were others'"));
        // Two of two hundred OSDs are asked, which have a hundredth of the run's operations.
        let of_some = |operations: u64| {
            let seen = Seen { of: 200, ..seen(vec![write(100), write(100)], operations, 1.325) };
            (doubt(&seen.parts(true, None).unwrap(), &seen), (seen.own(true) * 100.0).round())
        };
        assert_eq!(of_some(16_000), (None, 80.0));
        let others = "98 % of the operations that the OSDs timed were others'".to_string();
        assert_eq!(of_some(320), (Some(others), 2.0));
        let far = |mean: f64| {
            let seen = seen(vec![write(100)], 100, mean);
            far_beyond(&seen.parts(true, None).unwrap(), mean)
        };
        assert_eq!((far(0.9), far(0.3)), (false, true));
    }

    #[test]
    fn what_osds_do_not_count_is_not_taken_apart() {
        let without = |timer: Timer| {
            let mut timers = write(100);
            timers.remove(&timer);
            seen(vec![timers], 100, 1.325).parts(true, None)
        };
        for timer in [Timer::Write, Timer::Received, Timer::Dequeued, Timer::WritePrepared] {
            assert_eq!(without(timer), None, "{timer:?}");
        }
        // Operations that a cache answered.
        assert_eq!(seen(vec![write(100)], 1000, 1.325).parts(true, None), None);
        // A memstore has no store's timers: all of that is software.
        let mut memstore = write(100);
        memstore.retain(|timer, _| *timer < Timer::Commit);
        let parts = seen(vec![memstore], 100, 1.325).parts(true, None).unwrap();
        assert_eq!(ms(&parts, Part::Log), Some(0.0));
    }

    proptest! {
        /// Whatever is counted: they add up, and none but the rest is negative.
        #[test]
        fn parts_add_up(means in proptest::collection::vec(0.0..5.0f64, 9), mean in 0.01..20.0f64, replicas in 0u64..200, trip in proptest::option::of(0.0..3.0f64)) {
            let mut timers = write(replicas);
            for (spent, ms) in timers.values_mut().zip(&means) {
                spent.seconds = ms * spent.times as f64 / 1e3;
            }
            let parts = seen(vec![timers], 100, mean).parts(true, trip).unwrap();
            let sum: f64 = parts.iter().map(|one| one.ms).sum();
            prop_assert!((sum - mean).abs() < 1e-9);
            prop_assert!(parts.iter().all(|one| one.part == Part::Rest || one.ms >= 0.0));
        }
    }
}
