//! Two runs of one cluster, measured by the product's own loop, of which it is known what differs: how often is something said that
//! isn't there, and how often is a tenth found?

use crate::coverage::kinds::Kind;
use crate::coverage::latency;
use crate::coverage::noise::DT;
use crate::coverage::replay::{MadeSeries, Pause};
use crate::coverage::trial::{self, Seeds};
use model::{Failure, Finds, Label, Pattern, Record, StepId, Target};

const TENTH: f64 = 0.9;
/// How many of the figures lost a tenth.
const SLOWER: u32 = 5;

/// Of what size both runs are.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub name: &'static str,
    pub figures: u32,
    pub pause: Pause,
}

pub const SIZES: [Size; 2] = [
    Size { name: "1 figure", figures: 1, pause: Pause::Seconds(0.01) },
    Size { name: "40 figures", figures: 40, pause: trial::FORTY },
];

/// Of two runs that do not differ, and of two that do.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairsFound {
    /// Figures that did not change and are said to have.
    alarms: u32,
    /// Figures that lost a tenth, and those of them that are said to be worse.
    slower: u32,
    seen: u32,
    /// Of the first run's figures those that are called settled, and those of them that hold the long mean.
    settled: u32,
    held: u32,
}

/// The same figures twice, with the same parameters and other noise; and once more where some lost a tenth.
pub fn made(kind: &'static Kind, seed: u64, size: &Size) -> Result<PairsFound, Failure> {
    let (before, same) = (run(kind, seed, 0, size)?, run(kind, seed, 1, size)?);
    let alarms = changed(&before, &same, |finds| finds != Finds::Same && finds != Finds::Undecided, 0..size.figures);
    let slower = SLOWER.min(size.figures);
    let mut after = same;
    for figure in 0..slower {
        after.slices.retain(|slice| slice.step != StepId(figure));
        after.slices.extend(slices(kind, seed, 1, size, figure, TENTH)?);
    }
    let seen = changed(&before, &after, |finds| finds == Finds::Worse, 0..slower);
    let (settled, held) = settled(kind, seed, &before);
    Ok(PairsFound { alarms, slower, seen, settled, held })
}

/// In a whole run a figure knows what events the others met. A kind without a long run has no truth here.
fn settled(kind: &'static Kind, seed: u64, run: &Record) -> (u32, u32) {
    let (mut settled, mut held) = (0, 0);
    for figure in
        judge::without_findings(run).figures.iter().filter(|figure| figure.label == Label::Settled && !kind.ends)
    {
        let given = seed << 8 | u64::from(figure.step.0);
        let truth = trial::series(kind, Seeds { given, chance: 0 }, 0, 10).1 / DT;
        settled += 1;
        held += u32::from(figure.estimate.is_some_and(|known| known.low <= truth && truth <= known.high));
    }
    (settled, held)
}

fn changed(before: &Record, after: &Record, told: impl Fn(Finds) -> bool, figures: std::ops::Range<u32>) -> u32 {
    let found = judge::compare(std::slice::from_ref(before), std::slice::from_ref(after));
    let of = |name: &str| figures.clone().any(|figure| name == self::name(figure));
    found.differences.iter().filter(|one| told(one.finds) && of(&one.figure.target)).count() as u32
}

fn name(figure: u32) -> String {
    format!("made.{figure}")
}

fn pattern(kind: &Kind) -> Pattern {
    if kind.of_writes { Pattern::WriteParallel } else { Pattern::ReadParallel }
}

/// All its figures, each on a series of its own.
fn run(kind: &'static Kind, seed: u64, side: u64, size: &Size) -> Result<Record, Failure> {
    let mut all = Record::default();
    for figure in 0..size.figures {
        let mut step = trial::step(pattern(kind), latency::DEPTH);
        step.id = StepId(figure);
        step.targets = vec![Target { name: name(figure), ..step.targets[0].clone() }];
        all.plan.steps.push(step);
        all.slices.extend(slices(kind, seed, side, size, figure, 1.0)?);
    }
    all.plan.goal = trial::usual();
    all.finished = true;
    Ok(all)
}

fn slices(
    kind: &'static Kind,
    seed: u64,
    side: u64,
    size: &Size,
    figure: u32,
    factor: f64,
) -> Result<Vec<model::Slice>, Failure> {
    let given = seed << 8 | u64::from(figure);
    let seeds = Seeds { given, chance: given << 1 | side };
    let goal = model::Goal { seed: seeds.chance, ..trial::usual() };
    let source = MadeSeries::new(kind, seeds).times(factor);
    let (mut record, _) =
        trial::record(source, trial::step(pattern(kind), latency::DEPTH), &trial::survey(goal), size.pause)?;
    record.slices.iter_mut().for_each(|slice| slice.step = StepId(figure));
    Ok(record.slices)
}

/// Of all pairs of runs of one kind and size.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairTally {
    count: u32,
    alarmed: u32,
    slower: u32,
    seen: u32,
    settled: u32,
    held: u32,
}

impl PairTally {
    pub fn add(&mut self, found: PairsFound) {
        self.count += 1;
        self.alarmed += u32::from(found.alarms > 0);
        self.slower += found.slower;
        self.seen += found.seen;
        self.settled += found.settled;
        self.held += found.held;
    }

    /// Share of the pairs with a false alarm on any figure.
    pub fn alarmed(&self) -> f64 {
        f64::from(self.alarmed) / f64::from(self.count.max(1))
    }

    /// `any false alarm % / -10 % found % / settled figures of the first runs / of these the mean is held %`.
    pub fn text(&self) -> String {
        let found = f64::from(self.seen) / f64::from(self.slower.max(1));
        let held = match self.settled {
            0 => "–".to_string(),
            settled => format!("{:.0}", 100.0 * f64::from(self.held) / f64::from(settled)),
        };
        format!("{:.0}/{:.0}/{}/{held}", 100.0 * self.alarmed(), 100.0 * found, self.settled)
    }
}
