//! What the cluster and its hosts say of themselves is recorded before the first step, without what the run made itself.

use super::{EventSink, Resolved};
use model::{Event, Failure, Observation};

pub(super) fn tell(resolved: &Resolved, sink: &mut EventSink) -> Result<(), Failure> {
    let Some(cluster) = &resolved.cluster else { return Ok(()) };
    let mut fleet = resolved.fleet.as_ref().map(|fleet| fleet.borrow_mut());
    let mut facts = agents::facts::look(cluster, fleet.as_deref_mut());
    let own: Vec<_> = sink.record().changes.iter().map(|undo| undo.change.clone()).collect();
    facts.forget(&own);
    sink.tell(Event::Observed { observation: Observation::Facts(Box::new(facts)) })
}
