//! What the cluster and its hosts say of themselves is recorded before the first step, without what the run made itself.

use super::{EventSink, Resolved};
use model::{Change, Event, Failure, Observation, Place, Plan};
use std::collections::BTreeSet;

pub(super) fn tell(resolved: &Resolved, sink: &mut EventSink) -> Result<(), Failure> {
    let Some(cluster) = &resolved.cluster else { return Ok(()) };
    let mut fleet = resolved.fleet.as_ref().map(|fleet| fleet.borrow_mut());
    let mut facts = agents::facts::look(cluster, fleet.as_deref_mut());
    let own: Vec<_> = sink.record().changes.iter().map(|undo| undo.change.clone()).collect();
    facts.forget(&own);
    let images = named(&sink.record().plan);
    if !images.is_empty() {
        facts.cluster.images = Some(cluster::facts::images(cluster, &images, &mut facts.left_out));
    }
    sink.tell(Event::Observed { observation: Observation::Facts(Box::new(facts)) })
}

/// Images that are measured and that the run does not make.
fn named(plan: &Plan) -> Vec<(String, String)> {
    let made = |pool: &String, image: &String| {
        plan.changes
            .iter()
            .any(|change| matches!(change, Change::Image { pool: own, name, .. } if own == pool && name == image))
    };
    let of = |place: &Place| match place {
        Place::Images { pool, images } => {
            images.iter().filter(|image| !made(pool, image)).map(|image| (pool.clone(), image.clone())).collect()
        }
        _ => Vec::new(),
    };
    let targets = plan.steps.iter().flat_map(|step| &step.targets);
    targets.flat_map(|target| of(&target.place)).collect::<BTreeSet<_>>().into_iter().collect()
}
