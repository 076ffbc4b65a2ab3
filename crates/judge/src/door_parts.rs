//! Of what the mean latency is made where somebody stands between the client and the OSDs: an object gateway, which serves a request whole,
//! or a metadata server, which is asked beside the OSDs. By their own counters (docs/method.md, "Where the time goes").

use crate::entry::Entry;
use crate::latency_parts::far_beyond;
use crate::osd_timers::summed;
use crate::words::percent;
use model::pattern::Family;
use model::{Bytes, LatencyPart, LatencyParts, OpClass, Part, Place, Record, ServiceTimer, Slice, Spent, Timer};

/// More than this share of the mean that is counted twice is told.
const TWICE_MOST: f64 = 0.1;
/// Where fewer of the requests that the gateways counted are the run's own, the parts are those of others as well.
const OWN_LEAST: f64 = 0.9;
/// OSDs that were asked more than this many times as often as the requests need served others as well; ours. Some of what a gateway asks
/// (its watch, the log of its garbage) comes on top.
const ASKED_MOST: f64 = 1.3;
/// Bytes that a gateway and a file's striping keep in one object of RADOS by default (rgw_obj_stripe_size, a file's layout).
const PIECE: Bytes = 4 << 20;
/// A gateway that counted less than this share of the operations is not the one that was loaded.
const SERVED_LEAST: f64 = 0.5;

/// Of every figure whose requests a gateway or a metadata server of the cluster counted.
pub fn door_parts(entries: &[Entry], record: &Record) -> Vec<LatencyParts> {
    entries.iter().filter_map(|entry| of_entry(entry, record)).collect()
}

fn of_entry(entry: &Entry, record: &Record) -> Option<LatencyParts> {
    let figure = &entry.figure;
    let (layer, pattern) = (figure.layer, figure.pattern);
    if figure.kind != pattern.kind() || entry.usable().is_none() || entry.together() {
        return None;
    }
    let of_gateway = layer.of_buckets();
    let timer = match pattern.family() {
        Family::Latency if of_gateway && figure.kind.changes() => ServiceTimer::Put,
        Family::Latency if of_gateway => ServiceTimer::Get,
        Family::Metadata if layer.of_folders() => ServiceTimer::Request,
        _ => return None,
    };
    let seen = Seen::of(entry, record, timer)?;
    // A mounted file system may be another cluster's.
    if !of_gateway && !entry.step.loads_ceph() && seen.requests.times == 0 {
        return None;
    }
    let parts = if of_gateway { at_gateway(&seen) } else { at_metadata_server(&seen) }?;
    if far_beyond(&parts, seen.mean_ms) {
        return None;
    }
    let doubt = seen.doubt(&parts, of_gateway);
    Some(LatencyParts {
        layer,
        pattern,
        target: figure.target.clone(),
        mean_ms: seen.mean_ms,
        own: of_gateway.then(|| (seen.operations as f64 / seen.requests.times.max(1) as f64).min(1.0)),
        requests: Some(seen.per_operation()),
        osds: seen.asked,
        of: seen.of,
        parts,
        doubt,
    })
}

/// Everything that was counted in the slices of a figure's step, whose operations are of all its kinds.
struct Seen {
    kind: OpClass,
    /// A server of NFS stands before the metadata server, and does the client's part.
    by_nfs: bool,
    /// Of one operation, the largest.
    bytes: Bytes,
    /// OSDs that were asked, of those that serve it.
    asked: u32,
    of: u32,
    /// Of all targets of the step: one door as several hosts see it.
    operations: u64,
    /// Of this one's operations.
    mean_ms: f64,
    requests: Spent,
    /// In OSDs: how often, and how long, for a read and for what writes. `None`: they were not asked.
    osd_reads: Option<Spent>,
    osd_writes: Option<Spent>,
}

