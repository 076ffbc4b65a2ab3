//! Who slows a pool, by position. Every write has a primary and a replica; its time is what is usual, what the one adds as primary and what
//! the other adds as replica.

mod long_writes;
mod of_one;
mod solved;

use crate::osd_timers::{Timers, commit_parts, summed};
use long_writes::{Ended, long_writes};
use model::seed::mixed;
use model::{
    Estimate, OsdStages, PairTime, Place, PositionOfOsd, Positions, Record, Slice, Sparse, Spent, Step, Timer,
    WriteTimes,
};
use solved::{Solved, Way};
use std::collections::BTreeMap;

/// Length of a block: writes within it resemble each other, so that blocks and not writes are drawn anew.
const BLOCK_SECONDS: f64 = 0.5;
/// How often all blocks are drawn anew for the intervals.
const DRAWS: u64 = 100;
const SOLVED_LEAST: f64 = 0.8;
/// Its timers tell where its own part is spent if at least this share of what they timed is the run's.
const OWN_LEAST: f64 = 0.9;
/// Fewer writes of a pair say nothing of it.
const WRITES_LEAST: u64 = 5;

/// A pair, primary first.
type Pair = (u32, u32);
type Cells = BTreeMap<Pair, f64>;
type Quantile = fn(&Sparse) -> Option<f64>;

/// `None`: nobody measured it, or too little to tell OSDs apart.
pub fn positions(record: &Record) -> Option<Positions> {
    let step = record.plan.steps.iter().find(|step| step.in_turns)?;
    let blocks = blocks(record, step);
    let all: Vec<usize> = (0..blocks.len()).collect();
    let quantiles: [Quantile; 3] = [|all| all.quantile_ns(0.5), Sparse::mean_ns, |all| all.quantile_ns(0.9)];
    let way = Way::of([&cells(&blocks, &all, quantiles[1])?, &cells(&blocks, &all, quantiles[0])?])?;
    let solved = |of: &[usize]| quantiles.map(|quantile| way.solve(&cells(&blocks, of, quantile)?));
    let [Some(medians), Some(means), Some(p90s)] = solved(&all) else { return None };
    let drawn: Vec<[Option<Solved>; 3]> = (0..DRAWS)
        .map(|draw| {
            let some: Vec<usize> = all.iter().map(|at| mixed([draw, *at as u64]) as usize % blocks.len()).collect();
            solved(&some)
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
    let all_osds = |solved: &Solved| Some(solved.all());
    let stages = stages(record, step);
    let (long, took_part) = long_writes(ended(record, step));
    let host = |osd: u32| record.scope.osds.iter().find(|one| one.id == osd).map(|one| one.host.clone());
    let osds = means.primary.keys().filter_map(|osd| {
        Some(PositionOfOsd {
            osd: *osd,
            host: host(*osd)?,
            primary: role(&|solved| solved.primary.get(osd).copied())?,
            replica: role(&|solved| solved.replica.get(osd).copied())?,
            timers: stages.get(osd).copied(),
            took_part: took_part.get(osd).copied().unwrap_or_default(),
        })
    });
    let pairs = means.beyond.iter().map(|((primary, replica), (mean, beyond))| PairTime {
        primary: *primary,
        replica: *replica,
        mean: *mean,
        beyond: *beyond,
    });
    Some(Positions {
        layer: step.layer,
        pattern: step.pattern,
        usual: role(&|solved| Some(solved.usual))?,
        mean: Estimate::new(means.all(), 1.96 * error(1, &all_osds)),
        osds: osds.collect(),
        pairs: pairs.collect(),
        operations: blocks.iter().flat_map(|block| block.values()).map(|writes| writes.count).sum(),
        long,
    })
}

/// All writes that count, by where and when they ended.
fn ended<'r>(record: &'r Record, step: &Step) -> Vec<Ended<'r>> {
    let good = |slice: &&Slice| slice.step == step.id && slice.void.is_none();
    let of_pair = |slice: &'r Slice| Some((slice, slice.target.and_then(|target| pair(step, target))?));
    let all = record.slices.iter().filter(good).filter_map(of_pair).flat_map(|(slice, pair)| {
        slice.counted().iter().map(move |sample| Ended {
            pass: slice.pass,
            seconds: f64::from(sample.window) * slice.window_ns as f64 / 1e9,
            pair,
            writes: &sample.service,
        })
    });
    all.collect()
}

/// Of each stretch of [`BLOCK_SECONDS`]: the writes of every pair.
fn blocks(record: &Record, step: &Step) -> Vec<BTreeMap<Pair, Sparse>> {
    let mut blocks: BTreeMap<(u32, u64), BTreeMap<Pair, Vec<&Sparse>>> = BTreeMap::new();
    for Ended { pass, seconds, pair, writes } in ended(record, step) {
        // Windows begin at whole multiples, of which a quotient may lie just below.
        let block = blocks.entry((pass, (seconds / BLOCK_SECONDS + 1e-6) as u64)).or_default();
        block.entry(pair).or_default().push(writes);
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

/// Each OSD's own timers in all slices of the step.
fn stages(record: &Record, step: &Step) -> BTreeMap<u32, OsdStages> {
    let sums = summed(record.osd_times().filter(|times| times.step == step.id));
    let stages = |timers: &Timers| {
        let mean = |timer| timers.get(&timer).and_then(Spent::mean_ms);
        Some(OsdStages {
            software: mean(Timer::Dequeued)? + mean(Timer::WritePrepared)?,
            commit: mean(Timer::Commit)?,
            parts: commit_parts(timers),
        })
    };
    let own = |osd: u32, timers: &Timers| {
        let timed = |timer| timers.get(&timer).map_or(0, |spent: &Spent| spent.times) as f64;
        let all = timed(Timer::Write) + timed(Timer::ReplicaWrite);
        all > 0.0 && written(record, step, osd) as f64 >= OWN_LEAST * all
    };
    let known = sums.iter().filter(|(osd, timers)| own(**osd, timers));
    known.filter_map(|(osd, timers)| Some((*osd, stages(timers)?))).collect()
}

/// All writes of the step that this OSD had a part in, warm-up included. The last one of each pair in a slice is in no sample, since its window
/// was not whole when the slice ended: of slow writes that is a large part.
fn written(record: &Record, step: &Step, osd: u32) -> u64 {
    let has = |slice: &&Slice| {
        let pair = slice.target.and_then(|target| pair(step, target));
        slice.step == step.id && pair.is_some_and(|(primary, replica)| primary == osd || replica == osd)
    };
    let of_slice = |slice: &Slice| 1 + slice.samples.iter().map(|sample| sample.service.count).sum::<u64>();
    record.slices.iter().filter(has).map(of_slice).sum()
}
