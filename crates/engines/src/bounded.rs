//! An engine that moves at most a given number of bytes in a lane: after that it takes no further operation.

use crate::api::{Context, Done, Engine, EngineError, Op, Session};
use model::{Bytes, Target, Workload};
use std::time::Duration;

/// How long a session without anything in flight waits before it says again that nothing has ended.
const IDLE: Duration = Duration::from_millis(5);

pub struct Bounded<'a> {
    pub engine: &'a dyn Engine,
    /// At most this many bytes are moved by the session of one lane.
    pub most: Bytes,
}

impl Engine for Bounded<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        self.engine.refuse(target, workload)
    }

    fn prepare(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        self.engine.prepare(context, target, workload, progress)
    }

    fn open(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        let inner = self.engine.open(context, target, workload, lane)?;
        Ok(Box::new(BoundedSession { inner, left: self.most, in_flight: 0 }))
    }

    fn times_itself(&self) -> bool {
        self.engine.times_itself()
    }

    fn simulated(&self) -> bool {
        self.engine.simulated()
    }
}

struct BoundedSession {
    inner: Box<dyn Session>,
    left: Bytes,
    in_flight: usize,
}

impl Session for BoundedSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        let mut left = self.left;
        let fitting = ops.iter().take_while(|op| {
            let fits = u64::from(op.len) <= left;
            left = left.saturating_sub(op.len.into());
            fits
        });
        let fitting = fitting.count();
        if fitting == 0 {
            return Ok(0);
        }
        let taken = self.inner.submit(&ops[..fitting])?;
        self.left -= ops[..taken].iter().map(|op| u64::from(op.len)).sum::<u64>();
        self.in_flight += taken;
        Ok(taken)
    }

    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if self.in_flight == 0 {
            std::thread::sleep(timeout.min(IDLE));
            return Ok(());
        }
        let before = done.len();
        self.inner.reap(timeout, done)?;
        self.in_flight -= done.len() - before;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OpClass;

    /// Takes everything, and ends it when it is reaped.
    #[derive(Default)]
    struct Prompt(Vec<Op>);

    impl Session for Prompt {
        fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
            self.0.extend_from_slice(ops);
            Ok(ops.len())
        }

        fn reap(&mut self, _: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
            done.extend(self.0.drain(..).map(|op| Done::now(op.slot, Ok(op.len))));
            Ok(())
        }
    }

    #[test]
    fn not_a_byte_more_is_taken() {
        let mut session = BoundedSession { inner: Box::new(Prompt::default()), left: 10_000, in_flight: 0 };
        let op = |slot| Op { slot, kind: OpClass::Write, offset: 0, len: 4096, due: 0 };
        let ops = [op(0), op(1), op(2), op(3)];
        let mut done = Vec::new();
        assert_eq!(session.submit(&ops).unwrap(), 2);
        session.reap(Duration::ZERO, &mut done).unwrap();
        assert_eq!((done.len(), session.submit(&ops).unwrap()), (2, 0));
        session.reap(Duration::ZERO, &mut done).unwrap();
        assert_eq!(done.len(), 2);
    }
}
