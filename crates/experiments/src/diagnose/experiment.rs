//! Diagnosis as an experiment: writes between pairs of OSDs, a survey, then the tests that rules ask for, until no suspect is left untested or the time is up.

use super::{Case, untested};
use crate::passes::Passes;
use crate::scheduler::{Scheduler, Task};
use judge::assess;
use model::{CauseTest, Goal, Plan, PlannedExperiment, Record, StepId};

/// How often each target of a test has its turn, in shuffled order, so that what comes and goes meets all of them.
const PASSES: u32 = 3;
/// Settled data of one slice: three of them have the windows that an interval needs, and writes outlast a short dip.
const READ_SECONDS: f64 = 4.0;
const WRITE_SECONDS: f64 = 6.5;
/// Of writes between pairs: with 1.3 ms each, thirty pairs have some two hundred of each in all passes.
const PAIRS_SECONDS: f64 = 4.0;

pub struct Diagnose {
    /// It grows by the steps of each test.
    plan: Plan,
    under_way: Passes,
    /// What is measured after the pairs.
    survey: Option<Plan>,
}

impl Diagnose {
    /// Writes between pairs of OSDs come first: what a survey's large writes leave in queues and on slow links would be in them.
    pub fn new(plan: Plan) -> Diagnose {
        let steps = plan.steps.iter().filter(|step| !step.in_turns).cloned().collect();
        let survey = Plan { steps, ..plan.clone() };
        let goal = Goal { write_slice_seconds: PAIRS_SECONDS, ..test_goal(&plan.goal) };
        match plan.steps.iter().find(|step| step.in_turns).cloned() {
            Some(pairs) => Diagnose { under_way: Passes::of_one(pairs, goal), survey: Some(survey), plan },
            None => Diagnose { under_way: Passes::new(survey), survey: None, plan },
        }
    }

    /// `None`: it is done.
    fn survey(&mut self, record: &Record, now: f64) -> Option<Task> {
        self.under_way = Passes::new(self.survey.take()?);
        self.under_way.next(record, now)
    }

    /// The next test, as part of the plan; `None`: there is no further one, or no time for it.
    fn test(&mut self, record: &Record, now: f64) -> Option<Task> {
        let diagnosis = match &mut self.plan.experiment {
            PlannedExperiment::Diagnosis(diagnosis) if now < diagnosis.seconds_max => diagnosis,
            _ => return None,
        };
        let (rule, suspect, mut steps) = untested(&Case::of(&assess(record)))?;
        let next = self.plan.steps.iter().map(|step| step.id.0 + 1).max().unwrap_or(0);
        (next..).zip(&mut steps).for_each(|(id, step)| step.id = StepId(id));
        let asks = rule.test.as_ref().map_or("", |test| test.asks).to_string();
        let ids = steps.iter().map(|step| step.id).collect();
        diagnosis.tests.push(CauseTest { rule: rule.id.to_string(), subject: suspect.subject, asks, steps: ids });
        self.plan.steps.extend(steps.iter().cloned());
        let goal = test_goal(&self.plan.goal);
        self.under_way = Passes::new(Plan { steps, goal, ..Plan::default() });
        Some(Task::Plan(Box::new(self.plan.clone())))
    }
}

impl Scheduler for Diagnose {
    fn next(&mut self, record: &Record, now: f64) -> Option<Task> {
        self.under_way.next(record, now).or_else(|| self.survey(record, now)).or_else(|| self.test(record, now))
    }
}

/// Slices of one length for all targets of a test, in [`PASSES`] passes, whatever the survey asked for.
fn test_goal(survey: &Goal) -> Goal {
    Goal {
        passes_min: PASSES,
        passes_max: PASSES,
        read_slice_seconds: READ_SECONDS,
        write_slice_seconds: WRITE_SECONDS,
        seconds_max: f64::INFINITY,
        fixed: true,
        in_order: false,
        short: None,
        run_seconds: None,
        ..survey.clone()
    }
}
