//! A histogram for drawing: the recorded buckets joined in twos, fours, … until few enough are left. Exact, since they nest.

use model::Sparse;
use schemars::JsonSchema;
use serde::Serialize;

/// The grouping power of the recorded buckets (`latencies`): 2^7 buckets a doubling.
const RECORDED_POWER: u32 = 7;

/// `index[i]` counted `count[i]`; bucket edges follow from `power` as in the recorder, with 2^power buckets a doubling.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bins {
    pub power: u32,
    pub index: Vec<u32>,
    pub count: Vec<u64>,
    pub sum_ns: u64,
    pub max_ns: u64,
}

impl Bins {
    /// The finest bins of which at most `limit` are filled.
    pub fn of(sparse: &Sparse, limit: usize) -> Bins {
        let mut power = RECORDED_POWER;
        loop {
            let bins = Bins::at(sparse, power);
            if bins.index.len() <= limit.max(1) || power == 0 {
                return bins;
            }
            power -= 1;
        }
    }

    fn at(sparse: &Sparse, power: u32) -> Bins {
        let mut bins =
            Bins { power, index: Vec::new(), count: Vec::new(), sum_ns: sparse.sum_ns, max_ns: sparse.max_ns };
        for (recorded, n) in &sparse.buckets {
            let index = index_of(Sparse::bucket_range(recorded).0, power);
            match (bins.index.last(), bins.count.last_mut()) {
                (Some(last), Some(count)) if *last == index => *count += n,
                _ => {
                    bins.index.push(index);
                    bins.count.push(n);
                }
            }
        }
        bins
    }
}

/// Which log-linear bucket holds `ns`: one per ns below 2^(power+1), 2^power per doubling above.
fn index_of(ns: u64, power: u32) -> u32 {
    if ns < 1 << (power + 1) {
        return ns as u32;
    }
    let doubling = ns.ilog2();
    let shift = doubling - power;
    let offset = (ns >> shift) as u32 - (1 << power);
    (1 << (power + 1)) + (doubling - power - 1) * (1 << power) + offset
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Latencies;

    fn spread() -> Sparse {
        let mut all = Latencies::default();
        for i in 1..40_000u64 {
            all.record(i * i % 7_000_003 + i);
        }
        all.sparse()
    }

    #[test]
    fn at_the_recorded_power_nothing_changes() {
        let sparse = spread();
        let bins = Bins::at(&sparse, RECORDED_POWER);
        assert_eq!(bins.index, sparse.buckets.iter().map(|(i, _)| i).collect::<Vec<_>>());
    }

    #[test]
    fn joining_keeps_every_count_and_the_order() {
        let sparse = spread();
        let bins = Bins::of(&sparse, 100);
        assert!(bins.index.len() <= 100, "{} bins", bins.index.len());
        assert!(Bins::at(&sparse, bins.power + 1).index.len() > 100, "coarser than needed");
        assert_eq!(bins.count.iter().sum::<u64>(), sparse.count);
        assert!(bins.index.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn nothing_counted_gives_no_bins() {
        assert!(Bins::of(&Sparse::default(), 400).index.is_empty());
    }
}
