//! Latencies as a log-linear histogram: dense while counting, sparse when stored.

use crate::buckets::Buckets;
use ::histogram::{Config, Histogram};
use serde::{Deserialize, Serialize};

/// 7 bits: ±0.4 % and 39 KB; the interval of a p99 is ±5 % at best, so more would buy nothing.
const GROUPING_POWER: u8 = 7;
/// 2^44 ns = 4.9 hours.
const MAX_POWER: u8 = 44;

fn config() -> Config {
    match Config::new(GROUPING_POWER, MAX_POWER) {
        Ok(config) => config,
        Err(_) => unreachable!("the two constants above are valid by the crate's documentation"),
    }
}

/// Dense counts of latencies in ns, with their exact sum.
#[derive(Clone, Debug)]
pub struct Latencies {
    buckets: Histogram,
    sum_ns: u64,
    count: u64,
    max_ns: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Latencies { buckets: Histogram::with_config(&config()), sum_ns: 0, count: 0, max_ns: 0 }
    }
}

impl Latencies {
    #[inline]
    pub fn record(&mut self, ns: u64) {
        let clipped = ns.min((1 << MAX_POWER) - 1);
        let _ = self.buckets.increment(clipped);
        self.sum_ns += ns;
        self.count += 1;
        self.max_ns = self.max_ns.max(ns);
    }

    /// As [`Latencies::record`], `times` times: operations of which only the mean is known.
    #[inline]
    pub fn record_times(&mut self, ns: u64, times: u64) {
        let clipped = ns.min((1 << MAX_POWER) - 1);
        let _ = self.buckets.add(clipped, times);
        self.sum_ns += ns * times;
        self.count += times;
        self.max_ns = self.max_ns.max(ns);
    }

    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Hands over what was counted and begins anew.
    pub fn take(&mut self) -> Sparse {
        let sparse = self.sparse();
        if self.count > 0 {
            self.buckets.as_mut_slice().fill(0);
        }
        (self.sum_ns, self.count, self.max_ns) = (0, 0, 0);
        sparse
    }

    pub fn sparse(&self) -> Sparse {
        let filled = if self.count == 0 { &[][..] } else { self.buckets.as_slice() };
        let buckets = filled.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, n)| (i as u32, *n)).collect();
        Sparse { buckets, sum_ns: self.sum_ns, count: self.count, max_ns: self.max_ns }
    }

    pub fn add(&mut self, other: &Sparse) {
        let dense = self.buckets.as_mut_slice();
        for (index, n) in &other.buckets {
            if let Some(bucket) = dense.get_mut(index as usize) {
                *bucket = bucket.saturating_add(n);
            }
        }
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.count = self.count.saturating_add(other.count);
        self.max_ns = self.max_ns.max(other.max_ns);
    }
}

/// The filled buckets only: (index, count), ascending by index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sparse {
    pub buckets: Buckets,
    pub sum_ns: u64,
    pub count: u64,
    pub max_ns: u64,
}

impl Sparse {
    /// How many buckets there are; an index is below that.
    #[inline]
    pub fn buckets_most() -> u32 {
        config().total_buckets() as u32
    }

    /// Lowest and highest ns of a bucket, both inclusive.
    #[inline]
    pub fn bucket_range(index: u32) -> (u64, u64) {
        const LINEAR: u64 = 1 << (GROUPING_POWER + 1);
        const PER_POWER: u64 = 1 << GROUPING_POWER;
        let index = u64::from(index);
        if index < LINEAR {
            return (index, index);
        }
        let power = (index - LINEAR) / PER_POWER + u64::from(GROUPING_POWER) + 1;
        let width = 1u64 << (power - u64::from(GROUPING_POWER));
        let low = (1u64 << power) + (index % PER_POWER) * width;
        (low, low + width - 1)
    }

