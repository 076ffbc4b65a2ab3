//! What is measured next: the one question that the conductor asks of every experiment.

use judge::Length;
use model::{Nanos, Plan, Record, ResponseBound, Step, SustainedTest};

/// One slice of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    pub step: Step,
    pub pass: u32,
    /// The seed of the slice's load: which places are read, when operations are due.
    pub seed: u64,
    pub window_ns: Nanos,
    /// Before it begins.
    pub wait_seconds: f64,
    pub until: Until,
    /// With what comes before and after the data.
    pub seconds_expected: f64,
    /// The most time for reading back what the slice wrote, where that is verified.
    pub read_back_seconds: f64,
}

/// When a slice ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// At its length; one of many seconds only when it has settled, if it is `patient`.
    Length { length: Length, patient: bool },
    /// As soon as it is known whether this rate keeps the bound, or after these seconds.
    BoundKnown { bound: ResponseBound, per_second: f64, length: Length, seconds_max: f64 },
}

impl Until {
    /// Which of its samples count.
    pub fn length(&self) -> &Length {
        match self {
            Until::Length { length, .. } | Until::BoundKnown { length, .. } => length,
        }
    }
}

/// What the conductor is to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Tells the plan, which has grown by what is measured next.
    Plan(Box<Plan>),
    Measure(Box<Slot>),
    /// Says what is known after this pass.
    Report {
        pass: u32,
    },
    WriteWithoutPause(Box<SustainedTest>),
}

/// Decides, from what is recorded, what is measured next. Pure but for its own place in the course; whoever asks brings the time.
pub trait Scheduler {
    /// `now`: seconds since the run began. `None`: the experiment is done.
    fn next(&mut self, record: &Record, now: f64) -> Option<Task>;
}
