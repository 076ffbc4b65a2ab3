//! Clients are doubled until that brings nothing more: first over the hosts, then on each of them (docs/method.md, "Enough clients").

use super::Telling;
use super::conductor::Conductor;
use crate::failure::Failure;
use model::{Doubling, Event, Plan, Rung, Step, StepId, Workload};

pub struct Doubler<'a> {
    /// The steps of its plan are the largest that there may be: all hosts, with `clients_most` on each.
    pub conductor: Conductor<'a>,
}

impl Doubler<'_> {
    pub fn double(&self, telling: &mut Telling) -> Result<(), Failure> {
        let base_plan = self.conductor.plan;
        let most = base_plan.clients_most.unwrap_or(1);
        let mut next = base_plan.steps.iter().map(|step| step.id.0 + 1).max().unwrap_or(0);
        let mut plan = Plan { steps: Vec::new(), ..base_plan.clone() };
        for base in &base_plan.steps {
            plan.doublings.push(Doubling::default());
            for (hosts, each) in rungs(base.targets.len() as u32, most) {
                if self.conductor.eyes.asked_to_end() {
                    return Ok(());
                }
                let step = Step { id: StepId(next), chart: false, ..rung(base, hosts, each, most) };
                next += 1;
                plan.steps.push(step.clone());
                if let Some(doubling) = plan.doublings.last_mut() {
                    doubling.rungs.push(Rung { step: step.id, hosts, each });
                }
                telling.tell(Event::Planned { plan: plan.clone() })?;
                self.conductor.conduct_one(step, base_plan.goal.clone(), telling)?;
                let found = judge::explain(telling.record()).doubled.pop();
                if found.is_none_or(|found| found.ended) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// So many hosts, with so many clients on each: 1, 2, 4, … all of them, then twice as many on each, and so on.
fn rungs(hosts: u32, most: u32) -> Vec<(u32, u32)> {
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
fn rung(base: &Step, hosts: u32, each: u32, most: u32) -> Step {
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

    #[test]
    fn first_the_hosts_are_doubled_then_what_each_has() {
        assert_eq!(rungs(1, 8), [(1, 1), (1, 2), (1, 4), (1, 8)]);
        assert_eq!(rungs(3, 4), [(1, 1), (2, 1), (3, 1), (3, 2), (3, 4)]);
        assert_eq!(rungs(4, 1), [(1, 1), (2, 1), (4, 1)]);
        assert_eq!(rungs(0, 2), [(1, 1), (1, 2)]);
    }

    #[test]
    fn every_client_has_the_same_of_the_load() {
        let target = model::Target::new(model::Layer::Rados, "pool", model::Place::Null);
        let pattern = model::Pattern::ReadParallel;
        let base = Step {
            id: StepId(0),
            layer: model::Layer::Rados,
            pattern,
            targets: vec![target; 3],
            workload: Workload { jobs: 32, depth: 1024, clients: 8, ..Workload::canonical(pattern, 1 << 30, 1) },
            metric: model::Metric::Iops,
            chart: true,
            apart: false,
        };
        let one = rung(&base, 1, 1, 8);
        assert_eq!((one.targets.len(), one.workload.jobs, one.workload.depth, one.workload.clients), (1, 4, 128, 1));
        let all = rung(&base, 3, 8, 8);
        assert_eq!((all.targets.len(), &all.workload), (3, &base.workload));
        assert_eq!(one.workload.lane_span(), all.workload.lane_span());
    }
}
