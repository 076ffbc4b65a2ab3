//! Who slows a pool, by position. Every write has a primary and a replica; its time is what is usual, what the one adds as primary and what
//! the other adds as replica. Median polish (Tukey 1977) takes the three apart: a few slow OSDs move no median of the others.

use crate::series::median;
use model::seed::mixed;
use model::{
    Estimate, OsdStages, PairTime, Place, PositionOfOsd, Positions, Record, Slice, Sparse, Spent, Step, Timer,
    WriteTimes,
};
use std::collections::{BTreeMap, BTreeSet};

/// So long a block is: writes within it resemble each other, so that blocks and not writes are drawn anew.
const BLOCK_SECONDS: f64 = 0.5;
/// So often all blocks are drawn anew for the intervals.
const DRAWS: u64 = 100;
const SOLVED_LEAST: f64 = 0.8;
/// Partners of an OSD in each role: with fewer nobody is told apart for certain.
const PARTNERS_LEAST: usize = 3;
/// Its timers tell where its own part is spent if at least this share of what they timed is the run's.
const OWN_LEAST: f64 = 0.9;
/// Fewer writes of a pair say nothing of it.
const WRITES_LEAST: u64 = 5;
/// Sweeps of the polish after which nothing moves any more, as a rule after two or three.
const SWEEPS: u32 = 20;

/// A pair, primary first.
type Pair = (u32, u32);
type Cells = BTreeMap<Pair, f64>;
type Quantile = fn(&Sparse) -> Option<f64>;

/// `None`: nobody measured it, or too little to tell OSDs apart.
pub fn positions(record: &Record) -> Option<Positions> {
    let step = record.plan.steps.iter().find(|step| step.in_turns)?;
    let blocks = blocks(record, step);
    let all: Vec<usize> = (0..blocks.len()).collect();
    let of = |quantile: Quantile| Solved::of(&cells(&blocks, &all, quantile)?);
    let (medians, means, p90s) =
        (of(|all| all.quantile_ns(0.5))?, of(Sparse::mean_ns)?, of(|all| all.quantile_ns(0.9))?);
    let drawn: Vec<[Option<Solved>; 3]> = (0..DRAWS)
        .map(|draw| {
            let some: Vec<usize> = all.iter().map(|at| mixed([draw, *at as u64]) as usize % blocks.len()).collect();
            let of = |quantile: Quantile| Solved::of(&cells(&blocks, &some, quantile)?);
            [of(|all| all.quantile_ns(0.5)), of(Sparse::mean_ns), of(|all| all.quantile_ns(0.9))]
        })
        .collect();
    let error = |which: usize, of: &dyn Fn(&Solved) -> Option<f64>| {
        let values: Vec<f64> = drawn.iter().filter_map(|solved| of(solved[which].as_ref()?)).collect();
        // Draws that could be solved are chosen ones: few of them agree by that alone.
        if (values.len() as f64) < SOLVED_LEAST * DRAWS as f64 {
            return f64::NAN;
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)).sqrt()
    };
    let role = |of: &dyn Fn(&Solved) -> Option<f64>| {
        let one = |which: usize, solved: &Solved| Some(Estimate::new(of(solved)?, 1.96 * error(which, of)));
        Some(WriteTimes { median: one(0, &medians)?, mean: one(1, &means)?, p90: one(2, &p90s)? })
    };
    let stages = stages(record, step);
    let host = |osd: u32| record.scope.osds.iter().find(|one| one.id == osd).map(|one| one.host.clone());
    let osds = means.primary.keys().filter_map(|osd| {
        Some(PositionOfOsd {
            osd: *osd,
            host: host(*osd)?,
            primary: role(&|solved| solved.primary.get(osd).copied())?,
            replica: role(&|solved| solved.replica.get(osd).copied())?,
            timers: stages.get(osd).copied(),
        })
    });
    let pairs = means.beyond.iter().map(|((primary, replica), (mean, beyond))| PairTime {
        primary: *primary,
        replica: *replica,
        mean: *mean,
        beyond: *beyond,
    });
    Some(Positions {
        usual: WriteTimes { median: medians.usual, mean: means.usual, p90: p90s.usual },
        osds: osds.collect(),
        pairs: pairs.collect(),
        operations: blocks.iter().flat_map(|block| block.values()).map(|writes| writes.count).sum(),
    })
}

/// Of each stretch of [`BLOCK_SECONDS`]: the writes of every pair.
fn blocks(record: &Record, step: &Step) -> Vec<BTreeMap<Pair, Sparse>> {
    let mut blocks: BTreeMap<(u32, u32), BTreeMap<Pair, Vec<&Sparse>>> = BTreeMap::new();
    let good = |slice: &&Slice| slice.step == step.id && slice.void.is_none();
    for slice in record.slices.iter().filter(good) {
        let Some(pair) = slice.target.and_then(|target| pair(step, target)) else { continue };
        let windows = (BLOCK_SECONDS * 1e9 / slice.window_ns as f64).round().max(1.0) as u32;
        for sample in slice.counted() {
            let block = blocks.entry((slice.pass, sample.window / windows)).or_default();
            block.entry(pair).or_default().push(&sample.service);
        }
    }
    let merged = |block: BTreeMap<Pair, Vec<&Sparse>>| {
        block.into_iter().map(|(pair, parts)| (pair, Sparse::merged(parts))).collect()
    };
    blocks.into_values().map(merged).collect()
}

