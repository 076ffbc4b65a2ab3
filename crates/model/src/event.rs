//! What a run tells while it goes on. The archive gets every event before any other face.

use crate::change::Undo;
use crate::effort::Overhead;
use crate::observation::Observation;
use crate::plan::{Plan, Step};
use crate::record::{Ending, RunHead};
use crate::report::Report;
use crate::sample::Slice;
use crate::scope::Scope;
use crate::sustained::SustainedSeries;
use crate::verified::Verified;
use crate::window::WindowSet;
use serde::{Deserialize, Serialize};
use std::io;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    RunStarted {
        head: RunHead,
        scope: Scope,
    },
    Planned {
        plan: Plan,
    },
    /// What measuring costs by itself on this host, looked at before the first step.
    Overhead {
        overhead: Overhead,
    },
    /// Journalled and made, or undone (`undone` says which).
    Changed {
        undo: Undo,
    },
    /// Something that takes long goes on: prefill, waiting for placement groups. `share` of it is done, 0..=1.
    Progress {
        what: String,
        share: f64,
    },
    StepStarted {
        pass: u32,
        step: Step,
        seconds_expected: f64,
    },
    /// A window of a slice with many targets, told while the slice goes on. Its targets are those of the step, and `started_seconds`
    /// is the slice's; what is told of a slice that is begun anew counts for nothing.
    Window {
        started_seconds: f64,
        set: WindowSet,
    },
    /// Something was seen beside the load.
    Observed {
        observation: Observation,
    },
    /// The slices of one step in one pass: one per target and kind, and for several targets one for all together.
    StepFinished {
        pass: u32,
        slices: Vec<Slice>,
    },
    /// What a slice with `--verify` read back, and whether it is what was written.
    Verified {
        verified: Verified,
    },
    /// A device was written to until it fell, or until the time or what may be written was used up.
    Sustained {
        sustained: SustainedSeries,
    },
    /// The picture after a pass.
    PassFinished {
        pass: u32,
        report: Box<Report>,
    },
    /// Something to be known about how this run is measured.
    Warned {
        text: String,
    },
    /// Something went wrong and the run goes on.
    Failed {
        text: String,
    },
    RunFinished {
        seconds: f64,
        ending: Ending,
    },
}

/// Something that shows or keeps a run.
pub trait Subscriber {
    fn take(&mut self, event: &Event) -> io::Result<()>;
    fn finish(&mut self, report: &Report) -> io::Result<()>;
}
