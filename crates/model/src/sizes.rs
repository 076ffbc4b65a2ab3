//! Sizes of whole objects and files that are not all alike.

use crate::workload::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How large each object, or file, is: by its number, so that whoever reads it knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// From one to another, each doubling as likely as every other: as many of 4 to 8 KiB as of 512 KiB to 1 MiB.
    Between { least: Bytes, most: Bytes },
    /// These, each with its percent; together 100.
    Shares(Vec<SizeShare>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SizeShare {
    pub bytes: Bytes,
    pub percent: u8,
}

/// Names of files have room for these.
const SHARES_MOST: usize = 10;
/// Of more items than these the sum is taken to be that of as many average ones, off by less than a part in a thousand.
const ADDED_MOST: u64 = 1 << 20;

impl Sizes {
    /// # Errors
    /// What is wrong, and what would be right.
    pub fn between(least: Bytes, most: Bytes) -> Result<Sizes, String> {
        match least < most {
            true => Ok(Sizes::Between { least, most }),
            false => Err("the first size is not smaller than the second one; write it as 4K-1M".to_string()),
        }
    }

    /// # Errors
    /// What is wrong, and what would be right.
    pub fn shares(shares: Vec<SizeShare>) -> Result<Sizes, String> {
        let sum: u32 = shares.iter().map(|one| u32::from(one.percent)).sum();
        let twice =
            shares.iter().enumerate().any(|(at, one)| shares[..at].iter().any(|other| other.bytes == one.bytes));
        match () {
            () if sum != 100 => Err(format!("the percents are {sum} together; make them 100")),
            () if shares.iter().any(|one| one.percent == 0) => {
                Err("a size of 0 percent is none; leave it out".to_string())
            }
            () if shares.len() > SHARES_MOST => {
                Err(format!("more than {SHARES_MOST} sizes; take fewer, or a range: 4K-1M"))
            }
            () if twice => Err("a size is named twice; name it once".to_string()),
            () => Ok(Sizes::Shares(shares)),
        }
    }

    /// Of the item of this number.
    pub fn of(&self, item: u64) -> Bytes {
        let drawn = scattered(item);
        match self {
            Sizes::Between { least, most } => {
                // The upper 53 bits: what a double holds.
                let part = (drawn >> 11) as f64 / (1u64 << 53) as f64;
                let size = *least as f64 * (*most as f64 / *least as f64).powf(part);
                (size as Bytes).max(*least).min(*most)
            }
            Sizes::Shares(shares) => {
                let percent = ((u128::from(drawn) * 100) >> 64) as u32;
                let mut below = 0;
                let found = shares.iter().find(|one| {
                    below += u32::from(one.percent);
                    percent < below
                });
                found.or(shares.last()).map_or(1, |one| one.bytes)
            }
        }
    }

    pub fn least(&self) -> Bytes {
        match self {
            Sizes::Between { least, .. } => *least,
            Sizes::Shares(shares) => shares.iter().map(|one| one.bytes).min().unwrap_or(1),
        }
    }

    pub fn most(&self) -> Bytes {
        match self {
            Sizes::Between { most, .. } => *most,
            Sizes::Shares(shares) => shares.iter().map(|one| one.bytes).max().unwrap_or(1),
        }
    }

    /// Bytes of an item, on average over ever more of them.
    pub fn mean(&self) -> f64 {
        match self {
            // The integral of least · (most / least)^x over x from 0 to 1.
            Sizes::Between { least, most } => most.saturating_sub(*least) as f64 / (*most as f64 / *least as f64).ln(),
            Sizes::Shares(shares) => shares.iter().map(|one| one.bytes as f64 * f64::from(one.percent) / 100.0).sum(),
        }
    }

    /// Bytes of the first `items` items together.
    pub fn total(&self, items: u64) -> Bytes {
        match items <= ADDED_MOST {
            true => (0..items).map(|item| self.of(item)).fold(0, Bytes::saturating_add),
            false => (self.mean() * items as f64) as Bytes,
        }
    }
}

/// `4096-1048576`, `4096x70-1048576x30`: bytes, and percents, as names of files and objects may have it.
impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sizes::Between { least, most } => write!(f, "{least}-{most}"),
            Sizes::Shares(shares) => {
                let one = |one: &SizeShare| format!("{}x{}", one.bytes, one.percent);
                f.write_str(&shares.iter().map(one).collect::<Vec<_>>().join("-"))
            }
        }
    }
}

/// A number as unlike its neighbours' as chance (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014; mix64 variant 13).
fn scattered(number: u64) -> u64 {
    let step = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (step ^ (step >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: Bytes = 1024;

    fn shares(of: &[(Bytes, u8)]) -> Result<Sizes, String> {
        Sizes::shares(of.iter().map(|&(bytes, percent)| SizeShare { bytes, percent }).collect())
    }

    #[test]
    fn each_doubling_is_as_likely_as_every_other() {
        let sizes = Sizes::between(4 * KIB, 64 * KIB).unwrap();
        let mut doublings = [0u32; 4];
        for item in 0..40_000 {
            let size = sizes.of(item);
            assert!((4 * KIB..=64 * KIB).contains(&size));
            doublings[((size / (4 * KIB)).ilog2() as usize).min(3)] += 1;
        }
        // Five standard deviations of a binomial with mean 10,000.
        assert!(doublings.iter().all(|number| number.abs_diff(10_000) < 440), "{doublings:?}");
    }

    #[test]
    fn shares_are_as_they_were_asked_for() {
        let sizes = shares(&[(4 * KIB, 70), (64 * KIB, 25), (1024 * KIB, 5)]).unwrap();
        let count = |size: Bytes| (0..100_000).filter(|item| sizes.of(*item) == size).count();
        let counts = [4, 64, 1024].map(|kib| count(kib * KIB));
        for (found, percent) in counts.into_iter().zip([70usize, 25, 5]) {
            assert!(found.abs_diff(percent * 1000) < 750, "{counts:?}");
        }
        assert_eq!((sizes.least(), sizes.most()), (4 * KIB, 1024 * KIB));
    }

    #[test]
    fn the_sum_is_that_of_all_items_and_near_their_mean() {
        for sizes in [Sizes::between(4 * KIB, 1024 * KIB).unwrap(), shares(&[(KIB, 50), (3 * KIB, 50)]).unwrap()] {
            assert_eq!(sizes.total(3), sizes.of(0) + sizes.of(1) + sizes.of(2));
            let off = sizes.total(ADDED_MOST) as f64 / (sizes.mean() * ADDED_MOST as f64);
            assert!((off - 1.0).abs() < 0.005, "{sizes}: {off}");
            let beyond = sizes.total(ADDED_MOST + 1) as f64 / sizes.total(ADDED_MOST) as f64;
            assert!((beyond - 1.0).abs() < 0.005, "{sizes}: {beyond}");
        }
    }

    #[test]
    fn what_is_no_distribution_is_told() {
        let wrong = [
            Sizes::between(4, 4),
            Sizes::between(5, 4),
            shares(&[]),
            shares(&[(1, 60), (2, 30)]),
            shares(&[(1, 100), (2, 0)]),
            shares(&[(1, 60), (1, 40)]),
        ];
        assert!(wrong.iter().all(Result::is_err), "{wrong:?}");
    }

    #[test]
    fn they_are_written_in_bytes() {
        let written = |sizes: Result<Sizes, String>| sizes.unwrap().to_string();
        assert_eq!(written(Sizes::between(4096, 8192)), "4096-8192");
        assert_eq!(written(shares(&[(1, 60), (2, 40)])), "1x60-2x40");
    }
}
