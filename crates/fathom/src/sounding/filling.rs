//! Before the first slice: data to be read. What hosts load they fill themselves, side by side.

use super::conductor::Eyes;
use super::guard;
use super::telling::Telling;
use crate::failure::Failure;
use crate::fleet::{Filled, Fleet};
use cluster::watch::Seen;
use engines::Context;
use model::{Bytes, Event, Place, Plan, Step, Target};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// Targets that could not be filled.
#[derive(Default)]
pub struct Unfilled(Vec<(Place, Option<String>, String)>);

impl Unfilled {
    pub fn of(&self, step: &Step) -> Option<String> {
        let here = |place: &Place, client: &Option<String>| {
            step.targets.iter().any(|target| target.place == *place && client_of(target) == *client)
        };
        self.0.iter().find(|(place, client, _)| here(place, client)).map(|(.., why)| why.clone())
    }
}

fn client_of(target: &Target) -> Option<String> {
    target.client.as_ref().map(|client| client.host.clone())
}

/// So long without a byte more, and a fill is given up.
const STALL: Duration = Duration::from_secs(20);

/// Writes what will be read: reading holes is not reading. Also before writes, so that they overwrite. A target that
/// can't be filled makes its own steps void; only if none can, the run has failed. Of a host that is gone the steps themselves tell.
pub fn fill(
    plan: &Plan,
    context: &Context,
    fleet: Option<&RefCell<Fleet>>,
    eyes: &dyn Eyes,
    telling: &mut Telling,
) -> Result<Unfilled, Failure> {
    let jobs = distinct(plan);
    let all = jobs.len();
    let (there, here): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|(_, target)| target.client.is_some());
    let mut wrong = Vec::new();
    for (step, target) in here {
        if eyes.asked_to_end() {
            break;
        }
        wrong.extend(fill_here(step, target, context, eyes, telling).err().map(|why| (step, target, why)));
    }
    if let Some(fleet) = fleet.filter(|_| !there.is_empty()) {
        wrong.extend(fill_there(&there, &mut fleet.borrow_mut(), eyes, telling)?);
    }
    let mut unfilled = Unfilled::default();
    for (step, target, why) in wrong {
        telling.tell(Event::Failed { text: format!("{}: {why}", what(step, target)) })?;
        unfilled.0.push((target.place.clone(), client_of(target), why));
    }
    match unfilled.0.first() {
        Some((.., why)) if unfilled.0.len() == all => Err(Failure::Failed(why.clone())),
        _ => Ok(unfilled),
    }
}

fn what(step: &Step, target: &Target) -> String {
    format!("filling {} {}", step.layer.name(), target.name)
}

/// Looks after a target while it is filled.
struct Care {
    alone: Step,
    what: String,
    before: Seen,
    last: Bytes,
    moved: Instant,
    /// Why it was given up.
    trouble: Option<String>,
}

impl Care {
    fn of(step: &Step, target: &Target, eyes: &dyn Eyes) -> Care {
        let alone = Step { targets: vec![target.clone()], ..step.clone() };
        let before = eyes.seen();
        let trouble = guard::trouble(&alone, &before, &before);
        Care { alone, what: what(step, target), before, last: 0, moved: Instant::now(), trouble }
    }

    /// True: it goes on.
    fn look(&mut self, done: Bytes, eyes: &dyn Eyes, telling: &mut Telling) -> bool {
        if done != self.last {
            (self.last, self.moved) = (done, Instant::now());
        }
        if self.trouble.is_none() {
            let stalled =
                (self.moved.elapsed() > STALL).then(|| format!("no byte more was written for {} s", STALL.as_secs()));
            self.trouble = guard::trouble(&self.alone, &self.before, &eyes.seen()).or(stalled);
        }
        let share = (done as f64 / self.alone.workload.span.max(1) as f64).min(1.0);
        let told = telling.tell(Event::Progress { what: self.what.clone(), share });
        told.is_ok() && self.trouble.is_none() && !eyes.asked_to_end()
    }
}

fn fill_here(
    step: &Step,
    target: &Target,
    context: &Context,
    eyes: &dyn Eyes,
    telling: &mut Telling,
) -> Result<(), String> {
    let mut care = Care::of(step, target, eyes);
    let engine = engines::engine_for(step).map_err(|error| error.to_string())?;
    let filled = engine.prepare(context, target, &step.workload, &mut |done| care.look(done, eyes, telling));
    match care.trouble {
        Some(why) => Err(why),
        None => filled.map_err(|error| error.to_string()),
    }
}

/// Those that could not be filled, and why.
fn fill_there<'a>(
    jobs: &[(&'a Step, &'a Target)],
    fleet: &mut Fleet,
    eyes: &dyn Eyes,
    telling: &mut Telling,
) -> Result<Vec<(&'a Step, &'a Target, String)>, Failure> {
    let mut cares: Vec<Option<Care>> = jobs.iter().map(|_| None).collect();
    let mut go_on = |job: usize, done: Bytes| {
        let (step, target) = jobs[job];
        // Its time runs from its own beginning.
        cares[job].get_or_insert_with(|| Care::of(step, target, eyes)).look(done, eyes, telling)
    };
    let ends = fleet.fill(jobs, &mut go_on);
    let mut wrong = Vec::new();
    for (((step, target), end), care) in jobs.iter().zip(ends).zip(cares) {
        let trouble = care.and_then(|care| care.trouble);
        match (trouble, end) {
            (Some(why), _) | (None, Filled::Wrong(why)) => wrong.push((*step, *target, why)),
            (None, Filled::Gone(why)) => {
                telling.tell(Event::Warned { text: format!("{}: {why}", what(step, target)) })?;
            }
            (None, Filled::Well) => {}
        }
    }
    Ok(wrong)
}

/// The same data serve several patterns: fill each (place, object size) once, with the largest span.
fn distinct(plan: &Plan) -> Vec<(&Step, &Target)> {
    let mut jobs: Vec<(&Step, &Target)> = Vec::new();
    for step in &plan.steps {
        for target in step.targets.iter().filter(|target| ours(target)) {
            let same = |(other, known): &&mut (&Step, &Target)| {
                known.place == target.place
                    && known.client == target.client
                    && other.workload.object == step.workload.object
                    && other.pattern.family() == step.pattern.family()
            };
            match jobs.iter_mut().find(same) {
                Some(known) if known.0.workload.span < step.workload.span => *known = (step, target),
                Some(_) => {}
                None => jobs.push((step, target)),
            }
        }
    }
    jobs
}

/// Only what Fathom made, or what was proven empty, is ever filled.
fn ours(target: &Target) -> bool {
    match &target.place {
        Place::Path { writable, .. } => *writable,
        Place::Osd { .. } => true,
        Place::Pool { prefix, .. } => prefix.starts_with("fathom."),
        Place::Images { images, .. } => images.iter().all(|image| image.starts_with("fathom.")),
        Place::Pair { .. } | Place::Store { .. } | Place::Null => false,
    }
}
