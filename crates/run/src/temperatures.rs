//! How hot the drives are that a run judges: asked between loads, so that no load waits for the answer.

use super::EventSink;
use super::conductor::Conductor;
use model::{Event, Failure, Observation, Step, Temperatures};

/// Seconds between two times of asking: drives take minutes to get warm.
const APART: f64 = 10.0;
/// And asking takes no more than this share of the time.
const SHARE: f64 = 0.05;

impl Conductor<'_> {
    /// Asks the drives of the step that was just loaded, if they are judged and say how hot they are. `at_once`: even if they were just asked.
    pub(super) fn ask_temperatures(&self, step: &Step, at_once: bool, sink: &mut EventSink) -> Result<(), Failure> {
        let record = sink.record();
        let warm = record.plan.experiment.judged_drives().iter().filter_map(|drive| {
            let about = drive.about.as_ref()?;
            about.health.as_ref().ok()?.temperature?;
            let target = step.targets.iter().find(|target| target.name == drive.target)?;
            let host = target.client.as_ref().map(|client| client.host.clone());
            Some((drive.target.clone(), host, about.queue.name.clone()))
        });
        let warm: Vec<_> = warm.collect();
        let last = record.temperatures().next_back();
        let (seconds, began) = (sink.seconds(), self.clock.now());
        let due = last.is_none_or(|last| seconds - last.seconds > APART.max(last.took_seconds / SHARE));
        if warm.is_empty() || !(due || at_once) || self.health.asked_to_end() {
            return Ok(());
        }
        let now = |(target, host, disk): (String, Option<String>, String)| {
            Some((target, self.loader.temperature(host.as_deref(), &disk)?))
        };
        let drives: Vec<(String, f64)> = warm.into_iter().filter_map(now).collect();
        let took_seconds = (self.clock.now() - began) as f64 / 1e9;
        let seen = Temperatures { seconds, took_seconds, drives };
        sink.tell(Event::Observed { observation: Observation::Temperatures(seen) })
    }
}