fn pair(step: &Step, target: u32) -> Option<Pair> {
    match &step.targets.get(target as usize)?.place {
        Place::Osd { osd, replicas, .. } => Some((*osd, *replicas.first()?)),
        _ => None,
    }
}

/// In ms; `None`: too few pairs were written to often enough.
fn cells(blocks: &[BTreeMap<Pair, Sparse>], chosen: &[usize], quantile: Quantile) -> Option<Cells> {
    let mut all: BTreeMap<Pair, Vec<&Sparse>> = BTreeMap::new();
    for block in chosen.iter().filter_map(|at| blocks.get(*at)) {
        block.iter().for_each(|(pair, writes)| all.entry(*pair).or_default().push(writes));
    }
    let wanted = all.len();
    let known = all.into_iter().filter_map(|(pair, parts)| {
        let writes = Sparse::merged(parts);
        (writes.count >= WRITES_LEAST).then(|| Some((pair, quantile(&writes)? / 1e6)))?
    });
    let known: Cells = known.collect();
    (2 * known.len() > wanted && wanted > 0).then_some(known)
}

/// What is usual, and what each OSD adds in each role.
struct Solved {
    usual: f64,
    primary: BTreeMap<u32, f64>,
    replica: BTreeMap<u32, f64>,
    /// The cell, and what is left of it.
    beyond: BTreeMap<Pair, (f64, f64)>,
}

impl Solved {
    /// `None`: some OSD has fewer than three partners in a role, or there are groups without a pair between them: then a slow one can't be
    /// told from its partners.
    fn of(cells: &Cells) -> Option<Solved> {
        let mut left = cells.clone();
        let [mut primary, mut replica] = [BTreeMap::new(), BTreeMap::new()];
        for _ in 0..SWEEPS {
            let moved = sweep(&mut left, &mut primary, |pair| pair.0) + sweep(&mut left, &mut replica, |pair| pair.1);
            if moved < 1e-9 {
                break;
            }
        }
        if !is_identified(cells) {
            return None;
        }
        let usual = centre(&mut primary) + centre(&mut replica);
        let beyond = left.into_iter().map(|(pair, rest)| (pair, (cells[&pair], rest))).collect();
        Some(Solved { usual, primary, replica, beyond })
    }
}

fn is_identified(cells: &Cells) -> bool {
    let osds: BTreeSet<u32> = cells.keys().flat_map(|pair| [pair.0, pair.1]).collect();
    let partners = |osd: &u32, of: fn(&Pair) -> u32| cells.keys().filter(|pair| of(pair) == *osd).count();
    let enough =
        |osd: &u32| [|pair: &Pair| pair.0, |pair: &Pair| pair.1].iter().all(|of| partners(osd, *of) >= PARTNERS_LEAST);
    let Some(first) = cells.keys().next() else { return false };
    // From a primary to its replicas, from a replica to its primaries, and on.
    let (mut primaries, mut replicas) = (BTreeSet::from([first.0]), BTreeSet::new());
    loop {
        let before = primaries.len() + replicas.len();
        for (primary, replica) in cells.keys() {
            if primaries.contains(primary) || replicas.contains(replica) {
                primaries.insert(*primary);
                replicas.insert(*replica);
            }
        }
        if primaries.len() + replicas.len() == before {
            break;
        }
    }
    osds.iter().all(enough) && primaries.len() == osds.len() && replicas.len() == osds.len()
}

/// Moves the median of each OSD's cells into what it adds; the largest move.
fn sweep(left: &mut Cells, adds: &mut BTreeMap<u32, f64>, of: fn(&Pair) -> u32) -> f64 {
    let mut own: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    left.iter().for_each(|(pair, value)| own.entry(of(pair)).or_default().push(*value));
    let moves: BTreeMap<u32, f64> = own.into_iter().map(|(osd, values)| (osd, median(&values))).collect();
    left.iter_mut().for_each(|(pair, value)| *value -= moves[&of(pair)]);
    moves.iter().for_each(|(osd, by)| *adds.entry(*osd).or_default() += by);
    moves.values().fold(0.0, |most, by| most.max(by.abs()))
}

/// Makes their median nothing, and says what it was.
fn centre(adds: &mut BTreeMap<u32, f64>) -> f64 {
    let middle = median(&adds.values().copied().collect::<Vec<_>>());
    adds.values_mut().for_each(|adds| *adds -= middle);
    middle
}

