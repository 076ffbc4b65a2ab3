//! Pairs of runs of which it is known what differs: how often is something said that isn't there, and how often is a tenth found?

use crate::coverage::noise::{autoregressive, normal};
use experiments::passes::wanted;
use judge::Asked;
use model::clock::SECOND;
use model::testing;
use model::{
    Ab, Comparison, Finds, Goal, Pattern, Place, Plan, PlannedExperiment, Record, Sample, Slice, Step, StepId, Target,
    Workload,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use statrs::distribution::{ContinuousCDF, StudentsT};

const TENTH: f64 = 0.9;
/// Windows of a slice, and their noise: neighbours resemble each other.
const WINDOWS: usize = 80;
const WINDOW_SD: f64 = 0.05;
const PHI: f64 = 0.8;
const OPS: f64 = 10_000.0;
/// From one slice of a figure to the next.
const PAUSE_SECONDS: f64 = 90.0;

/// What a comparison meets.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    pub name: &'static str,
    /// Of a run, and of those the ones that lose a tenth.
    pub figures: u32,
    pub slower: u32,
    pub runs: u32,
    /// Of a run that is compared with another; A and B in one run have as many as they need.
    pub passes: u32,
    /// Of a slice's level around its figure's, and of a figure's level around that of all runs.
    pub slice_sd: f64,
    pub run_sd: f64,
    /// Slow-downs that come and go: the share of the slices that one meets, and what it takes. Figures whose first two slices agree
    /// then have no third.
    pub events: Option<(f64, f64)>,
    /// A and B in one run, pair by pair, instead of two sides of runs.
    pub beside: bool,
}

const RUNS: Scenario = Scenario {
    name: "",
    figures: 100,
    slower: 5,
    runs: 1,
    passes: 3,
    slice_sd: 0.015,
    run_sd: 0.01,
    events: None,
    beside: false,
};
const SIDES: Scenario = Scenario { figures: 6, slower: 1, run_sd: 0.02, beside: true, ..RUNS };

pub const SETTINGS: [Scenario; 11] = [
    Scenario { name: "3 + 3 slices, runs differ by 1 %", ..RUNS },
    Scenario { name: "5 + 5 slices, runs differ by 2 %", passes: 5, run_sd: 0.02, ..RUNS },
    Scenario { name: "4 + 4 runs that differ by 2 %", runs: 4, run_sd: 0.02, ..RUNS },
    Scenario { name: "bursts, -40 % in 12 of 52 s", figures: 40, passes: 6, events: Some((0.23, 0.4)), ..RUNS },
    Scenario { name: "slow-downs, -30 % in 5 of 30 s", figures: 40, passes: 6, events: Some((0.17, 0.3)), ..RUNS },
    Scenario { name: "two levels, 20 % apart", figures: 40, passes: 6, events: Some((0.5, 0.18)), ..RUNS },
    Scenario { name: "rare, -60 % in 5 of 100 s", figures: 40, passes: 6, events: Some((0.05, 0.6)), ..RUNS },
    Scenario { name: "A/B, slices differ by 2 %", slice_sd: 0.02, ..SIDES },
    Scenario { name: "A/B, slices differ by 5 %", slice_sd: 0.05, ..SIDES },
    Scenario { name: "A/B, slices differ by 8 %", slice_sd: 0.08, ..SIDES },
    Scenario { name: "A/B of 100 figures, 3 %", figures: 100, slower: 5, slice_sd: 0.03, ..SIDES },
];

/// Of one comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComparisonFound {
    /// Figures that did not change and are said to have.
    pub alarms: u32,
    /// Share of those that lost a tenth and are said to have.
    pub power: f64,
    /// The same share of a t-test on all windows at 5 %.
    pub usual: f64,
    /// Slices of a figure on one side.
    pub slices: f64,
}

/// Two comparisons by chance: one in which nothing changed, for the alarms, and one in which the first figures lost a tenth.
pub fn made(setting: &Scenario, seed: u64) -> ComparisonFound {
    let chance = &mut StdRng::seed_from_u64(seed);
    let same = compared(&Scenario { slower: 0, ..*setting }, chance);
    let changed = compared(setting, chance);
    ComparisonFound { power: changed.power, ..same }
}

