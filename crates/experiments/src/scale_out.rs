//! Clients are doubled until that brings nothing more: first over the hosts, then on each of them (docs/method.md, "Enough clients").

use crate::passes::Passes;
use crate::scheduler::{Scheduler, Task};
use model::{Doubling, Goal, Plan, PlannedExperiment, Record, ScalingStep, Step, StepId, Workload};
use std::collections::VecDeque;

pub struct ScaleOut {
    /// Its steps are those that were tried.
    plan: Plan,
    clients_most: u32,
    doublings: Vec<Doubling>,
    /// The largest that there may be, of those that were not begun yet: all hosts, with `clients_most` on each.
    bases: VecDeque<Step>,
    bases_all: usize,
    next_id: u32,
    base: Option<Step>,
    /// The loads of the base that were not tried yet.
    loads: VecDeque<(u32, u32)>,
    under_way: Option<Passes>,
}

impl ScaleOut {
    pub fn new(plan: Plan, clients_most: u32) -> ScaleOut {
        let next_id = plan.steps.iter().map(|step| step.id.0 + 1).max().unwrap_or(0);
        let (bases, bases_all) = (plan.steps.iter().cloned().collect(), plan.steps.len());
        let plan = Plan { steps: Vec::new(), ..plan };
        ScaleOut {
            plan,
            clients_most,
            doublings: Vec::new(),
            bases,
            bases_all,
            next_id,
            base: None,
            loads: VecDeque::new(),
            under_way: None,
        }
    }

    /// Twice as many clients; `None`: that is not worth it, or there may be no more.
    fn further(&mut self, record: &Record, now: f64) -> Option<Task> {
        let tried = self.doublings.last().is_some_and(|doubling| !doubling.loads.is_empty());
        if tried && judge::without_findings(record).answer.doubled().last().is_none_or(|found| found.ended) {
            return None;
        }
        let (hosts, each) = self.loads.pop_front()?;
        let id = StepId(self.next_id);
        let step = Step { id, chart: false, ..load(self.base.as_ref()?, hosts, each, self.clients_most) };
        self.next_id += 1;
        self.plan.steps.push(step.clone());
        self.doublings.last_mut()?.loads.push(ScalingStep { step: id, hosts, each });
        let doublings = self.doublings.clone();
        self.plan.experiment = PlannedExperiment::ScaleOut { clients_most: self.clients_most, doublings };
        // Each load has the time of one, from when it begins.
        let run_seconds = self.plan.goal.run_seconds.map(|seconds| now + seconds / self.bases_all.max(1) as f64);
        self.under_way = Some(Passes::of_one(step, Goal { run_seconds, ..self.plan.goal.clone() }));
        Some(Task::Plan(Box::new(self.plan.clone())))
    }
}

impl Scheduler for ScaleOut {
    fn next(&mut self, record: &Record, now: f64) -> Option<Task> {
        if let Some(task) = self.under_way.as_mut().and_then(|passes| passes.next(record, now)) {
            return Some(task);
        }
        loop {
            if let Some(task) = self.further(record, now) {
                return Some(task);
            }
            let base = self.bases.pop_front()?;
            self.loads = loads(base.targets.len() as u32, self.clients_most).into();
            self.doublings.push(Doubling::default());
            self.base = Some(base);
        }
    }
}

/// How many hosts, and how many clients on each: 1, 2, 4, … all hosts with one client, then twice as many clients on each, and so on.
fn loads(hosts: u32, most: u32) -> Vec<(u32, u32)> {
    let hosts = hosts.max(1);
    let doubled = |from: u32, to: u32| std::iter::successors(Some(from), move |n| (n * 2 <= to).then_some(n * 2));
    let mut all: Vec<(u32, u32)> = doubled(1, hosts).map(|hosts| (hosts, 1)).collect();
    if !hosts.is_power_of_two() {
        all.push((hosts, 1));
    }
    all.extend(doubled(1, most).skip(1).map(|each| (hosts, each)));
    all
}

/// A part of the largest step: each client has its own share of jobs, depth and data.
fn load(base: &Step, hosts: u32, each: u32, most: u32) -> Step {
    let share = |number: u32| (number / most.max(1)).max(1) * each;
    let load = &base.workload;
    let jobs = share(load.jobs);
    let span = load.lane_span() * u64::from(jobs);
    let workload = Workload { jobs, depth: share(load.depth).max(jobs), clients: each, span, ..load.clone() };
    Step { targets: base.targets.iter().take(hosts as usize).cloned().collect(), workload, ..base.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;

    #[test]
    fn first_the_hosts_are_doubled_then_what_each_has() {
        assert_eq!(loads(1, 8), [(1, 1), (1, 2), (1, 4), (1, 8)]);
        assert_eq!(loads(3, 4), [(1, 1), (2, 1), (3, 1), (3, 2), (3, 4)]);
        assert_eq!(loads(4, 1), [(1, 1), (2, 1), (4, 1)]);
        assert_eq!(loads(0, 2), [(1, 1), (1, 2)]);
    }

    #[test]
    fn every_client_has_the_same_of_the_load() {
        let target = model::Target::new(testing::pools(), "pool", model::Place::Null);
        let pattern = model::Pattern::ReadParallel;
        let base = Step::new(
            0,
            testing::pools(),
            pattern,
            vec![target; 3],
            Workload { jobs: 32, depth: 1024, clients: 8, ..Workload::canonical(pattern, 1 << 30, 1) },
        );
        let one = load(&base, 1, 1, 8);
        assert_eq!((one.targets.len(), one.workload.jobs, one.workload.depth, one.workload.clients), (1, 4, 128, 1));
        let all = load(&base, 3, 8, 8);
        assert_eq!((all.targets.len(), &all.workload), (3, &base.workload));
        assert_eq!(one.workload.lane_span(), all.workload.lane_span());
    }
}
