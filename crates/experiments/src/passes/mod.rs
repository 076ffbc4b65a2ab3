//! Pass after pass, a slice of each step that still wants one; after them the devices that are written to until they fall.

mod turns;
pub mod wanted;

use crate::duration::{read_back_seconds, step_seconds};
use crate::scheduler::{Scheduler, Slot, Task, Until};
use judge::{Asked, Length};
use model::clock::MILLISECOND;
use model::{Goal, Plan, Record, ResponseBound, Step, StepId};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use std::collections::VecDeque;
use turns::{b_first, due_in, first_due, rests, side_after_side, side_by_side, switched};

/// A run may take more passes than the least only within this time, unless its goal says otherwise.
const BUDGET_SECONDS: f64 = 13.0 * 60.0;

pub struct Passes {
    plan: Plan,
    /// Steps that want a slice in this pass, and those of them that had none yet.
    wanted: Vec<StepId>,
    todo: Vec<StepId>,
    pass: u32,
    /// Had any step its turn in this pass?
    any: bool,
    pace: Pace,
    stage: Stage,
    /// A slice of an open loop ends as soon as it is known whether this is kept.
    until_known: Option<ResponseBound>,
}

/// How a pass keeps its time: slices may run on until they settle only while it is not late.
struct Pace {
    began: f64,
    /// What the steps done so far should have taken.
    expected: f64,
}

enum Stage {
    Begin,
    Within,
    /// The passes are done; these devices are left.
    Last(VecDeque<model::SustainedTest>),
}

impl Passes {
    pub fn new(plan: Plan) -> Passes {
        let wanted = plan.steps.iter().map(|step| step.id).collect();
        let pace = Pace { began: 0.0, expected: 0.0 };
        Passes { plan, wanted, todo: Vec::new(), pass: 0, any: false, pace, stage: Stage::Begin, until_known: None }
    }

    /// One step, towards a goal of its own.
    pub fn of_one(step: Step, goal: Goal) -> Passes {
        Passes::new(Plan { steps: vec![step], goal, ..Plan::default() })
    }

    /// One slice of a step at a rate, until it is known whether that keeps the bound.
    pub fn probing(step: Step, goal: Goal, bound: ResponseBound) -> Passes {
        Passes { until_known: Some(bound), ..Passes::of_one(step, goal) }
    }

    fn begin(&mut self, record: &Record, now: f64) {
        self.pass += 1;
        if self.pass > self.plan.goal.passes_max || self.out_of_time(self.pass, now) {
            return self.end();
        }
        self.order(record);
        let (plan, pass) = (&self.plan, self.pass);
        // A run that is taken up again has some of them already.
        let open = |id: &&StepId| !wanted::done(**id, pass, record) && !rests(plan, **id, pass, record);
        self.todo = self.wanted.iter().filter(open).copied().collect();
        self.any = !self.todo.is_empty();
        self.pace = Pace { began: now, expected: 0.0 };
        self.stage = Stage::Within;
    }

    fn end(&mut self) {
        self.stage = Stage::Last(self.plan.experiment.sustained().iter().cloned().collect());
    }

    /// The next slice of this pass; `None`: it has no more.
    fn slot(&mut self, record: &Record, now: f64) -> Option<Slot> {
        if self.todo.is_empty() || self.out_of_time(self.pass, now) {
            return None;
        }
        let id = self.todo.remove(first_due(&self.plan, &self.todo, self.pass, record, now));
        let step = self.plan.steps.iter().find(|step| step.id == id)?.clone();
        let goal = &self.plan.goal;
        let wait_seconds = due_in(&self.plan, id, self.pass, record, now);
        let length = Length::next(goal, &step, &wanted::slices_before(id, self.pass, record));
        let grace = length.seconds(goal.window_ms * MILLISECOND);
        let patient = !goal.fixed && now + wait_seconds - self.pace.began <= self.pace.expected + grace;
        let seconds_expected = step_seconds(goal, &step, &length);
        self.pace.expected += seconds_expected;
        let until = match (self.until_known, step.workload.rate) {
            (Some(bound), Some(rate)) => {
                let (per_second, seconds_max) =
                    (rate.per_second * step.targets.len() as f64, goal.slice_seconds(&step));
                Until::BoundKnown { bound, per_second, length, seconds_max }
            }
            _ => Until::Length { length, patient },
        };
        let (seed, read_back_seconds) = (self.plan.load_seed(&step, self.pass), read_back_seconds(goal, &step));
        let window_ns = goal.window_ms * MILLISECOND;
        Some(Slot { step, pass: self.pass, seed, window_ns, wait_seconds, until, seconds_expected, read_back_seconds })
    }

