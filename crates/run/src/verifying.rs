//! After a slice that verifies: what it read is what was written, or it is told at once where and when it was not.

use super::EventSink;
use super::apart::Part;
use super::conductor::Conductor;
use experiments::Slot;
use model::{Checked, Event, Failure, Flaw, Verified};
use std::time::Duration;

impl Conductor<'_> {
    /// Also of a slice that is not kept: what is flawed is flawed.
    pub(super) fn verify(&self, part: &Part, slot: &Slot, usable: bool, sink: &mut EventSink) -> Result<(), Failure> {
        let step = &part.step;
        if !step.workload.verify {
            return Ok(());
        }
        let seconds = if usable { slot.read_back_seconds } else { 0.0 };
        let found = self.loader.verified(step, Duration::from_secs_f64(seconds), &|| !self.health.asked_to_end());
        let name = |target: u32| step.targets.get(target as usize).map_or("", |target| target.name.as_str());
        let place = |target| format!("{} {} {}", step.layer.name(), name(target), step.pattern.name());
        for (target, checked) in found.checked {
            let text = checked.flaws.first().map(|flaw| format!("{}: {}", place(target), said(&checked, flaw)));
            let target = part.targets.get(target as usize).copied().unwrap_or(target);
            sink.tell(Event::Verified { verified: Verified { step: step.id, target, pass: slot.pass, checked } })?;
            if let Some(text) = text {
                sink.tell(Event::Failed { text })?;
            }
        }
        match found.error {
            Some(error) => sink.tell(Event::Failed { text: format!("{}: {error}", place(0)) }),
            None => Ok(()),
        }
    }
}

/// `2 blocks are not as they were written (1 wrong, 1 stale), the first: …`
fn said(checked: &Checked, first: &Flaw) -> String {
    let blocks = match checked.flawed() {
        1 => "1 block is not as it was written".to_string(),
        n => format!("{n} blocks are not as they were written"),
    };
    let Flaw { kind, place, offset, says, .. } = first;
    format!("{blocks} ({}), the first {}: {place} at {offset}: {says}", checked.counts(), kind.name())
}
