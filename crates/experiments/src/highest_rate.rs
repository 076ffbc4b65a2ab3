//! The highest rate that keeps a bound on response times: a closed loop says how much there is to search through, short
//! probes halve it, passes confirm what is left (docs/method.md, "The highest rate under a bound").

use crate::passes::Passes;
use crate::scheduler::{Scheduler, Task};
use model::{Goal, Limit, Plan, PlannedExperiment, Rate, Record, ResponseBound, Search, Step, StepId};

/// How long the closed loop runs that says how much the target can do.
const CAPACITY_SECONDS: f64 = 4.0;
/// Where the search begins, and how far it goes, as shares of that.
const LOWEST: f64 = 0.3;
const HIGHEST: f64 = 1.1;
/// A closed loop can say too little (cold caches, others at work): where that rate is kept, twice as much is tried, up to this share of it.
const BEYOND: f64 = 20.0;
/// The search gives up below this share of it.
const HARDLY: f64 = 0.002;
/// The search ends when the lowest rate that breaks the bound is at most this many times the highest one that keeps it.
const CLOSE: f64 = 1.05;
/// A probe that has decided nothing after this time is judged by its value.
const PROBE_SECONDS: f64 = 20.0;
/// A rate that is not confirmed is multiplied by this and tried again; at most this many rates are tried.
const LESS: f64 = 0.93;
const CONFIRMATIONS: usize = 6;

pub struct HighestRate {
    /// Its steps are the closed loops, each of which is searched, and then what was tried.
    plan: Plan,
    bound: ResponseBound,
    searches: Vec<Search>,
    /// Closed loops that were not begun yet, the next one last.
    bases: Vec<Step>,
    base: Option<Step>,
    under_way: Option<Passes>,
}

/// This rate has to be tried before more is known.
struct Untried(f64);

impl HighestRate {
    pub fn new(plan: Plan, bound: ResponseBound) -> HighestRate {
        let bases = plan.steps.iter().rev().cloned().collect();
        HighestRate { plan, bound, searches: Vec::new(), bases, base: None, under_way: None }
    }

    /// The next closed loop, of which all is to be found out.
    fn begin(&mut self) -> Option<Task> {
        let base = self.bases.pop()?;
        self.searches.push(Search { capacity: base.id, probes: Vec::new(), confirmations: Vec::new() });
        self.under_way = Some(Passes::of_one(base.clone(), self.short_goal(CAPACITY_SECONDS)));
        self.base = Some(base);
        Some(self.told())
    }

    /// What is to be tried next of the closed loop that is searched; `None`: all is known of it.
    fn further(&mut self, base: &Step, record: &Record) -> Option<Task> {
        let report = judge::without_findings(record);
        let limit = report.answer.limits().last()?;
        self.under_way = Some(match self.narrow(base, limit) {
            Err(Untried(rate)) => {
                Passes::probing(self.add(base, rate, false), self.short_goal(PROBE_SECONDS), self.bound)
            }
            Ok(found) => {
                let rate = self.to_confirm(found?, limit, record)?;
                Passes::of_one(self.add(base, rate, true), self.plan.goal.clone())
            }
        });
        Some(self.told())
    }

    /// The highest rate that kept the bound in a probe.
    fn narrow(&self, base: &Step, limit: &Limit) -> Result<Option<f64>, Untried> {
        let Some(capacity) = limit.capacity.filter(|rate| *rate > 0.0) else { return Ok(None) };
        let targets = base.targets.len().max(1) as f64;
        let kept = |rate: f64| self.kept(rounded(rate), targets, limit);
        // A figure of several targets has the rates of all.
        let capacity = capacity / targets;
        let (mut low, mut high, mut broken) = (LOWEST * capacity, HIGHEST * capacity, false);
        // What could not be measured says nothing: the search is over.
        loop {
            match kept(low)? {
                Some(true) => break,
                Some(false) if low / 4.0 >= HARDLY * capacity => (low, high, broken) = (low / 4.0, low, true),
                Some(false) | None => return Ok(None),
            }
        }
        while !broken {
            match kept(high)? {
                Some(false) => broken = true,
                Some(true) if high * 2.0 <= BEYOND * capacity => (low, high) = (high, high * 2.0),
                Some(true) => return Ok(Some(high)),
                None => return Ok(None),
            }
        }
        while high / low > CLOSE {
            let middle = (low * high).sqrt();
            match kept(middle)? {
                Some(true) => low = middle,
                Some(false) => high = middle,
                None => return Ok(None),
            }
        }
        Ok(Some(low))
    }

