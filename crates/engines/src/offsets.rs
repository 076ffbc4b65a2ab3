//! Where the next operation goes, and whether it reads or writes: drawn from the workload, reproducible from its seed.

use model::{Access, OpClass, OpMix, Sizes, Workload};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Zipf};

/// Draws the operations of one lane.
pub struct Draw {
    chance: Xoshiro256PlusPlus,
    /// Blocks of the lane's part of the span; at least 1.
    blocks: u64,
    block: u64,
    sizes: Option<Sizes>,
    way: Way,
    mix: OpMix,
    /// What every operation is, if all are the same.
    only: Option<OpClass>,
    /// Files that were made and not yet deleted, where as many are made as deleted.
    made: Option<u32>,
    /// Of files that are made and deleted: how many there are at first, and how many one operation deletes.
    stock: u32,
    at_once: u32,
}

/// As many files of a lane are there from the beginning of a session on, to be deleted. The more there are, the less likely another one is
/// made: so their number stays near this, and as many are deleted as made.
pub const STOCK: u32 = 8;

/// The same of a workload that may delete several at once.
pub fn stock(workload: &Workload) -> u32 {
    match workload.deleted_at_once() {
        1 => STOCK,
        several => several + STOCK,
    }
}

enum Way {
    Random,
    Sequential { next: u64 },
    Zipf { ranks: Zipf<f64>, scatter: Scatter },
}

impl Draw {
    pub fn new(workload: &Workload, lane: u32) -> Draw {
        // Lanes of one seed must differ, and seed 1's second lane must not be seed 2's first.
        let seed =
            workload.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(lane).wrapping_mul(0xD1B5_4A32_D192_ED03);
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
        let block = workload.block.max(1);
        let blocks = workload.lane_items().max(1);
        let way = match workload.access {
            Access::Random => Way::Random,
            // A seeded place to start: another seed reads other data, which caches may not have seen.
            Access::Sequential => Way::Sequential { next: below(&mut chance, blocks) },
            Access::Zipf(exponent) => match Zipf::new(blocks as f64, exponent) {
                Ok(ranks) => Way::Zipf { ranks, scatter: Scatter::new(blocks, &mut chance) },
                // Not an exponent (negative, not a number): then no block is hotter than another.
                Err(_) => Way::Random,
            },
        };
        let mix = workload.mix;
        let only = (!mix.is_mixed()).then(|| mix.main());
        Draw {
            chance,
            blocks,
            block,
            sizes: workload.sizes.clone(),
            way,
            mix,
            only,
            made: mix.turns_over().then(|| stock(workload)),
            stock: stock(workload),
            at_once: workload.deleted_at_once(),
        }
    }

    /// Offset of the next operation within the lane's part of the span.
    #[inline]
    pub fn offset(&mut self) -> u64 {
        let block = match &mut self.way {
            Way::Random => below(&mut self.chance, self.blocks),
            Way::Sequential { next } => {
                let block = *next;
                *next = if block + 1 == self.blocks { 0 } else { block + 1 };
                block
            }
            Way::Zipf { ranks, scatter } => scatter.block(ranks.sample(&mut self.chance) as u64 - 1),
        };
        block * self.block
    }

