//! One figure, measured by the product's own loop on a series whose truth is known.

use crate::coverage::kinds::Kind;
use crate::coverage::latency;
use crate::coverage::recorded::{Recording, Taken};
use crate::coverage::replay::{MadeSeries, Pause, Replay, SeriesSource};
use crate::coverage::usual::Usual;
use agents::loader::Loader;
use cluster::watch::Seen;
use engines::clock::SimClock;
use model::pattern::Family;
use model::{Clock, Event, Failure, Figure, Goal, Pattern, Plan, Record, Report, Step, Workload, testing};
use rand::SeedableRng;
use rand::rngs::StdRng;
use run::conductor::{AsItIs, Conductor};
use run::probes::Probes;
use run::{EventSink, HealthMonitor, Unfilled};
use std::sync::Arc;

/// What lies between two slices of a figure in a run of forty.
pub const FORTY: Pause = Pause::Figures(40);

/// What lies between two passes of a run for verdicts.
pub const NINETY: Pause = Pause::Seconds(90.0);

/// What runs ask for if nothing is said.
pub fn usual() -> Goal {
    // Of forty figures: a third of a fixed minute with ten seconds before it for each.
    Goal { run_seconds: Some(40.0 * 70.0 / 3.0), ..Goal::usual(0.10, 60.0, 1) }
}

/// A plan for this goal, still without its step.
pub fn survey(goal: Goal) -> Plan {
    Plan { goal, ..Plan::default() }
}

/// The percentiles whose intervals are tried.
pub const PERCENTILES: [f64; 3] = [50.0, 99.0, 99.9];

/// Windows of a series: an hour and three quarters, which hold a run of forty figures that do not settle.
pub const SERIES_WINDOWS: usize = 64_000;
/// Windows from which the true percentiles are taken.
const TRUTH_WINDOWS: usize = 60_000;

/// What is true: operations a second, and ms for each of [`PERCENTILES`].
#[derive(Clone, Debug)]
pub struct Truth {
    pub rate: f64,
    pub percentiles: [f64; 3],
}

impl Truth {
    /// `mean`: of a window; `windows`: those of which the percentiles are true.
    fn of(mean: f64, windows: &[f64]) -> Truth {
        let percentiles = PERCENTILES.map(|percent| latency::truth(windows, percent / 100.0));
        Truth { rate: mean / crate::coverage::noise::DT, percentiles }
    }
}

/// A figure and what it should have been.
pub struct TrialOutcome {
    pub truth: Truth,
    /// Operations a second over the stretch that the slices span, if the series goes on between them.
    pub stretch: f64,
    pub figure: Figure,
    pub passes: u32,
    /// What the habit makes of the same series: 60 s, and an interval as if windows were independent.
    pub usual: Usual,
    /// In a run for verdicts.
    pub verdict: Option<model::Outcome>,
}

struct NothingHappens;

impl HealthMonitor for NothingHappens {
    fn asked_to_end(&self) -> bool {
        false
    }

    fn seen(&self) -> Seen {
        Seen::default()
    }
}

/// What a kind's series is drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// Its parameters.
    pub given: u64,
    /// Its noise.
    pub chance: u64,
}

impl Seeds {
    pub fn both(seed: u64) -> Seeds {
        Seeds { given: seed, chance: seed }
    }
}

/// A kind's series, and its mean in the long run, both per window. `slice`: of kinds that begin anew.
pub fn series(kind: &Kind, seeds: Seeds, slice: u32, windows: usize) -> (Vec<f64>, f64) {
    let part = u64::from(slice);
    let mut given = StdRng::seed_from_u64(seeds.given ^ part << 40);
    let mut chance = StdRng::seed_from_u64(seeds.chance ^ part << 40 ^ 1 << 56);
    (kind.make)(&mut given, &mut chance, windows)
}

/// The truth of the same parameters: in the long run, from a series of its own; of a kind that has none, over the stretch that the
/// slices span.
fn truth(kind: &Kind, seed: u64, mean: f64, stretch: &[f64]) -> Truth {
    if kind.ends {
        let mean = stretch.iter().sum::<f64>() / stretch.len().max(1) as f64;
        return Truth::of(mean, stretch);
    }
    let mut given = StdRng::seed_from_u64(seed);
    let mut chance = StdRng::seed_from_u64(seed ^ 1 << 57);
    Truth::of(mean, &(kind.make)(&mut given, &mut chance, TRUTH_WINDOWS).0.split_off(kind.early))
}

