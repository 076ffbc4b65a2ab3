//! What a run tells while it goes on. The archive gets every event before any other face.

use crate::background::Compaction;
use crate::bond::HostBond;
use crate::change::Undo;
use crate::effort::Overhead;
use crate::observed::{Observed, PgsSeen};
use crate::pages::PagesRead;
use crate::path_mtu::PathMtu;
use crate::plan::{Plan, Step};
use crate::record::{Ending, Gap, RunHead};
use crate::report::Report;
use crate::sample::Slice;
use crate::scope::Scope;
use crate::streams::Streams;
use crate::sustained::Sustained;
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
    /// How large packets get between hosts, looked at before the first step.
    PathMtus {
        paths: Vec<PathMtu>,
    },
    /// Interfaces of the hosts that share their traffic as one, looked at before the first step.
    Bonds {
        bonds: Vec<HostBond>,
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
    /// What the OSDs' stores did while a slice was measured. It comes before the slice.
    Compaction {
        compaction: Compaction,
    },
    /// What the kernels of hosts counted while a slice was measured. It comes before the slice.
    Observed {
        observed: Observed,
    },
    /// In which states placement groups were while a slice was measured, if not all were active and clean. It comes before the slice.
    PgsSeen {
        pgs: PgsSeen,
    },
    /// What each of several streams carried while a slice was measured. It comes before the slice.
    Streams {
        streams: Streams,
    },
    /// Whether there was something to be read, in a slice that reads. It comes before the slice.
    PagesRead {
        pages: PagesRead,
    },
    /// A host went missing while a slice was measured. It comes before the slice.
    Gap {
        gap: Gap,
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
        sustained: Sustained,
    },
    /// The picture after a pass.
    PassFinished {
        pass: u32,
        report: Report,
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