    /// Bytes of the operation at this offset.
    #[inline]
    pub fn len(&self, offset: u64) -> u32 {
        let bytes = self.sizes.as_ref().map_or(self.block, |sizes| sizes.of(offset / self.block));
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    #[inline]
    pub fn kind(&mut self) -> OpClass {
        match self.only {
            Some(class) => class,
            None => {
                let drawn = self.mix.drawn((self.chance.next_u64() >> 48) as u16);
                match drawn {
                    OpClass::Create | OpClass::Delete if self.made.is_some() => self.turned_over(),
                    other => other,
                }
            }
        }
    }

    /// Where files are made and deleted: one is made with a chance that falls from 1, where none is left, to 0, where there are twice as many
    /// as at the beginning.
    fn turned_over(&mut self) -> OpClass {
        let chance = below(&mut self.chance, u64::from(2 * self.stock));
        let made = self.made.get_or_insert_default();
        if chance >= u64::from(*made) || *made < self.at_once {
            *made += 1;
            OpClass::Create
        } else {
            *made -= self.at_once;
            OpClass::Delete
        }
    }
}

/// Uniform in 0..n by multiplication: the bias is below n / 2^64.
#[inline]
fn below(chance: &mut Xoshiro256PlusPlus, n: u64) -> u64 {
    ((u128::from(chance.next_u64()) * u128::from(n)) >> 64) as u64
}

/// Spreads ranks over all blocks, each rank to a block of its own: hot blocks are not neighbours.
struct Scatter {
    blocks: u64,
    step: u64,
    first: u64,
}

impl Scatter {
    fn new(blocks: u64, chance: &mut Xoshiro256PlusPlus) -> Scatter {
        // Near the golden ratio, neighbouring ranks land far apart; without a common divisor, no two land together.
        let golden = (blocks as f64 * 0.618_033_988_749_895) as u64;
        let step = (golden.max(1)..).find(|step| common_divisor(*step, blocks) == 1).unwrap_or(1);
        Scatter { blocks, step, first: below(chance, blocks) }
    }

    fn block(&self, rank: u64) -> u64 {
        let rank = rank.min(self.blocks - 1);
        ((u128::from(rank) * u128::from(self.step) + u128::from(self.first)) % u128::from(self.blocks)) as u64
    }
}

pub(crate) fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn workload(blocks: u64, jobs: u32, access: Access, seed: u64) -> Workload {
        let canonical = Workload::canonical(Pattern::ReadLatency, blocks * 4096 * u64::from(jobs), seed);
        Workload { jobs, access, ..canonical }
    }

    fn access() -> impl Strategy<Value = Access> {
        prop_oneof![Just(Access::Random), Just(Access::Sequential), (0.0..3.0).prop_map(Access::Zipf)]
    }