    /// Was the bound kept at this rate of each target? `None`: nothing was measured.
    fn kept(&self, rate: f64, targets: f64, limit: &Limit) -> Result<Option<bool>, Untried> {
        let probes = self.searches.last().map_or(&[][..], |search| &search.probes);
        let at = |id: &StepId| self.plan.steps.iter().find(|step| step.id == *id).and_then(|step| step.workload.rate);
        if !probes.iter().filter_map(at).any(|tried| tried.per_second == rate) {
            return Err(Untried(rate));
        }
        let found = limit.probes.iter().rev().find(|probe| !probe.confirms && probe.rate == rate * targets);
        Ok(found.map(|probe| probe.kept))
    }

    /// `None`: one is confirmed, or none can be: too many were not, or the last one was not measured.
    fn to_confirm(&self, rate: f64, limit: &Limit, record: &Record) -> Option<f64> {
        let confirmations = self.searches.last().map_or(&[][..], |search| &search.confirmations);
        let measured = |id: &StepId| record.slices.iter().any(|slice| slice.step == *id && slice.void.is_none());
        if !confirmations.last().is_none_or(measured) {
            return None;
        }
        let tried = confirmations.len();
        (limit.rate.is_none() && tried < CONFIRMATIONS).then(|| rounded(rate * LESS.powi(tried as i32)))
    }

    /// A step at this rate, added to the plan and to the search.
    fn add(&mut self, base: &Step, per_second: f64, confirms: bool) -> Step {
        let id = StepId(self.plan.steps.iter().map(|step| step.id.0 + 1).max().unwrap_or(0));
        let mut step = Step { id, metric: model::Metric::LatencyMean, ..base.clone() };
        step.workload.rate = Some(Rate { per_second, arrivals: self.bound.arrivals, by_job: false });
        self.plan.steps.push(step.clone());
        if let Some(search) = self.searches.last_mut() {
            if confirms { &mut search.confirmations } else { &mut search.probes }.push(id);
        }
        step
    }

    fn short_goal(&self, seconds: f64) -> Goal {
        Goal {
            passes_min: 1,
            passes_max: 1,
            read_slice_seconds: seconds,
            write_slice_seconds: seconds,
            seconds_max: f64::INFINITY,
            ..self.plan.goal.clone()
        }
    }

    fn told(&self) -> Task {
        let experiment = PlannedExperiment::HighestRate { bound: self.bound, searches: self.searches.clone() };
        Task::Plan(Box::new(Plan { experiment, ..self.plan.clone() }))
    }
}

impl Scheduler for HighestRate {
    fn next(&mut self, record: &Record, now: f64) -> Option<Task> {
        if let Some(task) = self.under_way.as_mut().and_then(|passes| passes.next(record, now)) {
            return Some(task);
        }
        let base = self.base.take();
        let further = base.as_ref().and_then(|base| self.further(base, record));
        match further {
            Some(task) => {
                self.base = base;
                Some(task)
            }
            None => self.begin(),
        }
    }
}

/// Three digits: a rate that one can say.
fn rounded(rate: f64) -> f64 {
    let unit = 10f64.powf(rate.log10().floor() - 2.0);
    (rate / unit).floor() * unit
}
