//! The engine that does nothing: what the worker loop itself costs.

use crate::api::{Context, Done, Engine, EngineError, Op, Session};
use crate::verify;
use model::{Target, Workload};
use std::time::Duration;

pub struct Null;

impl Engine for Null {
    fn name(&self) -> &'static str {
        "null"
    }

    fn refuse(&self, _target: &Target, workload: &Workload) -> Option<String> {
        verify::refusal(self, workload, true)
    }

    fn unverifiable(&self) -> Option<&'static str> {
        Some("the null engine moves no data that could be verified")
    }

    fn open(
        &self,
        _context: &Context,
        _target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        Ok(Box::new(NullSession { taken: Vec::with_capacity(workload.lane_depth(lane) as usize) }))
    }
}

struct NullSession {
    taken: Vec<Done>,
}

impl Session for NullSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        self.taken.extend(ops.iter().map(|op| Done::now(op.slot, Ok(op.len))));
        Ok(ops.len())
    }

    fn reap(&mut self, _timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        done.append(&mut self.taken);
        Ok(())
    }
}