fn compared(setting: &Scenario, chance: &mut StdRng) -> ComparisonFound {
    if setting.beside {
        let record = beside(setting, chance);
        let usual = usual(setting, |id| windows(&record, id), |id| windows(&record, id + setting.figures));
        let slices = record.slices.len() as f64 / f64::from(2 * setting.figures);
        let report = judge::without_findings(&record);
        let found = report.answer.pair().map(|ab| found(setting, &ab.comparison));
        return ComparisonFound { usual, slices, ..found.unwrap_or_default() };
    }
    let [before, after] =
        [1.0, TENTH].map(|slower| (0..setting.runs).map(|_| run(setting, slower, chance)).collect::<Vec<_>>());
    let all = |runs: &[Record], id| runs.iter().flat_map(|run| windows(run, id)).collect::<Vec<f64>>();
    let usual = usual(setting, |id| all(&before, id), |id| all(&after, id));
    let taken: usize = before.iter().map(|run| run.slices.len()).sum();
    let slices = taken as f64 / f64::from(setting.figures);
    ComparisonFound { usual, slices, ..found(setting, &judge::compare(&before, &after)) }
}

fn found(setting: &Scenario, comparison: &Comparison) -> ComparisonFound {
    let changed = |finds: Finds| matches!(finds, Finds::Worse | Finds::Better);
    let number = |target: &str| target.trim_start_matches("osd.").parse().unwrap_or(setting.figures);
    let (slower, same): (Vec<_>, Vec<_>) =
        comparison.differences.iter().partition(|one| number(&one.figure.target) < setting.slower);
    let seen = slower.iter().filter(|one| one.finds == Finds::Worse).count();
    ComparisonFound {
        alarms: same.iter().filter(|one| changed(one.finds)).count() as u32,
        power: seen as f64 / slower.len().max(1) as f64,
        ..ComparisonFound::default()
    }
}

fn run(setting: &Scenario, slower: f64, chance: &mut StdRng) -> Record {
    let mut record = Record { plan: Plan { goal: Goal::default(), ..Plan::default() }, ..Record::default() };
    for id in 0..setting.figures {
        let own = if id < setting.slower { slower } else { 1.0 };
        let level = own * (setting.run_sd * normal(chance)).exp();
        record.plan.steps.push(step(id, id));
        record.slices.extend(slices(setting, id, level, chance));
    }
    record.finished = true;
    record
}

/// More than this apart, two slices do not agree.
const AGREE: f64 = 0.05;

fn slices(setting: &Scenario, id: u32, level: f64, chance: &mut StdRng) -> Vec<Slice> {
    let Some((share, takes)) = setting.events else {
        return (1..=setting.passes).map(|pass| slice(id, pass, level, setting.slice_sd, chance)).collect();
    };
    let mut levels: Vec<f64> = Vec::new();
    let mut all = Vec::new();
    for pass in 1..=setting.passes {
        let own = if chance.random::<f64>() < share { level * (1.0 - takes) } else { level };
        all.push(slice(id, pass, own, setting.slice_sd, chance));
        levels.push(own);
        let apart = levels.iter().any(|one| (one / levels[0]).ln().abs() > AGREE);
        if pass >= 2 && !apart {
            break;
        }
    }
    all
}

/// A and B of each figure, as many slices as the product takes: what a run differs by, both have in common.
fn beside(setting: &Scenario, chance: &mut StdRng) -> Record {
    let goal = Goal { fixed: true, ..Goal::beside(1) };
    let passes = goal.passes_max;
    let mut record = Record { plan: Plan { goal, ..Plan::default() }, ..Record::default() };
    let pairs: Vec<(StepId, StepId)> =
        (0..setting.figures).map(|id| (StepId(id), StepId(id + setting.figures))).collect();
    record.plan.steps = (0..2 * setting.figures).map(|id| step(id, id % setting.figures)).collect();
    let ab = Ab { what: "made".into(), a: "A".into(), b: "B".into(), pairs, ..Ab::default() };
    record.plan.experiment = PlannedExperiment::PairedComparison(ab);
    let levels: Vec<f64> = (0..setting.figures).map(|_| (setting.run_sd * normal(chance)).exp()).collect();
    let mut wanted: Vec<u32> = (0..2 * setting.figures).collect();
    for pass in 1..=passes {
        for id in &wanted {
            let figure = id % setting.figures;
            let slower = if *id >= setting.figures && figure < setting.slower { TENTH } else { 1.0 };
            record.slices.push(slice(*id, pass, levels[figure as usize] * slower, setting.slice_sd, chance));
        }
        let asked = Asked::alone(&record.plan.goal);
        wanted.retain(|id| wanted::another(&record.plan, &asked, StepId(*id), pass, &record));
    }
    record.finished = true;
    record
}

