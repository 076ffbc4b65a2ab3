//! Before anything is changed: can the engines do what is planned, and can it be undone?

use super::prepare::for_pools;
use super::resolved::Resolved;
use cluster::{buckets, deletable};
use engines::verify::refusal;
use model::units::bytes;
use model::{Failure, Place, Plan, Step, Target};

/// Can what is made be undone?
pub fn undoable(resolved: &Resolved, plan: &Plan) -> Result<(), Failure> {
    for_pools(resolved, plan).map_or(Ok(true), deletable::allowed)?;
    plan.changes.iter().try_for_each(buckets::prove).map_err(Failure::from)
}

/// Everything that an engine can't do.
pub fn engines(plan: &Plan) -> Result<(), Failure> {
    for step in plan.steps.iter().chain(plan.experiment.sustained().iter().map(|test| &test.step)) {
        let engine = engines::engine_for(step)?;
        for target in &step.targets {
            // A file that the run makes itself is not there yet; another host's is looked at by its agent.
            let ours = made(plan, target) || target.client.is_some();
            let path = matches!(target.place, Place::Path { .. });
            let why = match path && ours {
                true => refusal(engine, &step.workload, true),
                false => engine.refuse(target, &step.workload),
            };
            if let Some(why) = why {
                return Err(Failure::Usage(format!("{}: {why}", what(step, target))));
            }
        }
    }
    Ok(())
}

fn made(plan: &Plan, target: &Target) -> bool {
    let Place::Path { path, .. } = &target.place else { return false };
    plan.changes.iter().any(|change| change.is_file(None, path))
}

/// A step in words; in a sweep, also which point it is.
fn what(step: &Step, target: &Target) -> String {
    let (layer, pattern, load) = (step.layer.name(), step.pattern.name(), &step.workload);
    format!(
        "{layer} {} {pattern}, blocks of {}, {} in flight by {} over {}",
        target.name,
        bytes(load.block),
        load.depth,
        model::units::counted(u64::from(load.jobs), "job", "jobs"),
        bytes(load.span)
    )
}
