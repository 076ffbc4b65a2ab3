//! Compactions behind a figure: how often one is blamed that has no part in it, and found that has.

use crate::coverage::kinds::Kind;
use crate::coverage::latency;
use crate::coverage::noise::{DT, uniform};
use crate::coverage::replay::{MadeSeries, SeriesSource};
use crate::coverage::trial::{self, Seeds};
use model::{Background, Compaction, Failure, OsdLooks, Pattern, Plan, Sparse, StepId, StoreActivity};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// How long tables are written, and how long they are not, s.
pub struct Habit {
    pub name: &'static str,
    writes: (f64, f64),
    rests: (f64, f64),
}

pub const HABITS: [Habit; 2] = [
    Habit { name: "1-3 s in 5-15 s", writes: (1.0, 3.0), rests: (4.0, 12.0) },
    Habit { name: "8-20 s in 18-50 s", writes: (8.0, 20.0), rests: (10.0, 30.0) },
];

/// Longer than any slice becomes, s.
const LONGEST: f64 = 40.0;
const PASSES: u32 = 6;

/// What was said of some figures.
#[derive(Clone, Copy, Default)]
pub struct CompactionTally {
    pub count: u32,
    pub in_step: u32,
    pub slower: u32,
    /// Those of which it is known how much is missing at least, and those of them of which that is true.
    pub known: u32,
    pub held: u32,
}

impl CompactionTally {
    pub fn add(&mut self, by: f64, seen: &Background) {
        self.count += 1;
        self.in_step += u32::from(seen.dips_beyond_chance);
        self.slower += u32::from(seen.slower_beyond_chance);
        if let Some(slowed) = seen.slowed {
            self.known += 1;
            self.held += u32::from(slowed.at_least <= by);
        }
    }

    pub fn joined(self, other: &CompactionTally) -> CompactionTally {
        CompactionTally {
            count: self.count + other.count,
            in_step: self.in_step + other.in_step,
            slower: self.slower + other.slower,
            known: self.known + other.known,
            held: self.held + other.held,
        }
    }

    /// `in step % / slower %`.
    pub fn text(&self) -> String {
        let share = |n: u32| 100.0 * f64::from(n) / f64::from(self.count.max(1));
        format!("{:>6.1} /{:>6.1}", share(self.in_step), share(self.slower))
    }

    /// `held %` of those known.
    pub fn coverage(&self) -> String {
        format!("{:>6.1} of {:>5}", 100.0 * f64::from(self.held) / f64::from(self.known.max(1)), self.known)
    }
}

/// A series that loses a share of its level while tables are written.
struct Held {
    series: MadeSeries,
    by: f64,
    writes: Vec<Vec<(f64, f64)>>,
}

impl SeriesSource for Held {
    fn rates(&mut self, slice: u32, second: f64) -> Vec<f64> {
        let written = &self.writes[(slice as usize).min(self.writes.len() - 1)];
        let part = |at: usize| {
            let (from, to) = (at as f64 * DT, (at + 1) as f64 * DT);
            written.iter().map(|one| (one.1.min(to) - one.0.max(from)).max(0.0)).sum::<f64>() / DT
        };
        let rates = self.series.rates(slice, second);
        rates.iter().enumerate().map(|(at, rate)| rate * (1.0 - self.by * part(at))).collect()
    }

    fn latencies(&mut self, ops: u64, at: usize) -> Sparse {
        self.series.latencies(ops, at)
    }
}

/// One figure of writes, beside compactions that take `by` of its level.
pub fn made(kind: &'static Kind, seed: u64, habit: &Habit, by: f64) -> Result<Background, Failure> {
    let mut chance = StdRng::seed_from_u64(seed ^ 1 << 59);
    let writes: Vec<Vec<(f64, f64)>> = (0..PASSES).map(|_| written(habit, &mut chance)).collect();
    let seen: Vec<Compaction> = (1..).zip(&writes).map(|(pass, written)| looked(pass, written)).collect();
    let source = Held { series: MadeSeries::new(kind, Seeds::both(seed)), by, writes };
    let (mut record, _) =
        trial::record(source, trial::step(Pattern::WriteParallel, latency::DEPTH), &Plan::default(), trial::NINETY)?;
    record.observations = seen.into_iter().map(model::Observation::Compaction).collect();
    let figure = judge::without_findings(&record).figures.into_iter().next();
    figure.and_then(|figure| figure.background).ok_or_else(|| Failure::Failed("nobody looked".to_string()))
}

fn written(habit: &Habit, chance: &mut StdRng) -> Vec<(f64, f64)> {
    let mut at = -uniform(chance, 0.0, habit.writes.1 + habit.rests.1);
    let mut all = Vec::new();
    while at < LONGEST {
        let ends = at + uniform(chance, habit.writes.0, habit.writes.1);
        all.push((at, ends));
        at = ends + uniform(chance, habit.rests.0, habit.rests.1);
    }
    all
}

/// As a run sees it: once a second, whether anything was written meanwhile.
fn looked(pass: u32, written: &[(f64, f64)]) -> Compaction {
    let look = |second: u32| {
        let (from, to) = (f64::from(second), f64::from(second + 1));
        let bytes = if written.iter().any(|one| one.0 < to && from < one.1) { 1 << 24 } else { 0 };
        StoreActivity { from, to, bytes }
    };
    let osds = vec![OsdLooks { osd: 0, looks: (0..LONGEST as u32).map(look).collect(), reads: None, database: None }];
    Compaction { step: StepId(0), pass, osds, of: 1 }
}
