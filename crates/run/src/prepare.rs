//! Before the first slice: the changes that the steps need.

use super::event_sink::EventSink;
use super::guard::Rollback;
use super::interrupt::Interrupt;
use super::resolved::Resolved;
use cluster::{Cluster, ClusterError, deletable, pg_states, pools};
use model::{Change, Event, Failure, Plan};
use std::time::Duration;

/// The cluster, if pools are made in it.
pub(super) fn for_pools<'a>(resolved: &'a Resolved, plan: &Plan) -> Option<&'a Cluster> {
    let pools = plan.changes.iter().any(|change| matches!(change, Change::Pool { .. }));
    resolved.cluster.as_ref().filter(|_| pools)
}

/// Where the deletion of pools has to be allowed first: may this user do that?
fn try_permission(resolved: &Resolved, plan: &Plan, journal: &mut Rollback) -> Result<(), Failure> {
    if for_pools(resolved, plan).map_or(Ok(true), deletable::allowed)? {
        return Ok(());
    }
    match journal.attempt(&Change::option(&format!("mon/{}", deletable::OPTION), "true"), || ()) {
        // Another run has it set just now.
        Ok(()) | Err(ClusterError::Held { .. }) => Ok(()),
        Err(error) => Err(ClusterError::Undeletable(error.to_string()).into()),
    }
}

pub fn make_changes(
    plan: &Plan,
    resolved: &Resolved,
    journal: &mut Rollback,
    sink: &mut EventSink,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    try_permission(resolved, plan, journal)?;
    // All pools first: their placement groups peer while the rest is made.
    let early = |change: &&Change| {
        matches!(change, Change::Pool { .. } | Change::Flag { .. } | Change::PoolSetting { .. } | Change::BalancerOff)
    };
    let (first, second): (Vec<&Change>, Vec<&Change>) = plan.changes.iter().partition(early);
    for change in &first {
        if !interrupt.asked() {
            journal.make((*change).clone(), sink)?;
        }
    }
    if let Some(cluster) = &resolved.cluster {
        for change in &first {
            let Change::Pool { name, on, .. } = change else { continue };
            let what = format!("waiting for the placement groups of pool {name}");
            let mut tell =
                |share| sink.tell(Event::Progress { what: what.clone(), share }).is_ok() && !interrupt.asked();
            pools::wait_clean(cluster, name, on, &mut tell)?;
        }
    }
    if plan.changes.contains(&Change::BalancerOff) {
        wait_calm(resolved, sink, interrupt)?;
    }
    for change in second {
        if !interrupt.asked() {
            journal.make(change.clone(), sink)?;
        }
    }
    if let Some(cluster) = &resolved.cluster
        && let Some(pool) = first.iter().find_map(|change| own_pool(change)).filter(|_| !interrupt.asked())
    {
        pools::publish_map(cluster, pool)?;
    }
    Ok(())
}

fn own_pool(change: &Change) -> Option<&str> {
    match change {
        Change::Pool { name, .. } => Some(name),
        _ => None,
    }
}

/// How long `--quiesce` waits for background work that has already begun. Recovery of a disk takes hours, which nobody expects a run to
/// wait for.
const CALM_WITHIN: Duration = Duration::from_secs(5 * 60);

/// Background work that goes on after that is noted in the figures that are measured meanwhile.
fn wait_calm(resolved: &Resolved, sink: &mut EventSink, interrupt: &Interrupt) -> Result<(), Failure> {
    let Some(cluster) = &resolved.cluster else { return Ok(()) };
    let minutes = CALM_WITHIN.as_secs() / 60;
    let what = format!(
        "waiting, at most {minutes} min, until no placement group recovers, backfills, trims snapshots, scrubs or peers"
    );
    let mut tell = |share| sink.tell(Event::Progress { what: what.clone(), share }).is_ok() && !interrupt.asked();
    let left = pg_states::wait_calm(cluster, CALM_WITHIN, &mut tell)?;
    if left.is_empty() || interrupt.asked() {
        return Ok(());
    }
    let left: Vec<String> = left.iter().map(|(state, number)| format!("{number} {state}")).collect();
    let text = format!(
        "--quiesce: after {minutes} min placement groups were still busy ({}); the run goes on, and what is measured meanwhile is marked",
        left.join(", ")
    );
    sink.tell(Event::Warned { text })
}

/// The plan with the replicas that the cluster gave to the pools of our making: ceilings depend on them.
pub fn with_pool_sizes(plan: &Plan, resolved: &Resolved) -> Result<Plan, Failure> {
    let mut plan = plan.clone();
    let Some(cluster) = &resolved.cluster else { return Ok(plan) };
    for change in &mut plan.changes {
        if let Change::Pool { name, size: size @ None, .. } = change {
            *size = pools::size(cluster, name)?;
        }
    }
    Ok(plan)
}