    proptest! {
        #[test]
        fn offsets_are_aligned_within_the_lane_and_reproducible(
            blocks in 1u64..1_000_000_000, jobs in 1u32..9, access in access(), seed: u64, lane in 0u32..8,
        ) {
            let workload = workload(blocks, jobs, access, seed);
            let (mut one, mut two) = (Draw::new(&workload, lane), Draw::new(&workload, lane));
            for _ in 0..64 {
                let offset = one.offset();
                prop_assert_eq!(offset % workload.block, 0);
                prop_assert!(offset + workload.block <= workload.lane_span());
                prop_assert_eq!(offset, two.offset());
            }
        }

        #[test]
        fn sequential_visits_every_block_once_before_it_wraps(blocks in 1u64..500, seed: u64) {
            let mut draw = Draw::new(&workload(blocks, 1, Access::Sequential, seed), 0);
            let mut seen: Vec<u64> = (0..blocks).map(|_| draw.offset() / 4096).collect();
            let again = draw.offset() / 4096;
            prop_assert_eq!(again, seen[0]);
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..blocks).collect::<Vec<_>>());
        }

        #[test]
        fn scatter_gives_each_rank_its_own_block(blocks in 1u64..3000, seed: u64) {
            let scatter = Scatter::new(blocks, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
            let mut seen: Vec<u64> = (0..blocks).map(|rank| scatter.block(rank)).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..blocks).collect::<Vec<_>>());
        }
    }

    #[test]
    fn random_fills_all_parts_of_the_span_alike() {
        let mut draw = Draw::new(&workload(1 << 20, 1, Access::Random, 7), 0);
        let mut parts = [0u32; 16];
        for _ in 0..160_000 {
            parts[(draw.offset() / 4096 / (1 << 16)) as usize] += 1;
        }
        // Five standard deviations of a binomial with mean 10,000.
        assert!(parts.iter().all(|n| n.abs_diff(10_000) < 500), "{parts:?}");
    }

    #[test]
    fn where_sizes_differ_each_item_has_its_own() {
        let sizes = Sizes::between(4096, 1 << 20).unwrap();
        let whole = Workload::canonical(Pattern::ReadLatency, 100 << 20, 1);
        let workload = Workload { block: 1 << 20, sizes: Some(sizes.clone()), ..whole };
        let mut draw = Draw::new(&workload, 0);
        for _ in 0..1000 {
            let offset = draw.offset();
            assert_eq!(u64::from(draw.len(offset)), sizes.of(offset >> 20));
        }
        assert_eq!((workload.lane_items(), workload.bytes()), (100, sizes.total(100)));
    }

    #[test]
    fn lanes_and_seeds_differ() {
        let first = |seed, lane| {
            let mut draw = Draw::new(&workload(1 << 40, 1, Access::Random, seed), lane);
            [draw.offset(), draw.offset()]
        };
        let all: std::collections::BTreeSet<_> = (0..20).flat_map(|s| (0..20).map(move |l| first(s, l))).collect();
        assert_eq!(all.len(), 400);
    }

    #[test]
    fn zipf_makes_few_blocks_hot_and_they_are_not_neighbours() {
        let mut draw = Draw::new(&workload(10_000, 1, Access::Zipf(1.2), 3), 0);
        let mut hits: BTreeMap<u64, u32> = BTreeMap::new();
        for _ in 0..100_000 {
            *hits.entry(draw.offset() / 4096).or_default() += 1;
        }
        let mut hot: Vec<(u32, u64)> = hits.into_iter().map(|(block, n)| (n, block)).collect();
        hot.sort_unstable_by(|a, b| b.cmp(a));
        let top: u32 = hot.iter().take(100).map(|(n, _)| n).sum();
        assert!(top > 60_000, "the hottest 1 % of the blocks got {top} of 100,000");
        assert!(hot[0].1.abs_diff(hot[1].1) > 1000);
    }

    #[test]
    fn no_more_is_deleted_than_was_made_and_about_as_much() {
        let made_and_deleted = Workload::canonical(model::Pattern::CreateDelete, 1 << 30, 5);
        let mut draw = Draw::new(&made_and_deleted, 0);
        let stock = i64::from(STOCK);
        let (mut there, mut most, mut made) = (stock, 0, 0);
        for _ in 0..100_000 {
            let change = if draw.kind() == OpClass::Create { 1 } else { -1 };
            there += change;
            made += i64::from(change == 1);
            assert!(there >= 0);
            most = most.max(there);
        }
        assert!(most <= 2 * stock && (made - 50_000).abs() <= stock, "{most} {made}");
    }

    #[test]
    fn as_many_are_made_as_are_deleted_many_at_once() {
        let alone = Workload::canonical(model::Pattern::CreateDelete, 1 << 30, 5);
        let workload = Workload { delete_at_once: Some(100), ..alone };
        let mut draw = Draw::new(&workload, 0);
        let (mut there, mut most, mut deleted) = (i64::from(stock(&workload)), 0, 0);
        for _ in 0..100_000 {
            match draw.kind() {
                OpClass::Create => there += 1,
                _ => (there, deleted) = (there - 100, deleted + 100),
            }
            assert!(there >= 0);
            most = most.max(there);
        }
        assert!(most <= 400 && deleted > 98_000, "{most} {deleted}");
    }

    #[test]
    fn the_mix_is_what_was_asked_for() {
        for percent in [0u8, 30, 70, 100] {
            let mut asked = workload(100, 1, Access::Random, 5);
            asked.mix = OpMix::reads(percent);
            let mut draw = Draw::new(&asked, 0);
            let reads = (0..100_000).filter(|_| draw.kind() == OpClass::Read).count() as i64;
            let expected = i64::from(percent) * 1000;
            let tolerance = if percent % 100 == 0 { 0 } else { 800 };
            assert!((reads - expected).abs() <= tolerance, "{percent} %: {reads}");
        }
    }
}