fn step(id: u32, target: u32) -> Step {
    let pattern = Pattern::ReadParallel;
    let target = Target::new(testing::osds(), format!("osd.{target}"), Place::Null);
    Step::new(id, testing::osds(), pattern, vec![target], Workload::canonical(pattern, 1 << 30, 1))
}

fn slice(id: u32, pass: u32, level: f64, sd: f64, chance: &mut StdRng) -> Slice {
    let level = level * (sd * normal(chance)).exp();
    let noise = autoregressive(chance, WINDOWS, PHI, WINDOW_SD);
    let sample = |(at, noise): (usize, &f64)| {
        let ops = (OPS * level * (1.0 + noise)).max(0.0).round() as u64;
        Sample { window: at as u32, span_ns: SECOND / 10, ops, bytes: ops * 4096, ..Sample::default() }
    };
    Slice {
        target: Some(0),
        started_seconds: f64::from(pass) * PAUSE_SECONDS,
        ..testing::slice(StepId(id), pass, SECOND / 10, noise.iter().enumerate().map(sample).collect())
    }
}

/// Share of the figures that did not change and of which a t-test on all windows, as if they were independent, says that they did.
fn usual(setting: &Scenario, before: impl Fn(u32) -> Vec<f64>, after: impl Fn(u32) -> Vec<f64>) -> f64 {
    let same = setting.slower..setting.figures;
    let alarms = same.clone().filter(|id| differ(&before(*id), &after(*id))).count();
    alarms as f64 / same.len().max(1) as f64
}

fn windows(record: &Record, id: u32) -> Vec<f64> {
    let own = record.slices.iter().filter(|slice| slice.step == StepId(id));
    own.flat_map(|slice| slice.samples.iter().map(|sample| sample.ops as f64)).collect()
}

/// Welch's t-test at 5 %.
fn differ(a: &[f64], b: &[f64]) -> bool {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let error = |values: &[f64]| {
        let centre = mean(values);
        values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (values.len() * (values.len() - 1)) as f64
    };
    let (freedom, t) = ((a.len() + b.len() - 2) as f64, (mean(a) - mean(b)).abs() / (error(a) + error(b)).sqrt());
    StudentsT::new(0.0, 1.0, freedom).is_ok_and(|student| student.sf(t) < 0.025)
}

/// Of all comparisons of one setting.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComparisonTally {
    count: u32,
    alarmed: u32,
    power: f64,
    usual: f64,
    slices: f64,
}

impl ComparisonTally {
    pub const HEADING: &str =
        "comparison                       slices  any false alarm, %  -10 % found, %  t-test on windows: false, %";

    pub fn add(&mut self, found: &ComparisonFound) {
        self.count += 1;
        self.alarmed += u32::from(found.alarms > 0);
        self.power += found.power;
        self.usual += found.usual;
        self.slices += found.slices;
    }

    pub fn text(&self, name: &str) -> String {
        let usual = self.usual / f64::from(self.count.max(1));
        let slices = self.slices / f64::from(self.count.max(1));
        let (alarmed, power) = (100.0 * self.alarmed(), 100.0 * self.power());
        format!("{name:<33}{slices:>6.1}{alarmed:>20.0}{power:>16.0}{:>29.0}", 100.0 * usual)
    }

    /// Share of the comparisons with a false alarm on any figure.
    pub fn alarmed(&self) -> f64 {
        f64::from(self.alarmed) / f64::from(self.count.max(1))
    }

    /// Share of what lost a tenth that was found.
    pub fn power(&self) -> f64 {
        self.power / f64::from(self.count.max(1))
    }
}
