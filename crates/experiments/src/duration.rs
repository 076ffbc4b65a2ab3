//! How long slices, passes and runs take.

use judge::Length;
use model::plan::{SPREAD_BY_LOT, USUAL_SETTLE};
use model::{Goal, Plan, PlannedExperiment, Step};

/// What a search for the highest rate takes before it confirms one: a closed loop of 4 s, and about six probes, most of 3 to
/// 10 s and one that decides nothing in 20 s.
const SEARCH_SECONDS: f64 = 55.0;

/// Seconds of a figure: a fixed minute, and ten seconds of warm-up before it.
const USUAL_SECONDS: f64 = 70.0;
const RUN_SECONDS_LEAST: f64 = 4.0 * 60.0;
const NEEDED_AND_MORE: f64 = 1.1;

/// How long opening and closing the sessions of a slice takes.
const BETWEEN_SECONDS: f64 = 0.3;

/// An OSD ends, starts, and its placement groups are active and clean again.
const RESTART_SECONDS: f64 = 10.0;

/// How long daemons take to hear of a new value of an option.
pub const HEARD_SECONDS: f64 = 1.0;

/// Seconds of the whole run if every figure settles as soon as it may, and no device falls before its time is up: slices, the pauses
/// between them, and the filling.
pub fn seconds_expected(plan: &Plan) -> f64 {
    let beyond = match &plan.experiment {
        PlannedExperiment::HighestRate { .. } => SEARCH_SECONDS * plan.steps.len() as f64,
        experiment => experiment.sustained().iter().map(|test| test.seconds).sum(),
    };
    let restarted = plan.experiment.pair().map_or(0, |ab| ab.restarts.len()) as f64;
    passes_seconds(&plan.goal, &plan.steps) + beyond + f64::from(plan.goal.passes_min) * restarted * RESTART_SECONDS
}

/// All slices that every figure needs if it settles as soon as it may.
fn passes_seconds(goal: &Goal, steps: &[Step]) -> f64 {
    let pass = |length: &dyn Fn(&Step) -> Length| -> f64 {
        steps.iter().map(|step| step_seconds(goal, step, &length(step))).sum()
    };
    let first = pass(&|step| Length::next(goal, step, &[]));
    let Some(short) = goal.short else { return first * f64::from(goal.passes_min) };
    let windows = |seconds: f64| (seconds * 1e3 / goal.window_ms as f64).ceil() as usize;
    let (front, windows) = (windows(short.front_seconds), windows(short.front_seconds + short.seconds));
    let later = pass(&|_| Length::Short { front, windows });
    let apart = (1.0 + SPREAD_BY_LOT / 2.0) * short.apart_seconds
        + steps.first().map_or(0.0, |step| step_seconds(goal, step, &Length::Short { front, windows }));
    // The first slice counts as two looks and more.
    let looks = f64::from(judge::looks_for(goal.settle)) - 2.0;
    first + looks * later.max(apart)
}

/// A run may last as long as a third of what a fixed minute of each step takes, and no less than what one of few steps needs, or one for
/// narrower intervals than the usual ones if its figures settle.
pub fn with_time(goal: Goal, steps: &[Step]) -> Goal {
    let needed = if goal.settle < USUAL_SETTLE { passes_seconds(&goal, steps) * NEEDED_AND_MORE } else { 0.0 };
    let least = (steps.len() as f64 * USUAL_SECONDS / 3.0).max(RUN_SECONDS_LEAST).max(needed);
    let run_seconds = goal.short.map(|_| goal.run_seconds.unwrap_or(0.0).max(least));
    Goal { run_seconds, ..goal }
}

/// One slice of a step: its data, what the warm-up may take, opening and closing.
pub fn step_seconds(goal: &Goal, step: &Step, length: &Length) -> f64 {
    let seconds = length.seconds(goal.window_ms * model::clock::MILLISECOND);
    let heard = if step.workload.settings.is_empty() { 0.0 } else { HEARD_SECONDS };
    let warmup = if matches!(length, Length::Long { .. }) { (seconds / 8.0).min(1.0) } else { 0.0 };
    seconds + warmup + BETWEEN_SECONDS + heard + read_back_seconds(goal, step)
}

/// The most time for reading back what a slice wrote, where it verifies and read nothing itself.
pub fn read_back_seconds(goal: &Goal, step: &Step) -> f64 {
    let blind = step.workload.verify && !step.workload.reads();
    if blind { (goal.slice_seconds(step) / 4.0).clamp(1.0, 5.0) } else { 0.0 }
}
