//! Before the first slice: the changes that the steps need, and data to be read.

use super::conductor::Eyes;
use super::ground::Grounded;
use super::guard::{self, Rollback};
use super::interrupt::Interrupt;
use super::telling::Telling;
use crate::failure::Failure;
use cluster::pools;
use engines::Context;
use model::{Change, Event, Place, Plan, Step, Target};
use std::time::{Duration, Instant};

pub fn make_changes(
    plan: &Plan,
    grounded: &Grounded,
    journal: &mut Rollback,
    telling: &mut Telling,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    // All pools first: their placement groups peer while the rest is made.
    let (first, second): (Vec<&Change>, Vec<&Change>) =
        plan.changes.iter().partition(|change| matches!(change, Change::Pool { .. } | Change::Flag { .. }));
    for change in &first {
        if !interrupt.asked() {
            journal.make((*change).clone(), telling)?;
        }
    }
    if let Some(cluster) = &grounded.cluster {
        for change in &first {
            let Change::Pool { name, on, .. } = change else { continue };
            let what = format!("waiting for the placement groups of pool {name}");
            let mut tell =
                |share| telling.tell(Event::Progress { what: what.clone(), share }).is_ok() && !interrupt.asked();
            pools::wait_clean(cluster, name, on, &mut tell)?;
        }
    }
    for change in second {
        if !interrupt.asked() {
            journal.make(change.clone(), telling)?;
        }
    }
    Ok(())
}

/// The plan with the replicas that the cluster gave to the pools of our making: ceilings depend on them.
pub fn with_pool_sizes(plan: &Plan, grounded: &Grounded) -> Result<Plan, Failure> {
    let mut plan = plan.clone();
    let Some(cluster) = &grounded.cluster else { return Ok(plan) };
    for change in &mut plan.changes {
        if let Change::Pool { name, size: size @ None, .. } = change {
            *size = pools::size(cluster, name)?;
        }
    }
    Ok(plan)
}

/// Targets that could not be filled.
#[derive(Default)]
pub struct Unfilled(Vec<(Place, String)>);

impl Unfilled {
    pub fn of(&self, step: &Step) -> Option<String> {
        let here = |place: &Place| step.targets.iter().any(|target| target.place == *place);
        self.0.iter().find(|(place, _)| here(place)).map(|(_, why)| why.clone())
    }
}

/// So long without a byte more, and a fill is given up.
const STALL: Duration = Duration::from_secs(20);

/// Writes what will be read: reading holes is not reading. Also before writes, so that they overwrite. A target that
/// can't be filled makes its own steps void; only if none can, the run has failed.
pub fn fill(plan: &Plan, context: &Context, eyes: &dyn Eyes, telling: &mut Telling) -> Result<Unfilled, Failure> {
    let jobs = distinct(plan);
    let mut unfilled = Unfilled::default();
    for (step, target) in &jobs {
        if eyes.asked_to_end() {
            break;
        }
        if let Err(why) = fill_one(step, target, context, eyes, telling) {
            telling.tell(Event::Failed { text: format!("filling {} {}: {why}", step.layer.name(), target.name) })?;
            unfilled.0.push((target.place.clone(), why));
        }
    }
    match unfilled.0.first() {
        Some((_, why)) if unfilled.0.len() == jobs.len() => Err(Failure::Failed(why.clone())),
        _ => Ok(unfilled),
    }
}

fn fill_one(
    step: &Step,
    target: &Target,
    context: &Context,
    eyes: &dyn Eyes,
    telling: &mut Telling,
) -> Result<(), String> {
    let span = step.workload.span.max(1);
    let what = format!("filling {} {}", step.layer.name(), target.name);
    let alone = Step { targets: vec![target.clone()], ..(*step).clone() };
    let before = eyes.seen();
    let (mut last, mut moved) = (0, Instant::now());
    let mut trouble = guard::trouble(&alone, &before, &before);
    let mut tell = |done: u64| {
        if done != last {
            (last, moved) = (done, Instant::now());
        }
        if trouble.is_none() {
            let stalled =
                (moved.elapsed() > STALL).then(|| format!("no byte more was written for {} s", STALL.as_secs()));
            trouble = guard::trouble(&alone, &before, &eyes.seen()).or(stalled);
        }
        let share = (done as f64 / span as f64).min(1.0);
        telling.tell(Event::Progress { what: what.clone(), share }).is_ok() && trouble.is_none() && !eyes.asked_to_end()
    };
    let engine = engines::engine_for(step).map_err(|error| error.to_string())?;
    let filled = engine.prepare(context, target, &step.workload, &mut tell);
    match trouble {
        Some(why) => Err(why),
        None => filled.map_err(|error| error.to_string()),
    }
}

/// The same data serve several patterns: fill each (place, object size) once, with the largest span.
fn distinct(plan: &Plan) -> Vec<(&Step, &Target)> {
    let mut jobs: Vec<(&Step, &Target)> = Vec::new();
    for step in &plan.steps {
        for target in step.targets.iter().filter(|target| ours(target)) {
            let same = |(other, known): &&mut (&Step, &Target)| {
                known.place == target.place
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