impl Seen {
    /// `None`: nobody who counts such requests was seen.
    fn of(entry: &Entry, record: &Record, timer: ServiceTimer) -> Option<Seen> {
        let of_step = |slice: &&Slice| slice.step == entry.step.id && slice.void.is_none();
        let each = |slice: &&Slice| of_step(slice) && slice.target.is_some();
        let own = |slice: &&Slice| of_step(slice) && slice.target == entry.target;
        let slices: Vec<&Slice> = record.slices.iter().filter(own).collect();
        let of_slices = |step, pass| slices.iter().any(|slice| (slice.step, slice.pass) == (step, pass));
        let known: Vec<_> = record.service_times().filter(|seen| of_slices(seen.step, seen.pass)).collect();
        let seen = |slice: &&Slice| known.iter().any(|times| (times.step, times.pass) == (slice.step, slice.pass));
        let all = record.slices.iter().filter(each).filter(|slice| seen(slice));
        let operations: u64 = all.flat_map(|slice| &slice.samples).map(|sample| sample.service.count).sum();
        let samples = || slices.iter().filter(|slice| seen(slice)).flat_map(|slice| &slice.samples);
        let own: u64 = samples().map(|sample| sample.service.count).sum();
        let ns: f64 = samples().map(|sample| sample.service.sum_ns as f64).sum();
        let counted = known.iter().flat_map(|times| &times.daemons).filter_map(|daemon| daemon.spent.get(&timer));
        let requests = counted.copied().reduce(|sum, more| sum + more)?;
        let of =
            record.osd_times().filter(|seen| of_slices(seen.step, seen.pass)).map(|seen| seen.of).max().unwrap_or(0);
        let osds = summed(record.osd_times().filter(|seen| of_slices(seen.step, seen.pass)));
        let spent = |timers: &[Timer]| {
            let all = osds.values().flat_map(|osd| timers.iter().filter_map(|timer| osd.get(timer)));
            all.copied().reduce(|sum, more| sum + more)
        };
        (own > 0).then(|| Seen {
            kind: entry.figure.kind,
            bytes: entry.figure.workload.block,
            asked: osds.len() as u32,
            of: of.max(osds.len() as u32),
            by_nfs: matches!(entry.loads(), Some(Place::Nfs { .. })),
            operations,
            mean_ms: ns / 1e6 / own as f64,
            requests,
            osd_reads: spent(&[Timer::Read]),
            osd_writes: spent(&[Timer::Write, Timer::ReadWrite]),
        })
    }

    fn per_operation(&self) -> f64 {
        self.requests.times as f64 / self.operations as f64
    }

    fn ms(&self, spent: Spent, times: u64) -> f64 {
        1e3 * spent.seconds / times.max(1) as f64
    }

    /// In the OSDs, if what they counted is of these requests: a gateway asks them as often as one needs, and no longer than it takes.
    fn osds_of_a_request(&self, inside: f64) -> Option<f64> {
        let (spent, needed) = match self.kind.changes() {
            // Data, and the bucket's index before it and after.
            true => (self.osd_writes?, self.pieces() + 2.0),
            false => (self.osd_reads?, self.pieces()),
        };
        let asked = spent.times as f64 / self.requests.times.max(1) as f64;
        let ms = self.ms(spent, self.requests.times);
        (asked <= ASKED_MOST * needed && ms <= inside).then_some(ms)
    }

    fn pieces(&self) -> f64 {
        self.bytes.div_ceil(PIECE).max(1) as f64
    }

    fn doubt(&self, parts: &[LatencyPart], of_gateway: bool) -> Option<String> {
        let has = |part: Part| parts.iter().any(|one| one.part == part);
        let twice = parts.iter().find(|one| one.part == Part::Rest).map_or(0.0, |rest| -rest.ms / self.mean_ms);
        let others = 1.0 - 1.0 / self.per_operation().max(1.0);
        if twice > TWICE_MOST {
            return Some(format!("the counters add up to {} more than the client saw", percent(twice)));
        }
        if of_gateway && others > 1.0 - OWN_LEAST {
            return Some(format!("{} of the requests that the gateways counted were others'", percent(others)));
        }
        if has(Part::GatewayAndOsds) {
            return Some(
                "the OSDs served others as well, so that their part is not told from the gateway's".to_string(),
            );
        }
        (has(Part::Gateway) && self.kind.changes()).then(|| {
            "for the last of its writes to OSDs a gateway does not wait: they take at most what is shown, the gateway at least".to_string()
        })
    }
}

/// A gateway's time is that of a request; of it the OSDs'.
fn at_gateway(seen: &Seen) -> Option<Vec<LatencyPart>> {
    if (seen.requests.times as f64) < SERVED_LEAST * seen.operations as f64 {
        return None;
    }
    let inside = seen.requests.mean_ms()?;
    let (reads, writes) = (seen.osd_reads?, seen.osd_writes?);
    Some(match seen.osds_of_a_request(inside) {
        Some(osds) => {
            whole(seen.mean_ms, Part::ClientAndNetwork, &[(Part::Gateway, inside - osds), (Part::Osds, osds)])
        }
        None if reads.times + writes.times == 0 => return None,
        None => whole(seen.mean_ms, Part::ClientAndNetwork, &[(Part::GatewayAndOsds, inside)]),
    })
}

