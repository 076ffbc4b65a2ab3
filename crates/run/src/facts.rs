//! What the cluster and its hosts say of themselves is recorded before the first step, without what the run made itself.

use super::{EventSink, Resolved};
use cluster::{Cluster, pg_states};
use model::facts::ClusterFacts;
use model::{Change, Event, Failure, Observation, Place, Plan};
use std::collections::BTreeSet;

pub(super) fn tell(resolved: &Resolved, sink: &mut EventSink) -> Result<(), Failure> {
    let Some(cluster) = &resolved.cluster else { return Ok(()) };
    let mut fleet = resolved.fleet.as_ref().map(|fleet| fleet.borrow_mut());
    let mut facts = agents::facts::look(cluster, fleet.as_deref_mut());
    let own: Vec<_> = sink.record().changes.iter().map(|undo| undo.change.clone()).collect();
    facts.forget(&own);
    forget_groups(cluster, &own, &mut facts.cluster);
    let images = named(&sink.record().plan);
    if !images.is_empty() {
        facts.cluster.images = Some(cluster::facts::images(cluster, &images, &mut facts.left_out));
    }
    sink.tell(Event::Observed { observation: Observation::Facts(Box::new(facts)) })
}

/// Placement groups of the run's own pools, which were made a moment ago, are no background work of the cluster. Where they can't be told
/// from others all stay.
fn forget_groups(cluster: &Cluster, own: &[Change], facts: &mut ClusterFacts) {
    let made = |change: &'_ Change| match change {
        Change::Pool { name, .. } => Some(name.clone()),
        _ => None,
    };
    let pools: Vec<String> = own.iter().filter_map(made).collect();
    let names: Vec<&str> = pools.iter().map(String::as_str).collect();
    let Some(groups) = facts.groups.as_mut().filter(|_| !names.is_empty()) else { return };
    let clean = "active+clean";
    let busy =
        groups.iter().filter(|(state, _)| *state != clean).map(|(state, count)| (state.clone(), *count)).collect();
    let Ok(others) = pg_states::without_pools(cluster, &busy, &names) else { return };
    let all: u32 = groups.values().sum();
    let busy: u32 = others.states.values().sum();
    *groups = others.states;
    groups.insert(clean.to_string(), all.saturating_sub(busy));
    facts.degraded = facts.degraded.map(|_| others.degraded_objects);
    facts.misplaced = facts.misplaced.map(|_| others.misplaced_objects);
}

/// Images that are measured and that the run does not make.
fn named(plan: &Plan) -> Vec<(String, String)> {
    let made = |pool: &String, image: &String| {
        plan.changes
            .iter()
            .any(|change| matches!(change, Change::Image { pool: own, name, .. } if own == pool && name == image))
    };
    let of = |place: &Place| match place {
        Place::Images { pool, images, .. } => {
            images.iter().filter(|image| !made(pool, image)).map(|image| (pool.clone(), image.clone())).collect()
        }
        _ => Vec::new(),
    };
    let targets = plan.steps.iter().flat_map(|step| &step.targets);
    targets.flat_map(|target| of(&target.place)).collect::<BTreeSet<_>>().into_iter().collect()
}