/// The part of the series between the beginning of a run's first slice and the end of its last one.
fn stretch<'a>(windows: &'a [f64], record: &Record) -> &'a [f64] {
    let place = |seconds: f64| ((seconds / crate::coverage::noise::DT).round().max(0.0) as usize).min(windows.len());
    let ends = record.slices.iter().map(|slice| place(slice.started_seconds + slice.seconds())).max();
    &windows[..ends.unwrap_or(0)]
}

/// The whole procedure on one made-up series; the plan may depend on its true rate. `gap`: between two slices.
pub fn made(
    kind: &'static Kind,
    seed: u64,
    pattern: Pattern,
    gap: Pause,
    plan: impl Fn(f64) -> Plan,
) -> Result<TrialOutcome, Failure> {
    let (windows, mean) = series(kind, Seeds::both(seed), 0, SERIES_WINDOWS);
    let usual = Usual::after_ramp(&windows);
    let plan = plan(mean / crate::coverage::noise::DT);
    let (record, passes) = record(MadeSeries::new(kind, Seeds::both(seed)), step(pattern, latency::DEPTH), &plan, gap)?;
    let own = stretch(&windows, &record);
    let stretch =
        own.iter().map(|rate| rate.max(0.0)).sum::<f64>() / own.len().max(1) as f64 / crate::coverage::noise::DT;
    let truth = truth(kind, seed, mean, own);
    Ok(TrialOutcome { stretch, ..outcome(truth, usual, (judge::without_findings(&record), passes))? })
}

/// The whole procedure on a recorded series, taken up at `start`.
pub fn recorded(recording: &Recording, start: usize, truth: &Truth, plan: &Plan) -> Result<TrialOutcome, Failure> {
    let pattern = Pattern::of(Family::Parallel, recording.kind);
    let usual = Usual::at_once(&recording.rates[start..]);
    let source = Taken { recording, start, chance: StdRng::seed_from_u64(start as u64), from: start };
    outcome(truth.clone(), usual, measure(source, step(pattern, recording.depth(truth)), plan, FORTY)?)
}

fn outcome(truth: Truth, usual: Usual, (report, passes): (Report, u32)) -> Result<TrialOutcome, Failure> {
    let verdict = report.answer.verdicts().first().map(|verdict| verdict.outcome);
    let figure = report.figures.into_iter().next().ok_or_else(|| Failure::Failed("no figure".to_string()))?;
    Ok(TrialOutcome { stretch: truth.rate, truth, figure, passes, usual, verdict })
}

/// What the product makes of a source, and how many passes it took.
pub fn measure<S: SeriesSource>(source: S, step: Step, plan: &Plan, pause: Pause) -> Result<(Report, u32), Failure> {
    let (record, passes) = record(source, step, plan, pause)?;
    Ok((judge::without_findings(&record), passes))
}

/// What it writes down of it.
pub fn record<S: SeriesSource>(source: S, step: Step, plan: &Plan, pause: Pause) -> Result<(Record, u32), Failure> {
    let sim = Arc::new(SimClock::default());
    let loader = Replay::new(sim.clone(), source, pause, plan.goal.seed);
    let record = conducted(step, plan, sim, &loader)?;
    Ok((record, loader.slices()))
}

/// One step through the product's own loop. `plan`: without its step.
pub fn conducted(step: Step, plan: &Plan, clock: Arc<dyn Clock>, loader: &dyn Loader) -> Result<Record, Failure> {
    let plan = Plan { steps: vec![step], ..plan.clone() };
    let mut sink = EventSink::silent(clock.clone());
    sink.tell(Event::Planned { plan: plan.clone() })?;
    let (health, sides, unfilled) = (&NothingHappens, &AsItIs, &Unfilled::default());
    let conductor = Conductor { clock: &clock, health, loader, sides, observer: &Probes::default(), unfilled };
    conductor.conduct(&mut *experiments::scheduler(&plan), &mut sink)?;
    Ok(sink.into_record())
}

pub fn step(pattern: Pattern, depth: u32) -> Step {
    let made = testing::step(0, testing::pools(), pattern, &["made"]);
    Step { workload: Workload { depth, ..made.workload }, ..made }
}
