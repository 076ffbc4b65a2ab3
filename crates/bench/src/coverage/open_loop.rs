//! An open loop with a known truth, through the real schedule: Poisson arrivals at one server.

use crate::coverage::trial;
use agents::host::LocalHost;
use engines::Engine;
use engines::clock::SimClock;
use engines::sim::{Model, Sim};
use model::{Arrivals, Clock, Failure, Figure, Goal, Metric, Pattern, Rate};
use std::sync::Arc;

/// How much of the time the server is busy.
const LOAD: f64 = 0.7;
const SERVICE_NS: f64 = 1e6;

/// Mean response time of one server of constant service time, ms (Pollaczek and Khinchine).
pub const TRUTH: f64 = SERVICE_NS / 1e6 * (1.0 + LOAD / (2.0 * (1.0 - LOAD)));

/// One run: does its interval hold the truth, and its figure.
pub fn made(seed: u64) -> Result<(bool, Figure), Failure> {
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), |_, _| Model::steady(SERVICE_NS, 0.0, 1));
    let mut step = trial::step(Pattern::ReadLatency, 256);
    step.metric = Metric::LatencyMean;
    step.workload.seed = seed;
    step.workload.rate = Some(Rate { per_second: LOAD * 1e9 / SERVICE_NS, arrivals: Arrivals::Poisson, by_job: false });
    let clock: Arc<dyn Clock> = clock;
    let (context, files) = Default::default();
    let loader = &LocalHost { context, clock: clock.clone(), engine_of: &|_| Ok(&sim as &dyn Engine), files };
    let record = trial::conducted(step, &trial::survey(Goal { seed, ..trial::usual() }), clock.clone(), loader)?;
    let figure = judge::without_findings(&record).figures.into_iter().next();
    let figure = figure.ok_or_else(|| Failure::Failed("no figure".to_string()))?;
    let held = figure.estimate.is_some_and(|estimate| estimate.low <= TRUTH && TRUTH <= estimate.high);
    Ok((held, figure))
}