/// A client waits for each of its requests; the data of files it reads and writes at the OSDs itself.
fn at_metadata_server(seen: &Seen) -> Option<Vec<LatencyPart>> {
    let inside = seen.ms(seen.requests, seen.operations);
    let served = (Part::MetadataServer, inside);
    if seen.by_nfs {
        return Some(whole(seen.mean_ms, Part::ClientAndServer, &[served]));
    }
    Some(match (seen.kind.moves_bytes(), seen.kind.changes()) {
        (true, true) => whole(seen.mean_ms, Part::ClientAndData, &[served]),
        (true, false) => match seen.osd_reads? {
            read if read.times as f64 <= ASKED_MOST * seen.pieces() * seen.operations as f64 => {
                let osds = seen.ms(read, seen.operations);
                whole(seen.mean_ms, Part::ClientAndNetwork, &[served, (Part::Osds, osds)])
            }
            // Of others too.
            _ => whole(seen.mean_ms, Part::ClientAndData, &[served]),
        },
        (false, _) => whole(seen.mean_ms, Part::ClientAndNetwork, &[served]),
    })
}

/// What is known, before it what of the mean is left, and after it by how much it is more than that.
fn whole(mean_ms: f64, outside: Part, known: &[(Part, f64)]) -> Vec<LatencyPart> {
    let left = mean_ms - known.iter().map(|(_, ms)| ms).sum::<f64>();
    let parts = std::iter::once((outside, left.max(0.0))).chain(known.iter().copied());
    let parts = parts.chain([(Part::Rest, left.min(0.0))]);
    parts.map(|(part, ms)| LatencyPart { part, ms }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [OpClass; 6] =
        [OpClass::Read, OpClass::Write, OpClass::Stat, OpClass::Open, OpClass::Create, OpClass::Rename];

    fn spent(times: u64, ms: f64) -> Spent {
        Spent { times, seconds: ms * times as f64 / 1e3 }
    }

    fn seen(kind: OpClass, mean_ms: f64, requests: Spent) -> Seen {
        Seen {
            kind,
            by_nfs: false,
            bytes: 4096,
            asked: 3,
            of: 3,
            operations: 100,
            mean_ms,
            requests,
            osd_reads: Some(spent(100, 0.4)),
            osd_writes: Some(spent(300, 2.0)),
        }
    }

    fn ms(parts: &[LatencyPart], part: Part) -> Option<f64> {
        parts.iter().find(|one| one.part == part).map(|one| (one.ms * 1e6).round() / 1e6)
    }

    #[test]
    fn a_get_is_client_gateway_and_osds() {
        let seen = seen(OpClass::Read, 1.9, spent(100, 1.3));
        let parts = at_gateway(&seen).unwrap();
        let of = |part| ms(&parts, part);
        assert_eq!((of(Part::ClientAndNetwork), of(Part::Gateway), of(Part::Osds)), (Some(0.6), Some(0.9), Some(0.4)));
        assert_eq!((of(Part::Rest), seen.doubt(&parts, true)), (Some(0.0), None));
    }

    #[test]
    fn of_a_put_the_osds_part_is_what_three_writes_took() {
        let put = seen(OpClass::Write, 8.2, spent(100, 7.8));
        let parts = at_gateway(&put).unwrap();
        assert_eq!((ms(&parts, Part::Osds), ms(&parts, Part::Gateway)), (Some(6.0), Some(1.8)));
        assert!(put.doubt(&parts, true).unwrap().starts_with("for the last of its writes to OSDs"));
    }

    #[test]
    fn osds_that_served_others_as_well_are_not_told_from_the_gateway() {
        let together = |seen: Seen| {
            let parts = at_gateway(&seen).unwrap();
            let doubt = seen.doubt(&parts, true).unwrap();
            assert!(doubt.starts_with("the OSDs served others as well"), "{doubt}");
            (ms(&parts, Part::GatewayAndOsds), ms(&parts, Part::Osds), ms(&parts, Part::Gateway))
        };
        // Twenty-two writes for one request; or longer ones than the gateway took.
        let many = Seen { osd_writes: Some(spent(2200, 1.0)), ..seen(OpClass::Write, 22.0, spent(100, 20.0)) };
        assert_eq!(together(many), (Some(20.0), None, None));
        assert_eq!(together(seen(OpClass::Write, 5.0, spent(100, 4.0))), (Some(4.0), None, None));
        let reads = Seen { osd_reads: Some(spent(200, 0.4)), ..seen(OpClass::Read, 1.9, spent(100, 1.3)) };
        assert_eq!(together(reads).0, Some(1.3));
        // A large object lies in several pieces.
        let large =
            Seen { bytes: 16 << 20, osd_reads: Some(spent(400, 2.0)), ..seen(OpClass::Read, 19.0, spent(100, 13.0)) };
        assert_eq!(ms(&at_gateway(&large).unwrap(), Part::Osds), Some(8.0));
        let open = Seen { osd_reads: Some(spent(500, 0.1)), ..seen(OpClass::Open, 2.0, spent(100, 0.5)) };
        let parts = at_metadata_server(&open).unwrap();
        assert_eq!((ms(&parts, Part::Osds), ms(&parts, Part::ClientAndData)), (None, Some(1.5)));
    }

    #[test]
    fn a_gateway_that_was_not_asked_is_not_taken_for_the_one_that_was() {
        assert_eq!(at_gateway(&seen(OpClass::Read, 1.9, spent(40, 1.3))), None);
        let others = seen(OpClass::Read, 1.9, spent(200, 1.3));
        let parts = at_gateway(&others).unwrap();
        assert_eq!(
            others.doubt(&parts, true).as_deref(),
            Some("50 % of the requests that the gateways counted were others'")
        );
        let unasked = Seen { osd_reads: None, ..seen(OpClass::Read, 1.9, spent(100, 1.3)) };
        assert_eq!(at_gateway(&unasked), None);
    }

    #[test]
    fn requests_to_a_metadata_server_are_counted_for_each_operation() {
        let of = |kind, requests| at_metadata_server(&seen(kind, 2.0, requests)).unwrap();
        let stat = of(OpClass::Stat, spent(100, 0.5));
        assert_eq!((ms(&stat, Part::ClientAndNetwork), ms(&stat, Part::MetadataServer)), (Some(1.5), Some(0.5)));
        let cached = of(OpClass::StatCached, spent(0, 0.0));
        assert_eq!((ms(&cached, Part::ClientAndNetwork), ms(&cached, Part::MetadataServer)), (Some(2.0), Some(0.0)));
        let open = of(OpClass::Open, spent(200, 0.5));
        assert_eq!((ms(&open, Part::MetadataServer), ms(&open, Part::Osds)), (Some(1.0), Some(0.4)));
        let by_nfs = Seen { by_nfs: true, ..seen(OpClass::Open, 2.0, spent(200, 0.5)) };
        let by_nfs = at_metadata_server(&by_nfs).unwrap();
        assert_eq!((ms(&by_nfs, Part::ClientAndServer), ms(&by_nfs, Part::Osds)), (Some(1.0), None));
        let create = of(OpClass::Create, spent(200, 0.5));
        assert_eq!((ms(&create, Part::ClientAndData), ms(&create, Part::Osds)), (Some(1.0), None));
    }

    #[test]
    fn what_is_counted_beyond_what_the_client_saw_is_doubted() {
        let busy = seen(OpClass::Stat, 2.0, spent(500, 0.5));
        let parts = at_metadata_server(&busy).unwrap();
        assert_eq!(ms(&parts, Part::Rest), Some(-0.5));
        assert_eq!(busy.doubt(&parts, false).as_deref(), Some("the counters add up to 25 % more than the client saw"));
    }

    proptest! {
        /// Whatever is counted: they add up, and none but the rest is negative.
        #[test]
        fn parts_add_up(mean in 0.01..20.0f64, ms in 0.0..20.0f64, times in 0u64..300, kind in proptest::sample::select(KINDS.to_vec())) {
            let seen = seen(kind, mean, spent(times, ms));
            for parts in [at_gateway(&seen), at_metadata_server(&seen)].into_iter().flatten() {
                let sum: f64 = parts.iter().map(|one| one.ms).sum();
                prop_assert!((sum - mean).abs() < 1e-9);
                prop_assert!(parts.iter().all(|one| one.part == Part::Rest || one.ms >= 0.0));
            }
        }
    }
}
