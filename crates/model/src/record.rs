//! Everything that is known of a run: what the archive keeps, and all that an explanation may use.

use crate::change::Undo;
use crate::effort::Overhead;
use crate::event::Event;
use crate::observation::Observation;
use crate::plan::Plan;
use crate::sample::Slice;
use crate::scope::Scope;
use crate::step_id::StepId;
use crate::sustained::SustainedSeries;
use crate::verified::Verified;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunHead {
    /// Sortable and unique: `20261121-093012-ab3f`.
    pub run: String,
    /// RFC 3339, UTC.
    pub started: String,
    /// Fathom's version.
    pub version: String,
    /// The command line, without secrets.
    pub command: String,
    /// `None`: Fathom measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// Round trips between hosts carry the block one way, and a short acknowledgement or request the other. False: the run of a release
    /// that sent the block both ways.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub short_answers: bool,
    /// It ran on a lab of its own, which is gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_lab: bool,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    #[default]
    Done,
    /// By a signal, in order.
    Stopped,
    Failed,
}

/// Which other tool measured what is recorded, and where that was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// With its version, where it tells that: `fio-3.33`.
    pub tool: String,
    pub file: String,
}

/// A host that should have loaded a slice went missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    pub step: StepId,
    pub pass: u32,
    /// Which, from when on, and why: `host b is missing from 1.0 s into the slice on: gone`.
    pub says: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub head: RunHead,
    pub scope: Scope,
    pub plan: Plan,
    /// What measuring costs by itself.
    #[serde(default)]
    pub overhead: Option<Overhead>,
    pub slices: Vec<Slice>,
    /// What was read back and checked, in the order in which it was.
    #[serde(default)]
    pub verified: Vec<Verified>,
    #[serde(default)]
    pub sustained: Vec<SustainedSeries>,
    /// What was seen beside the load, in the order in which it was.
    #[serde(default)]
    pub observations: Vec<Observation>,
    pub changes: Vec<Undo>,
    /// What is to be known about how it was measured.
    #[serde(default)]
    pub warnings: Vec<String>,
    pub errors: Vec<String>,
    /// Seconds since the start when the last thing was recorded.
    pub seconds: f64,
    /// It is over, however it ended.
    pub finished: bool,
    /// How, if it is over.
    #[serde(default)]
    pub ending: Ending,
}

impl Record {
    /// The one way from events to a record: a live run and a replayed one are made by the same lines.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::RunStarted { head, scope } => {
                *self = Record { head: head.clone(), scope: scope.clone(), ..Record::default() };
            }
            Event::Planned { plan } => self.plan = plan.clone(),
            Event::Overhead { overhead } => self.overhead = Some(*overhead),
            Event::Changed { undo } => self.note_change(undo),
            Event::StepFinished { slices, .. } => self.add_slices(slices.clone()),
            Event::Verified { verified } => self.verified.push(verified.clone()),
            Event::Observed { observation } => self.observations.push(observation.clone()),
            Event::Sustained { sustained } => self.sustained.push(sustained.clone()),
            Event::Warned { text } => self.warnings.push(text.clone()),
            Event::Failed { text } => self.errors.push(text.clone()),
            Event::RunFinished { seconds, ending } => {
                self.seconds = *seconds;
                (self.finished, self.ending) = (true, *ending);
            }
            // They tell what goes on, not what is known.
            Event::Progress { .. } | Event::StepStarted { .. } | Event::Window { .. } | Event::PassFinished { .. } => {}
        }
    }

    /// As [`Record::apply`], but that the slices, which are most of a run's memory, are not copied.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::StepFinished { slices, .. } => self.add_slices(slices),
            other => self.apply(&other),
        }
    }

    fn add_slices(&mut self, mut slices: Vec<Slice>) {
        self.seconds = slices.iter().map(Slice::ended_seconds).fold(self.seconds, f64::max);
        self.slices.append(&mut slices);
        // What comes after an end: the run was taken up again.
        self.finished = false;
    }

    /// A change is told when it is made and when it is undone, and may be made again, for every slice that needs it: the last one
    /// stands.
    fn note_change(&mut self, undo: &Undo) {
        match self.changes.iter_mut().find(|known| known.change == undo.change) {
            Some(known) => *known = undo.clone(),
            None => self.changes.push(undo.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Change;
    use crate::testing;

    #[test]
    fn a_change_that_is_made_and_undone_over_and_over_is_one_change() {
        let flag = |undone| Undo { change: Change::Flag { name: "noscrub".into() }, before: None, undone, left: None };
        let mut record = Record::default();
        let other =
            Undo { change: Change::Flag { name: "nodeep-scrub".into() }, before: None, undone: true, left: None };
        record.apply(&Event::Changed { undo: other.clone() });
        for undone in [false, true, false, true, false] {
            record.apply(&Event::Changed { undo: flag(undone) });
            assert_eq!(record.changes, [other.clone(), flag(undone)]);
        }
    }

    #[test]
    fn a_run_that_was_cut_off_lasted_until_its_last_slice() {
        let slice = Slice {
            target: Some(0),
            started_seconds: 30.0,
            warmup: 3,
            ..testing::slice(crate::StepId(1), 1, 100_000_000, vec![crate::Sample::default(); 80])
        };
        let mut record = Record::default();
        record.apply(&Event::StepFinished { pass: 1, slices: vec![slice] });
        assert_eq!((record.seconds, record.finished), (38.0, false));
        record.apply(&Event::RunFinished { seconds: 40.5, ending: Ending::Done });
        assert_eq!((record.seconds, record.finished), (40.5, true));
    }
}
