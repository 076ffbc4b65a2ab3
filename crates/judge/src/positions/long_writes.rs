//! Who takes part in the few writes that take very long: an OSD that stops at times moves no median, but all of these are its own.

use super::Pair;
use model::{LongWrites, Sparse, TookPart};
use std::collections::BTreeMap;

/// A write is long from this many times the 90th percentile of all on: where all are alike, none is.
const LONG: f64 = 8.0;
/// What is long within this time after another one is of the same moment: one flush or compaction makes many long writes, which are no
/// more evidence than one.
const MOMENT_SECONDS: f64 = 0.5;
/// A moment is an OSD's own if it had a part in at least this share of its long writes.
const OWN_LEAST: f64 = 0.8;

/// Writes of a pair that ended in the same window of a slice.
pub(super) struct Ended<'s> {
    pub pass: u32,
    /// Since the slice began.
    pub seconds: f64,
    pub pair: Pair,
    pub writes: &'s Sparse,
}

/// Long writes that came soon after each other, and how many of them each OSD had a part in.
#[derive(Default)]
struct Moment {
    pass: u32,
    last_seconds: f64,
    writes: u64,
    of: BTreeMap<u32, u64>,
}

/// `ended`: in any order.
pub(super) fn long_writes(mut ended: Vec<Ended>) -> (LongWrites, BTreeMap<u32, TookPart>) {
    ended.sort_by(|a, b| (a.pass, a.seconds).partial_cmp(&(b.pass, b.seconds)).unwrap_or(std::cmp::Ordering::Equal));
    let all = Sparse::merged(ended.iter().map(|one| one.writes));
    let above_ns = LONG * all.quantile_ns(0.9).unwrap_or(f64::INFINITY);
    let mut took_part: BTreeMap<u32, TookPart> = BTreeMap::new();
    let mut moments: Vec<Moment> = Vec::new();
    for one in &ended {
        let (long, long_ms) = long_of(one.writes, above_ns);
        for osd in [one.pair.0, one.pair.1] {
            let own = took_part.entry(osd).or_default();
            own.writes += one.writes.count;
            own.long += long;
            own.long_ms += long_ms;
        }
        if long > 0 {
            let moment = moment_of(&mut moments, one);
            moment.writes += long;
            [one.pair.0, one.pair.1].iter().for_each(|osd| *moment.of.entry(*osd).or_default() += long);
        }
    }
    for (osd, own) in &mut took_part {
        let is_own =
            |moment: &&Moment| moment.of.get(osd).is_some_and(|own| *own as f64 >= OWN_LEAST * moment.writes as f64);
        own.moments = moments.iter().filter(is_own).count() as u64;
    }
    let writes = moments.iter().map(|moment| moment.writes).sum();
    let found = LongWrites { above_ms: above_ns / 1e6, writes, moments: moments.len() as u64 };
    (if above_ns.is_finite() { found } else { LongWrites::default() }, took_part)
}

/// The last one, or a new one.
fn moment_of<'m>(moments: &'m mut Vec<Moment>, ended: &Ended) -> &'m mut Moment {
    let same = |last: &Moment| last.pass == ended.pass && ended.seconds - last.last_seconds < MOMENT_SECONDS;
    if !moments.last().is_some_and(same) {
        moments.push(Moment { pass: ended.pass, ..Moment::default() });
    }
    let at = moments.len() - 1;
    moments[at].last_seconds = ended.seconds;
    &mut moments[at]
}

/// How many, and what they took together in ms.
fn long_of(writes: &Sparse, above_ns: f64) -> (u64, f64) {
    let long = writes.buckets.iter().filter(|(index, _)| Sparse::bucket_range(*index).0 as f64 >= above_ns);
    let middle = |index| Sparse::bucket_range(index).0.midpoint(Sparse::bucket_range(index).1) as f64 / 1e6;
    long.fold((0, 0.0), |(count, ms), (index, n)| (count + n, ms + n as f64 * middle(index)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Latencies;

    fn writes(ms: &[u64]) -> Sparse {
        let mut all = Latencies::default();
        ms.iter().for_each(|ms| all.record(ms * 1_000_000));
        all.sparse()
    }

    fn found(ended: &[(f64, Pair, Sparse)]) -> (LongWrites, BTreeMap<u32, TookPart>) {
        let one = |(seconds, pair, writes): &'_ (f64, Pair, Sparse)| (*seconds, *pair, writes.clone());
        let all: Vec<_> = ended.iter().map(one).collect();
        long_writes(
            all.iter()
                .map(|(seconds, pair, writes)| Ended { pass: 1, seconds: *seconds, pair: *pair, writes })
                .collect(),
        )
    }

    #[test]
    fn each_long_write_is_counted_for_both_who_took_part() {
        let usual = [1; 40];
        let one_stop: Vec<u64> = usual.into_iter().chain([200]).collect();
        let all = [
            (0.5, (2, 1), writes(&one_stop)),
            (0.5, (2, 0), writes(&usual)),
            (0.0, (0, 1), writes(&usual)),
            (0.0, (1, 2), writes(&one_stop)),
        ];
        let (long, part) = found(&all);
        assert_eq!((long.writes, part[&0].long, part[&1].long, part[&2].long), (2, 0, 2, 2));
        assert_eq!((part[&0].writes, part[&1].writes, part[&2].writes), (80, 122, 122));
        assert_eq!((long.moments, part[&0].moments, part[&1].moments), (2, 0, 2));
        assert!((part[&1].long_ms - 400.0).abs() < 2.0 && (7.9..8.2).contains(&long.above_ms), "{part:?} {long:?}");
    }

    #[test]
    fn one_event_is_one_moment_however_many_writes_it_holds_up() {
        let (usual, held) = (writes(&[1; 400]), writes(&[20, 20]));
        let event = (0..7).map(|at| (3.0 + 0.1 * f64::from(at), (1, at as u32 % 2 * 2), held.clone()));
        let all: Vec<_> = std::iter::once((0.0, (0, 2), usual)).chain(event).collect();
        let (long, part) = found(&all);
        assert_eq!((long.writes, long.moments, part[&1].moments, part[&0].moments), (14, 1, 1, 0));
    }

    #[test]
    fn where_nothing_was_written_nothing_is_long() {
        assert_eq!(long_writes(Vec::new()), (LongWrites::default(), BTreeMap::new()));
    }
}
