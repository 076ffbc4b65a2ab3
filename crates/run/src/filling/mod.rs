//! Before the first slice: data to be read. What hosts load they fill themselves, side by side.

mod care;
mod sets;

use super::event_sink::EventSink;
use super::health::HealthMonitor;
use super::unfilled::{Unfilled, client_of};
use agents::Preparation;
use agents::fleet::{Filled, Fleet};
use agents::host::LocalHost;
use care::Care;
use experiments::planner;
use model::{Bytes, Event, Failure, Plan, Step, Target};
use sets::{FilledSets, Set};
use std::cell::RefCell;

/// What fills, and what watches the cluster meanwhile.
pub struct Filler<'a> {
    pub host: &'a LocalHost<'static>,
    pub fleet: Option<&'a RefCell<Fleet>>,
    pub health: &'a dyn HealthMonitor,
}

/// What came of filling one target.
enum End {
    Well,
    /// It took too long: the share of it that would have been filled in its time.
    Slow(f64),
    Wrong(String),
}

type Job<'a> = (&'a Step, &'a Target);

/// What one target may take.
#[derive(Clone, Copy)]
struct Time {
    seconds: f64,
    /// A drive is judged by it.
    judged: bool,
}

/// Filling before a run is to take no longer than the first in all; each target gets its share of that, or the second, whichever is
/// longer. A slow disk under a pool would else take longer to be written full than all that is measured afterwards.
const ALL_SECONDS: f64 = 120.0;
const EACH_SECONDS: f64 = 10.0;

impl Filler<'_> {
    /// Writes what will be read: reading holes is not reading. Also before writes, so that they overwrite. What would take too
    /// long is made smaller in the plan, if the plan allows that. A target that can't be filled makes its own steps void; only if
    /// none can, the run has failed. Of a host that is gone the steps themselves tell.
    pub fn fill(&self, plan: &mut Plan, sink: &mut EventSink) -> Result<Unfilled, Failure> {
        let own = plan.steps.len();
        plan.steps.extend(planner::floor_files(plan));
        let unfilled = self.fill_all(plan, sink);
        let files = plan.steps.split_off(own);
        let floors = plan.steps.iter_mut().filter(|step| step.layer.of_replicas());
        floors.zip(files).for_each(|(floor, files)| floor.workload.span = files.workload.span);
        unfilled
    }

    fn fill_all(&self, plan: &mut Plan, sink: &mut EventSink) -> Result<Unfilled, Failure> {
        let (mut unfilled, mut done) = (Unfilled::default(), FilledSets::default());
        loop {
            let jobs = sets::jobs(plan);
            let all = jobs.len();
            let jobs = done.lacking(jobs);
            let judged = !plan.experiment.judged_drives().is_empty();
            let seconds = EACH_SECONDS.max(ALL_SECONDS / all.max(1) as f64);
            let ends = self.ends(&jobs, plan.may_shrink.then_some(Time { seconds, judged }), sink)?;
            let mut slow: Vec<(Set, f64)> = Vec::new();
            for ((step, target), end) in jobs.iter().zip(ends) {
                match end {
                    End::Slow(share) => slow.push((Set::of(step), share)),
                    End::Well => done.add(step, target),
                    End::Wrong(why) => {
                        done.add(step, target);
                        sink.tell(Event::Failed { text: format!("{}: {why}", what(step, target)) })?;
                        unfilled.0.push((target.place.clone(), client_of(target), why));
                    }
                }
            }
            if slow.is_empty() || self.health.asked_to_end() {
                // Of a drive that is judged it is the answer.
                let tells = |why: &str| {
                    !plan.experiment.judged_drives().is_empty() && why.contains(model::fitness::FAILED_WHILE_FILLED)
                };
                return match unfilled.0.first() {
                    Some((.., why)) if unfilled.0.len() == all && !tells(why) => Err(Failure::Failed(why.clone())),
                    _ => Ok(unfilled),
                };
            }
            sets::shrink(plan, &slow).into_iter().try_for_each(|text| sink.tell(Event::Warned { text }))?;
        }
    }

    /// In the order of the jobs, as far as the user did not want the end.
    fn ends(&self, jobs: &[Job], time: Option<Time>, sink: &mut EventSink) -> Result<Vec<End>, Failure> {
        let mut ends: Vec<End> = Vec::with_capacity(jobs.len());
        let there: Vec<Job> = jobs.iter().copied().filter(|(_, target)| target.client.is_some()).collect();
        let there_ends = match self.fleet.filter(|_| !there.is_empty()) {
            Some(fleet) => self.there(&there, &mut fleet.borrow_mut(), time, sink)?,
            None => Vec::new(),
        };
        let mut there_ends = there_ends.into_iter();
        for (step, target) in jobs {
            ends.push(match target.client.is_some() {
                true => there_ends.next().unwrap_or(End::Well),
                false if self.health.asked_to_end() => End::Well,
                false => self.here(step, target, time, sink),
            });
        }
        Ok(ends)
    }

    fn here(&self, step: &Step, target: &Target, time: Option<Time>, sink: &mut EventSink) -> End {
        let mut care = Care::of(step, target, time, self.health);
        let filled = self.host.fill(step, target, &mut |done| care.look(done, self.health, sink));
        care.end(filled.map_err(|error| error.to_string()))
    }

    fn there(
        &self,
        jobs: &[Job],
        fleet: &mut Fleet,
        time: Option<Time>,
        sink: &mut EventSink,
    ) -> Result<Vec<End>, Failure> {
        let mut cares: Vec<Option<Care>> = jobs.iter().map(|_| None).collect();
        let mut go_on = |job: usize, done: Bytes| {
            let (step, target) = jobs[job];
            // Its time runs from its own beginning.
            cares[job].get_or_insert_with(|| Care::of(step, target, time, self.health)).look(done, self.health, sink)
        };
        let filled = fleet.prepare(jobs, Preparation::Fill, &mut go_on);
        let mut ends = Vec::new();
        for (((step, target), filled), care) in jobs.iter().zip(filled).zip(cares) {
            let filled = match filled {
                Filled::Well => Ok(()),
                Filled::Wrong(why) => Err(why),
                Filled::Gone(why) => {
                    sink.tell(Event::Warned { text: format!("{}: {why}", what(step, target)) })?;
                    Ok(())
                }
            };
            ends.push(match care {
                Some(care) => care.end(filled),
                None => filled.map_or_else(End::Wrong, |()| End::Well),
            });
        }
        Ok(ends)
    }
}

fn what(step: &Step, target: &Target) -> String {
    format!("filling {} {}", step.layer.name(), target.name)
}
