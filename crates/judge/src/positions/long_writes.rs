//! Who takes part in the few writes that take very long: an OSD that stops at times moves no median, but all of these are its own.

use super::Pair;
use model::{LongWrites, Sparse, TookPart};
use std::collections::BTreeMap;

/// A write is long from this many times the 90th percentile of all on: where all are alike, none is.
const LONG: f64 = 8.0;

pub(super) fn long_writes(blocks: &[BTreeMap<Pair, Sparse>]) -> (LongWrites, BTreeMap<u32, TookPart>) {
    let all = Sparse::merged(blocks.iter().flat_map(BTreeMap::values));
    let above_ns = LONG * all.quantile_ns(0.9).unwrap_or(f64::INFINITY);
    let long_of = |writes: &Sparse| {
        let long = writes.buckets.into_iter().filter(|(index, _)| Sparse::bucket_range(*index).0 as f64 >= above_ns);
        let middle = |index| Sparse::bucket_range(index).0.midpoint(Sparse::bucket_range(index).1) as f64 / 1e6;
        long.fold((0, 0.0), |(count, ms), (index, n)| (count + n, ms + n as f64 * middle(index)))
    };
    let mut took_part: BTreeMap<u32, TookPart> = BTreeMap::new();
    for ((primary, replica), writes) in blocks.iter().flatten() {
        let (long, long_ms) = long_of(writes);
        for osd in [primary, replica] {
            let own = took_part.entry(*osd).or_default();
            *own =
                TookPart { writes: own.writes + writes.count, long: own.long + long, long_ms: own.long_ms + long_ms };
        }
    }
    let found = LongWrites { above_ms: above_ns / 1e6, writes: long_of(&all).0 };
    (if above_ns.is_finite() { found } else { LongWrites::default() }, took_part)
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

    #[test]
    fn each_long_write_is_counted_for_both_who_took_part() {
        let usual = [1; 40];
        let one_stop: Vec<u64> = usual.into_iter().chain([200]).collect();
        let blocks = [
            BTreeMap::from([((0, 1), writes(&usual)), ((1, 2), writes(&one_stop))]),
            BTreeMap::from([((2, 0), writes(&usual)), ((2, 1), writes(&one_stop))]),
        ];
        let (long, part) = long_writes(&blocks);
        assert_eq!((long.writes, part[&0].long, part[&1].long, part[&2].long), (2, 0, 2, 2));
        assert_eq!((part[&0].writes, part[&1].writes, part[&2].writes), (80, 122, 122));
        assert!((part[&1].long_ms - 400.0).abs() < 2.0 && (7.9..8.2).contains(&long.above_ms), "{part:?} {long:?}");
    }

    #[test]
    fn where_nothing_was_written_nothing_is_long() {
        assert_eq!(long_writes(&[]), (LongWrites::default(), BTreeMap::new()));
    }
}
