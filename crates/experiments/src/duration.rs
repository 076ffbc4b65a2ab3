//! How long slices, passes and runs take.

use judge::Length;
use model::host_setting::host_and_name;
use model::plan::{SPREAD_BY_LOT, USUAL_SETTLE};
use model::{Goal, Plan, PlannedExperiment, Step};

/// What a search for the highest rate takes before it confirms one: a closed loop of 4 s, and about six probes, most of 3 to
/// 10 s and one that decides nothing in 20 s.
const SEARCH_SECONDS: f64 = 55.0;

/// In a lab on memory: five images of 64 MiB are filled, and all states are made, asked and removed.
const STATES_FILL_SECONDS: f64 = 10.0;
const STATES_ROUND_SECONDS: f64 = 4.0;

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
        PlannedExperiment::ImageStates(states) => {
            STATES_FILL_SECONDS + f64::from(states.rounds_min) * STATES_ROUND_SECONDS
        }
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

/// Whether drives are fit is told in about eight minutes (or as many times as much as a figure may take more than a minute), with --quick in about
/// two: the more drives there are, the shorter are the slices. They get no shorter than [`SLICE_LEAST`], so that from some hundred loads one
/// after the other on it takes longer.
pub fn of_fitness(goal: Goal, steps: &[Step]) -> Goal {
    let each = |seconds: f64| seconds / steps.len().max(1) as f64 - BETWEEN_SECONDS;
    let within = |goal: Goal, seconds: f64| Goal {
        read_slice_seconds: goal.read_slice_seconds.min(seconds.max(SLICE_LEAST)),
        write_slice_seconds: goal.write_slice_seconds.min(seconds.max(SLICE_LEAST)),
        ..goal
    };
    match goal.short {
        _ if goal.fixed => goal,
        None if goal.passes_max == 1 => within(goal, each(FITNESS_QUICK_SECONDS)),
        None => goal,
        Some(_) => {
            let seconds = FITNESS_SECONDS * (goal.seconds_max / USUAL_FIGURE_SECONDS).max(1.0);
            Goal { run_seconds: Some(seconds), ..within(goal, each(seconds * FIRST_PASS)) }
        }
    }
}

const FITNESS_SECONDS: f64 = 8.0 * 60.0;
const FITNESS_QUICK_SECONDS: f64 = 90.0;
/// As --time-max has it.
const USUAL_FIGURE_SECONDS: f64 = 60.0;
/// The share of the time that the first pass may take, whose slices are long.
const FIRST_PASS: f64 = 0.4;
/// A slice of 50-ms windows that is shorter has no interval worth the name.
const SLICE_LEAST: f64 = 1.6;

/// One slice of a step: its data, what the warm-up may take, opening and closing.
pub fn step_seconds(goal: &Goal, step: &Step, length: &Length) -> f64 {
    let seconds = length.seconds(goal.window_ms * model::clock::MILLISECOND);
    let of_daemons = step.workload.settings.keys().any(|option| host_and_name(option).is_none());
    let heard = if of_daemons { HEARD_SECONDS } else { 0.0 };
    let warmup = if matches!(length, Length::Long { .. }) { (seconds / 8.0).min(1.0) } else { 0.0 };
    seconds + warmup + BETWEEN_SECONDS + heard + read_back_seconds(goal, step)
}

/// The most time for reading back what a slice wrote, where it verifies and read nothing itself.
pub fn read_back_seconds(goal: &Goal, step: &Step) -> f64 {
    let blind = step.workload.verify && !step.workload.reads();
    if blind { (goal.slice_seconds(step) / 4.0).clamp(1.0, 5.0) } else { 0.0 }
}
