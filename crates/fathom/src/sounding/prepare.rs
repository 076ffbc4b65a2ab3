//! Before the first slice: the changes that the steps need.

use super::ground::Grounded;
use super::guard::Rollback;
use super::interrupt::Interrupt;
use super::telling::Telling;
use crate::failure::Failure;
use cluster::pools;
use model::{Change, Event, Plan};

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
    make_host_files(plan, grounded, interrupt)
}

/// Nothing undoes them: they have no name, and are gone with their agents.
fn make_host_files(plan: &Plan, grounded: &Grounded, interrupt: &Interrupt) -> Result<(), Failure> {
    let Some(fleet) = &grounded.fleet else { return Ok(()) };
    for file in plan.host_files.iter().filter(|_| !interrupt.asked()) {
        let made = fleet.borrow_mut().make(file);
        made.map_err(|why| Failure::Failed(format!("{}: {why}", file.host)))?;
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
