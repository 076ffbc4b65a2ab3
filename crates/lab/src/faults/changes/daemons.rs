//! Processes in the lab: one that does the fault's work, and the lab's own that go on when the fault is off.

use crate::errors::LabError;
use crate::faults::access::LabAccess;
use crate::job::Job;
use crate::wire::{Act, SupervisorCommand};
use serde::{Deserialize, Serialize};

/// A process that goes on with something as long as the fault is on. The lab's supervisor holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Worker {
    /// `fault.stutter.osd.1`
    pub name: String,
    job: Job,
}

impl Worker {
    pub fn new(fault: &str, target: &str, job: Job) -> Worker {
        let name = format!("fault.{fault}.{}", target.replace(['/', ' '], "."));
        Worker { name: name.trim_end_matches('.').to_owned(), job }
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        self.order(access, Some(self.job.clone()))
    }

    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        self.order(access, None)
    }

    fn order(&self, access: &LabAccess, job: Option<Job>) -> Result<(), LabError> {
        access.order(&SupervisorCommand::Worker { name: self.name.clone(), job })
    }
}

/// Sees to it that a daemon that was stopped (SIGSTOP) goes on. Stands before the worker that stops it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Continue {
    pub daemon: String,
}

impl Continue {
    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        // One that does not run needs no continuing.
        access.pid(&self.daemon).map_or(Ok(()), |_| access.act(&self.daemon, Act::Cont))
    }
}

/// A daemon that is started again when the fault is off: what it remembers of the fault is gone then. Stands before what it remembers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StartAgain {
    pub daemon: String,
}

impl StartAgain {
    /// One that was ended meanwhile remembers nothing.
    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        if access.pid(&self.daemon).is_none() {
            return Ok(());
        }
        access.restart(std::slice::from_ref(&self.daemon))
    }
}
