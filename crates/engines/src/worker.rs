//! The one loop for every kind of I/O: keeps the depth, hands operations to the session, counts what comes back.

use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::offsets::Draw;
use crate::tally::{Span, Tally};
use model::{Clock, Nanos, OpKind, Sample, Workload};
use std::time::Duration;

/// What a lane counted in one window.
#[derive(Debug)]
pub struct Cut {
    pub window: u32,
    pub samples: Vec<(OpKind, Sample)>,
}

/// A lane: a share of the depth, on one session, in one thread.
pub struct Lane {
    session: Box<dyn Session>,
    draw: Draw,
    block: u32,
    /// By slot: the operation that has it, `due` being the time of its submission.
    slots: Vec<Op>,
    /// Slots without an operation.
    free: Vec<u32>,
    /// Drawn, but not yet taken by the session.
    waiting: Vec<Op>,
    in_flight: usize,
    done: Vec<Done>,
    tally: Tally,
    window: u32,
    window_ns: Nanos,
    /// When the running window ends.
    window_end: Nanos,
    now: Nanos,
    /// Windows that ended and were not collected yet.
    pub cuts: Vec<Cut>,
    /// The first operation that failed, in words.
    pub first_error: Option<String>,
}

impl Lane {
    /// `start` is common to all lanes of a slice: the first window begins there.
    pub fn new(
        session: Box<dyn Session>,
        workload: &Workload,
        lane: u32,
        span: Span,
        window_ns: Nanos,
        start: Nanos,
    ) -> Lane {
        let depth = workload.lane_depth(lane);
        let nothing = Op { slot: 0, kind: OpKind::Read, offset: 0, len: 0, due: 0 };
        Lane {
            session,
            draw: Draw::new(workload, lane),
            block: u32::try_from(workload.block).unwrap_or(u32::MAX),
            slots: vec![nothing; depth as usize],
            free: (0..depth).rev().collect(),
            waiting: Vec::with_capacity(depth as usize),
            in_flight: 0,
            done: Vec::with_capacity(depth as usize),
            tally: Tally::new(workload, span),
            window: 0,
            window_ns,
            window_end: start + window_ns,
            now: start,
            cuts: Vec::new(),
            first_error: None,
        }
    }

    /// Fills the depth and reaps what has ended; waits no longer than to the end of the window.
    ///
    /// # Errors
    /// The engine broke.
    pub fn turn(&mut self, clock: &dyn Clock) -> Result<(), EngineError> {
        self.submit(clock)?;
        let patience = Duration::from_nanos(self.window_end.saturating_sub(self.now));
        self.session.reap(patience, &mut self.done)?;
        // One reading for the whole batch: what ended together is reaped together.
        self.now = clock.now();
        self.count();
        Ok(())
    }

    #[inline]
    fn submit(&mut self, clock: &dyn Clock) -> Result<(), EngineError> {
        // A closed loop: every free slot gets an operation at once.
        while let Some(slot) = self.free.pop() {
            let (kind, offset) = (self.draw.kind(), self.draw.offset());
            self.waiting.push(Op { slot, kind, offset, len: self.block, due: 0 });
        }
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.now = clock.now();
        for op in &mut self.waiting {
            op.due = self.now;
            self.slots[op.slot as usize] = *op;
        }
        let taken = self.session.submit(&self.waiting)?;
        self.in_flight += taken;
        self.waiting.drain(..taken);
        Ok(())
    }

    #[inline]
    fn count(&mut self) {
        self.in_flight -= self.done.len();
        for index in 0..self.done.len() {
            let done = self.done[index];
            let at = if done.at == 0 { self.now } else { done.at };
            if at >= self.window_end {
                self.cut_until(at);
            }
            self.count_one(&done, at);
            self.free.push(done.slot);
        }
        self.done.clear();
        if self.now >= self.window_end {
            self.cut_until(self.now);
        }
    }

    #[inline]
    fn count_one(&mut self, done: &Done, at: Nanos) {
        let op = self.slots[done.slot as usize];
        match (done.result, &done.told) {
            (Ok(_), Some(told)) => self.tally.record_told(op.kind, told),
            (Ok(bytes), None) if bytes == op.len => self.tally.record(&op, at.saturating_sub(op.due)),
            (Ok(bytes), None) => self.failed(&op, || format!("moved {bytes} of {} bytes", op.len)),
            (Err(OpError { errno }), _) => {
                self.failed(&op, || std::io::Error::from_raw_os_error(errno.abs()).to_string());
            }
        }
    }

    #[cold]
    fn failed(&mut self, op: &Op, why: impl FnOnce() -> String) {
        self.tally.record_error(op.kind);
        if self.first_error.is_none() {
            let what = if op.kind == OpKind::Read { "read" } else { "write" };
            self.first_error = Some(format!("{what} of {} bytes at {}: {}", op.len, op.offset, why()));
        }
    }

    /// Ends all windows that end at or before `time`: also those in which nothing ended, so that a stall is seen.
    #[cold]
    fn cut_until(&mut self, time: Nanos) {
        while time >= self.window_end {
            let samples = self.tally.cut(self.window);
            self.cuts.push(Cut { window: self.window, samples });
            self.window += 1;
            self.window_end += self.window_ns;
        }
    }

    /// After the last window: waits for what is in flight, but not longer than until `deadline`. True: call again.
    pub fn drain(&mut self, clock: &dyn Clock, deadline: Nanos) -> bool {
        let patience = Duration::from_nanos(deadline.saturating_sub(clock.now()));
        if self.in_flight == 0 || patience.is_zero() || self.session.reap(patience, &mut self.done).is_err() {
            return false;
        }
        self.in_flight -= self.done.len();
        self.done.clear();
        true
    }
}