    /// Which steps want another slice. Some: what is known is worth a report.
    fn finish(&mut self, record: &Record, now: f64) -> Option<Task> {
        let (plan, pass, goal) = (&self.plan, self.pass, &self.plan.goal);
        let asked = Asked::with_what_others_met(plan, record);
        self.wanted.retain(|id| wanted::another(plan, &asked, *id, pass, record));
        let last = self.wanted.is_empty() || pass == goal.passes_max;
        // Of many short passes not each is shown.
        let shown = goal.short.is_none() || pass.is_power_of_two() || last || self.out_of_time(pass + 1, now);
        let report = (self.any && shown).then_some(Task::Report { pass });
        match last {
            true => self.end(),
            false => self.stage = Stage::Begin,
        }
        report
    }

    /// What compares points or sides needs its passes; how many there may be, the user knows.
    fn out_of_time(&self, pass: u32, now: f64) -> bool {
        let compares = self.plan.experiment.compares_steps();
        let budget = self.plan.goal.run_seconds.unwrap_or(BUDGET_SECONDS);
        !compares && pass > self.plan.goal.passes_min && now > budget
    }

    /// Shuffled, so that what one step leaves behind becomes noise instead of bias; once every figure has what it must
    /// have, the widest interval comes first, since the time may end before the pass does.
    fn order(&mut self, record: &Record) {
        let (plan, pass, wanted) = (&self.plan, self.pass, &mut self.wanted);
        let goal = &plan.goal;
        wanted.sort();
        if goal.in_order {
            return;
        }
        let restarts = plan.experiment.pair().filter(|ab| !ab.restarts.is_empty());
        // What comes first after a restart meets cold caches: on both sides of a block that is the same step.
        let lot = if restarts.is_some() { pass.div_ceil(2) } else { pass };
        wanted.shuffle(&mut rand::rngs::StdRng::seed_from_u64(goal.seed ^ (u64::from(lot) << 32)));
        if let Some(ab) = restarts {
            return side_after_side(wanted, &ab.pairs, pass.is_multiple_of(2));
        }
        if let Some(ab) = plan.experiment.pair() {
            return side_by_side(wanted, &ab.pairs, b_first(goal.seed, pass));
        }
        // Short ones come round soon: an order by width would see each figure in the same rhythm.
        if pass > goal.passes_min && goal.short.is_none() {
            let asked = Asked::alone(goal);
            let width = |id: &StepId| {
                let figures = wanted::figures(plan, &asked, *id, pass - 1, record);
                figures.iter().map(|figure| figure.1).fold(0.0, f64::max)
            };
            let mut by_width: Vec<(f64, StepId)> = wanted.iter().map(|id| (width(id), *id)).collect();
            by_width.sort_by(|a, b| b.0.total_cmp(&a.0));
            *wanted = by_width.into_iter().map(|(_, id)| id).collect();
        }
        // What drifts meanwhile, as a drive that gets full or hot, is to strike its cache on and off alike.
        side_by_side(wanted, &switched(plan), b_first(goal.seed, pass));
    }
}

impl Scheduler for Passes {
    fn next(&mut self, record: &Record, now: f64) -> Option<Task> {
        loop {
            match &mut self.stage {
                Stage::Begin => self.begin(record, now),
                Stage::Within => match self.slot(record, now) {
                    Some(slot) => return Some(Task::Measure(Box::new(slot))),
                    None => {
                        if let Some(report) = self.finish(record, now) {
                            return Some(report);
                        }
                    }
                },
                Stage::Last(tests) => {
                    return tests.pop_front().map(|test| Task::WriteWithoutPause(Box::new(test)));
                }
            }
        }
    }
}