/// Each OSD's own timers in all slices of the step.
fn stages(record: &Record, step: &Step) -> BTreeMap<u32, OsdStages> {
    let mut sums: BTreeMap<u32, BTreeMap<Timer, Spent>> = BTreeMap::new();
    for one in record.osd_times().filter(|times| times.step == step.id).flat_map(|times| &times.osds) {
        let own = sums.entry(one.osd).or_default();
        one.spent.iter().for_each(|(timer, spent)| {
            let sum = own.entry(*timer).or_default();
            *sum = *sum + *spent;
        });
    }
    let stages = |timers: &BTreeMap<Timer, Spent>| {
        let mean = |timer| timers.get(&timer).and_then(Spent::mean_ms);
        Some(OsdStages { software: mean(Timer::Dequeued)? + mean(Timer::WritePrepared)?, commit: mean(Timer::Commit)? })
    };
    let own = |osd: u32, timers: &BTreeMap<Timer, Spent>| {
        let timed = |timer| timers.get(&timer).map_or(0, |spent: &Spent| spent.times) as f64;
        let all = timed(Timer::Write) + timed(Timer::ReplicaWrite);
        all > 0.0 && written(record, step, osd) as f64 >= OWN_LEAST * all
    };
    let known = sums.iter().filter(|(osd, timers)| own(**osd, timers));
    known.filter_map(|(osd, timers)| Some((*osd, stages(timers)?))).collect()
}

/// All writes of the step that this OSD had a part in, warm-up included.
fn written(record: &Record, step: &Step, osd: u32) -> u64 {
    let has = |slice: &&Slice| {
        let pair = slice.target.and_then(|target| pair(step, target));
        slice.step == step.id && pair.is_some_and(|(primary, replica)| primary == osd || replica == osd)
    };
    let samples = record.slices.iter().filter(has).flat_map(|slice| &slice.samples);
    samples.map(|sample| sample.service.count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every ordered pair of OSDs that do not lie on one host, two OSDs a host.
    fn pairs(osds: u32) -> Vec<Pair> {
        (0..osds).flat_map(|a| (0..osds).map(move |b| (a, b))).filter(|(a, b)| a / 2 != b / 2).collect()
    }

    fn solved(osds: u32, time: impl Fn(u32, u32) -> f64) -> Solved {
        Solved::of(&pairs(osds).into_iter().map(|(a, b)| ((a, b), time(a, b))).collect()).unwrap()
    }

    #[test]
    fn an_osd_that_is_slow_as_primary_alone_is_told_from_one_that_is_slow_as_replica() {
        let found = solved(6, |primary, replica| 1.3 + f64::from(primary == 1) * 0.4 + f64::from(replica == 4) * 2.0);
        assert!((found.usual - 1.3).abs() < 1e-6);
        for osd in 0..6 {
            let wanted = (f64::from(osd == 1) * 0.4, f64::from(osd == 4) * 2.0);
            assert!((found.primary[&osd] - wanted.0).abs() < 1e-6, "{osd} {:?}", found.primary);
            assert!((found.replica[&osd] - wanted.1).abs() < 1e-6, "{osd} {:?}", found.replica);
        }
    }

    #[test]
    fn a_slow_pair_is_nobodys_fault() {
        let found = solved(8, |primary, replica| 1.0 + f64::from((primary, replica) == (0, 3)) * 5.0);
        assert!(found.primary.values().chain(found.replica.values()).all(|adds| adds.abs() < 1e-6));
        assert!((found.beyond[&(0, 3)].1 - 5.0).abs() < 1e-6);
    }

    #[test]
    fn who_can_t_be_told_from_its_partners_is_not_judged() {
        let all = |osds: u32| {
            let pairs = (0..osds).flat_map(move |a| (0..osds).map(move |b| ((a, b), 1.0)));
            pairs.filter(|((a, b), _)| a != b)
        };
        assert!(Solved::of(&all(3).collect()).is_none(), "six pairs and five unknowns: one slow pair is anybody's");
        assert!(Solved::of(&all(4).collect()).is_some());
        // Two hosts: each side's primaries meet the other's replicas alone, and what one side adds the other may.
        let sides: Cells = all(8).filter(|((a, b), _)| a / 4 != b / 4).collect();
        assert!(Solved::of(&sides).is_none());
    }

    proptest! {
        /// Whatever one OSD adds in either role, it is found, and nobody else is charged.
        #[test]
        fn what_one_osd_adds_is_found(osds in 4u32..12, who in 0u32..12, primary in 0.0..9.0f64, replica in 0.0..9.0f64, usual in 0.1..20.0f64) {
            let (osds, who) = (osds * 2, who % (osds * 2));
            let found = solved(osds, |a, b| usual + f64::from(a == who) * primary + f64::from(b == who) * replica);
            for osd in 0..osds {
                let own = f64::from(osd == who);
                prop_assert!((found.primary[&osd] - own * primary).abs() < 1e-6);
                prop_assert!((found.replica[&osd] - own * replica).abs() < 1e-6);
            }
        }
    }
}
