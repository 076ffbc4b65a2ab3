//! What measuring itself takes: the lanes' part of the CPU in a slice, and the cost of an operation without any I/O.

use crate::workload::Workload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Of the threads that loaded one target in one slice, summed over them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effort {
    /// Time that they existed.
    pub seconds: f64,
    /// Time that they ran.
    pub cpu_seconds: f64,
    /// Time that they could have run and waited for a processor.
    pub queued_seconds: f64,
    /// Operations of all kinds that they did.
    pub operations: u64,
    /// What Fathom's own part of one such operation costs, ns, as measured at the start of the run; 0: not measured.
    pub operation_ns: f64,
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.seconds += other.seconds;
        self.cpu_seconds += other.cpu_seconds;
        self.queued_seconds += other.queued_seconds;
        self.operations += other.operations;
        self.operation_ns = self.operation_ns.max(other.operation_ns);
    }
}

impl Effort {
    /// Running share of the threads' time.
    pub fn busy(&self) -> f64 {
        if self.seconds > 0.0 { (self.cpu_seconds / self.seconds).min(1.0) } else { 0.0 }
    }

    /// Share of the threads' time that they waited for a processor.
    pub fn queued(&self) -> f64 {
        if self.seconds > 0.0 { (self.queued_seconds / self.seconds).min(1.0) } else { 0.0 }
    }
}

/// The same of a figure, as shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shares {
    /// Of the lanes' time, that they ran.
    pub busy: f64,
    /// Of the lanes' time, that they waited for a processor.
    pub queued: f64,
    /// Fathom's own part: of the latency with one operation in flight in a lane, else of the lanes' CPU. `None`: not known.
    pub overhead: Option<f64>,
}

/// What an operation costs that does nothing, ns: drawing it, handing it over, two time stamps, counting it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overhead {
    /// One in flight.
    pub operation_ns: f64,
    /// Many in flight, which share time stamps.
    pub deep_operation_ns: f64,
    /// One reading of the clock.
    pub clock_ns: f64,
}

impl Overhead {
    /// Of an operation of this workload.
    pub fn of(&self, workload: &Workload) -> f64 {
        if workload.lane_depth(0) <= 1 { self.operation_ns } else { self.deep_operation_ns }
    }
}
