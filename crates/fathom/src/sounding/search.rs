//! The highest rate that keeps a bound on response times: a closed loop says how much there is to search through, short
//! probes halve it, passes confirm what is left (docs/method.md, "The highest rate under a bound").

use super::Telling;
use super::conductor::Conductor;
use crate::failure::Failure;
use model::{Arrivals, Event, Goal, Limit, Plan, Rate, Search, Step, StepId};

/// A closed loop so long says how much the target can do.
const CAPACITY_SECONDS: f64 = 4.0;
/// Where the search begins, and how far it goes, as shares of that.
const LOWEST: f64 = 0.3;
const HIGHEST: f64 = 1.1;
/// Below this share of it there is nothing to find.
const HARDLY: f64 = 0.002;
/// The search ends when the rates that keep the bound and that break it are so close.
const CLOSE: f64 = 1.05;
/// A probe that decides nothing in this time is taken by its value.
const PROBE_SECONDS: f64 = 20.0;
/// A rate that is not confirmed is followed by one so much lower, so many times.
const LESS: f64 = 0.93;
const CONFIRMATIONS: u32 = 6;

pub struct Searcher<'a> {
    /// The steps of its plan are the closed loops, each of which is searched.
    pub conductor: Conductor<'a>,
}

/// The plan as it grows, and the search that is under way.
struct Course {
    plan: Plan,
    base: Step,
}

impl Searcher<'_> {
    pub fn search(&self, telling: &mut Telling) -> Result<(), Failure> {
        let mut plan = self.conductor.plan.clone();
        for base in &self.conductor.plan.steps {
            if self.conductor.eyes.asked_to_end() {
                break;
            }
            plan.searches.push(Search { capacity: base.id, probes: Vec::new(), confirmations: Vec::new() });
            let mut course = Course { plan, base: base.clone() };
            self.one(&mut course, telling)?;
            plan = course.plan;
        }
        Ok(())
    }

    fn one(&self, course: &mut Course, telling: &mut Telling) -> Result<(), Failure> {
        telling.tell(Event::Planned { plan: course.plan.clone() })?;
        self.conductor.conduct_one(course.base.clone(), self.goal(1, CAPACITY_SECONDS), telling)?;
        let Some(capacity) = found(telling).and_then(|limit| limit.capacity).filter(|rate| *rate > 0.0) else {
            return Ok(());
        };
        // A figure of several targets has the rates of all.
        let capacity = capacity / course.base.targets.len().max(1) as f64;
        if let Some(rate) = self.narrow(course, capacity, telling)? {
            self.confirm(course, rate, telling)?;
        }
        Ok(())
    }

    /// The highest rate that kept the bound in a probe.
    fn narrow(&self, course: &mut Course, capacity: f64, telling: &mut Telling) -> Result<Option<f64>, Failure> {
        let (mut low, mut high) = (LOWEST * capacity, HIGHEST * capacity);
        while self.probe(course, low, telling)? != Some(true) {
            high = low;
            low /= 4.0;
            if low < HARDLY * capacity || self.conductor.eyes.asked_to_end() {
                return Ok(None);
            }
        }
        while high / low > CLOSE && !self.conductor.eyes.asked_to_end() {
            let middle = (low * high).sqrt();
            match self.probe(course, middle, telling)? {
                Some(true) => low = middle,
                Some(false) => high = middle,
                None => return Ok(None),
            }
        }
        Ok(Some(low))
    }

    fn confirm(&self, course: &mut Course, mut rate: f64, telling: &mut Telling) -> Result<(), Failure> {
        let goal = self.conductor.plan.goal.clone();
        for _ in 0..CONFIRMATIONS {
            if self.conductor.eyes.asked_to_end() {
                break;
            }
            let step = course.add(rounded(rate), true);
            telling.tell(Event::Planned { plan: course.plan.clone() })?;
            self.conductor.conduct_one(step, Goal { bound: None, ..goal.clone() }, telling)?;
            if found(telling).is_some_and(|limit| limit.rate.is_some()) {
                break;
            }
            rate *= LESS;
        }
        Ok(())
    }

    /// Is the bound kept at this rate? `None`: nothing was measured.
    fn probe(&self, course: &mut Course, rate: f64, telling: &mut Telling) -> Result<Option<bool>, Failure> {
        let step = course.add(rounded(rate), false);
        telling.tell(Event::Planned { plan: course.plan.clone() })?;
        self.conductor.conduct_one(step, self.goal(1, PROBE_SECONDS), telling)?;
        let last = found(telling).and_then(|limit| limit.probes.last().map(|probe| (probe.rate, probe.kept)));
        let all = rounded(rate) * course.base.targets.len() as f64;
        Ok(last.filter(|(tried, _)| *tried == all).map(|(_, kept)| kept))
    }

    fn goal(&self, passes: u32, seconds: f64) -> Goal {
        Goal {
            passes_min: passes,
            passes_max: passes,
            read_slice_seconds: seconds,
            write_slice_seconds: seconds,
            seconds_max: f64::INFINITY,
            ..self.conductor.plan.goal.clone()
        }
    }
}

impl Course {
    /// A step at this rate, added to the plan and to the search.
    fn add(&mut self, per_second: f64, confirms: bool) -> Step {
        let arrivals = self.plan.goal.bound.map_or(Arrivals::Poisson, |bound| bound.arrivals);
        let id = StepId(self.plan.steps.iter().map(|step| step.id.0 + 1).max().unwrap_or(0));
        let mut step = Step { id, metric: model::Metric::LatencyMean, ..self.base.clone() };
        step.workload.rate = Some(Rate { per_second, arrivals });
        self.plan.steps.push(step.clone());
        if let Some(search) = self.plan.searches.last_mut() {
            if confirms { &mut search.confirmations } else { &mut search.probes }.push(id);
        }
        step
    }
}

/// What the search that is under way has found so far: what the report will say, by the same lines.
fn found(telling: &Telling) -> Option<Limit> {
    judge::explain(telling.record()).limits.pop()
}

/// Three digits: a rate that one can say.
fn rounded(rate: f64) -> f64 {
    let unit = 10f64.powf(rate.log10().floor() - 2.0);
    (rate / unit).floor() * unit
}