    #[inline]
    pub fn merged<'a>(parts: impl IntoIterator<Item = &'a Sparse>) -> Sparse {
        let mut all = Latencies::default();
        for part in parts {
            all.add(part);
        }
        all.sparse()
    }

    #[inline]
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// Quantile `p` in 0..=1, interpolated inside its bucket (removes the bucket-edge bias), never above the largest seen.
    /// `None`: nothing was recorded, or only its sum is known.
    pub fn quantile_ns(&self, p: f64) -> Option<f64> {
        if self.count == 0 || self.buckets.is_empty() {
            return None;
        }
        let rank = p.clamp(0.0, 1.0) * self.count as f64;
        let mut before = 0.0;
        for (index, n) in &self.buckets {
            let n = n as f64;
            if before + n >= rank {
                let (low, high) = Sparse::bucket_range(index);
                let value = low as f64 + (high + 1 - low) as f64 * ((rank - before) / n).clamp(0.0, 1.0);
                return Some(value.min(self.max_ns as f64));
            }
            before += n;
        }
        Some(self.max_ns as f64)
    }

    /// How many operations took longer than `ns`, the bucket that holds it split in proportion.
    pub fn above(&self, ns: f64) -> f64 {
        let at = Sparse::bucket_of(ns as u64);
        let (low, high) = Sparse::bucket_range(at);
        let width = (high - low) as f64 + 1.0;
        let share = (low as f64 + width - ns).clamp(0.0, width) / width;
        let (mut whole, mut split) = (0, 0);
        for (index, n) in &self.buckets {
            whole += if index > at { n } else { 0 };
            split += if index == at { n } else { 0 };
        }
        whole as f64 + split as f64 * share
    }

    /// The bucket whose range holds `ns`.
    #[inline]
    fn bucket_of(ns: u64) -> u32 {
        let power = ns.checked_ilog2().unwrap_or(0);
        match power.checked_sub(u32::from(GROUPING_POWER)) {
            None | Some(0) => ns as u32,
            Some(shift) => (shift << GROUPING_POWER) + (ns >> shift) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_in_its_bucket() {
        for power in 0..64 {
            for ns in [1u64 << power, (1 << power) + 1, (1 << power) - 1, (1 << power) / 3 * 2 + 1] {
                let (low, high) = Sparse::bucket_range(Sparse::bucket_of(ns));
                assert!((low..=high).contains(&ns), "{ns} in {low}..={high}");
            }
        }
    }

    #[test]
    fn quantiles_are_within_half_a_percent() {
        let mut all = Latencies::default();
        for ns in 1..=100_000u64 {
            all.record(ns * 10);
        }
        let sparse = all.take();
        for p in [0.5, 0.9, 0.99, 0.999] {
            let got = sparse.quantile_ns(p).unwrap_or(0.0);
            let want = p * 1_000_000.0;
            assert!((got / want - 1.0).abs() < 0.005, "p{p}: {got} instead of {want}");
        }
        assert_eq!(sparse.mean_ns(), Some(500_005.0));
        assert_eq!(all.count(), 0);
        assert_eq!(all.take(), Sparse::default());
    }

    #[test]
    fn every_value_lies_in_the_range_of_its_bucket() {
        for power in 0..44u32 {
            for ns in [1u64 << power, (1 << power) + 1, (1 << power) + (1 << power >> 1), (2 << power) - 1] {
                let mut one = Latencies::default();
                one.record(ns);
                let (low, high) = Sparse::bucket_range(one.take().buckets.iter().next().unwrap().0);
                assert!((low..=high).contains(&ns), "{ns} is not in {low}..={high}");
                assert!((high - low) as f64 <= low as f64 / 128.0);
            }
        }
    }

    #[test]
    fn merging_adds_counts_and_sums() {
        let mut a = Latencies::default();
        let mut b = Latencies::default();
        a.record(100);
        b.record(100);
        b.record(1 << 50);
        let merged = Sparse::merged([&a.sparse(), &b.sparse()]);
        assert_eq!((merged.count, merged.max_ns), (3, 1 << 50));
        assert_eq!(merged.above(1e9), 1.0);
    }
}
