//! Which object each offset of a lane lies in, what it is called, and what a page of names has to hold.

use model::working_set::{ObjectsNeeded, family, object_size, objects_per_lane};
use model::{Bytes, Sizes, Workload};
use std::ops::Range;

/// Names on a page that is listed: S3 gives no more at once.
pub const PAGE: usize = 1000;

/// The names of a lane's objects.
pub struct Names {
    /// Of all objects of the run in this bucket.
    own: String,
    /// Of those of the working set; their numbers follow.
    prefix: String,
    /// This lane's, in the whole set.
    objects: Range<u64>,
    all: u64,
    /// Bytes of one; where they differ, of the largest.
    pub size: Bytes,
    sizes: Option<Sizes>,
    /// Objects of each lane.
    each: u64,
    /// Those with the same remainder are in one bucket.
    buckets: u64,
}

impl Names {
    pub fn of_lane(own: &str, workload: &Workload, lane: u32) -> Names {
        let count = objects_per_lane(workload);
        let first = u64::from(lane) * count;
        Names { objects: first..first + count, ..Names::of_all(own, workload) }
    }

    pub fn of_all(own: &str, workload: &Workload) -> Names {
        let (size, all) = (object_size(workload), ObjectsNeeded::by(workload).count);
        let (sizes, each) = (workload.sizes.clone(), objects_per_lane(workload));
        // Objects of other sizes are others.
        let told = sizes.as_ref().map_or(size.to_string(), Sizes::to_string);
        let prefix = format!("{own}{}{told}.", family(workload));
        let buckets = workload.buckets.max(1).into();
        Names { own: own.to_string(), prefix, objects: 0..all, all, size, sizes, each, buckets }
    }

    /// Bytes of an object of the working set: those of the same place in its lane are as large.
    pub fn bytes(&self, object: u64) -> Bytes {
        self.sizes.as_ref().map_or(self.size, |sizes| sizes.of(object % self.each.max(1)))
    }

    /// The object in which an offset of the lane lies, and where in it.
    pub fn at(&self, offset: Bytes) -> (u64, Bytes) {
        let size = self.size.max(1);
        let count = (self.objects.end - self.objects.start).max(1);
        (self.objects.start + offset / size % count, offset % size)
    }

    pub fn name(&self, object: u64) -> String {
        format!("{}{object}", self.prefix)
    }

    /// Which of the buckets it is in.
    pub fn bucket(&self, object: u64) -> usize {
        (object % self.buckets) as usize
    }

    /// One that is not of the working set.
    pub fn fresh(&self, number: u64) -> String {
        format!("{}new.{number}", self.own)
    }

    /// What the names of the whole working set begin with, and those of nothing else.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Objects of the working set on the page after this one in its bucket, at most [`PAGE`]: names are in the order of their characters.
    pub fn on_page(&self, after: u64) -> usize {
        let bucket = (self.buckets, after % self.buckets);
        let in_bucket = alike(self.all.into(), bucket) as u64;
        in_bucket.saturating_sub(not_after(&after.to_string(), self.all, bucket)).min(PAGE as u64) as usize
    }
}

/// How many of the numbers below this one have this remainder.
fn alike(below: u128, (buckets, remainder): (u64, u64)) -> u128 {
    let (buckets, remainder) = (u128::from(buckets.max(1)), u128::from(remainder));
    (below + buckets - 1).saturating_sub(remainder) / buckets
}

/// How many of the numbers from 0 to `all` - 1 that are in this bucket come before this one, or are it, in the order of their digits as
/// characters.
fn not_after(digits: &str, all: u64, bucket: (u64, u64)) -> u64 {
    let number = |digits: &str| digits.parse::<u128>().unwrap_or_default();
    let most = all.saturating_sub(1).to_string().len();
    let of_length = |length: usize| {
        // The smallest number of this length, and the first one that is larger than all that are not after.
        let least = if length == 1 { 0 } else { 10u128.pow(length as u32 - 1) };
        let beyond = match length <= digits.len() {
            true => number(&digits[..length]) + 1,
            false => number(digits) * 10u128.pow((length - digits.len()) as u32),
        };
        let beyond = beyond.min(all.into()).max(least);
        alike(beyond, bucket) - alike(least, bucket)
    };
    (1..=most).map(of_length).sum::<u128>() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_counted_in_the_order_of_their_characters(all in 1u64..3000, pick: u64, buckets in 1u64..9) {
            let (number, bucket) = (pick % all, (buckets, pick % all % buckets));
            let own = |other: &u64| other % buckets == bucket.1;
            let wanted = (0..all).filter(own).filter(|other| other.to_string() <= number.to_string()).count() as u64;
            prop_assert_eq!(not_after(&number.to_string(), all, bucket), wanted);
            let count = u32::try_from(buckets).unwrap();
            let load = Workload { buckets: count, ..Workload::canonical(Pattern::Stat, all << 12, 1) };
            let names = Names::of_all("fathom.r.", &Workload { object: Some(4096), ..load });
            let all_own = (0..all).filter(own).count() as u64;
            prop_assert_eq!(names.on_page(number) as u64, (all_own - wanted).min(PAGE as u64));
        }
    }

    #[test]
    fn lanes_have_objects_of_their_own_and_offsets_lie_in_them() {
        let workload =
            Workload { jobs: 2, object: Some(65_536), ..Workload::canonical(Pattern::ReadLatency, 8 * 65_536, 1) };
        let names = Names::of_lane("fathom.r.", &workload, 1);
        assert_eq!((names.at(0), names.at(65_536 + 4096), names.at(4 * 65_536)), ((4, 0), (5, 4096), (4, 0)));
        assert_eq!((names.name(4), names.fresh(9)), ("fathom.r.65536.4".to_string(), "fathom.r.new.9".to_string()));
        assert!(!names.fresh(9).starts_with(names.prefix()));
        assert_eq!((names.on_page(0), names.on_page(7)), (7, 0));
    }
}
