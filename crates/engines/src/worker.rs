//! The one loop for every kind of I/O: keeps the depth or the rate, hands operations to the session, counts what comes back.

use crate::api::{Done, EngineError, Op, Session};
use crate::offsets::Draw;
use crate::schedule::DueTimes;
use crate::tally::{CountedTime, Tally, Times};
use model::{Clock, EmptyPages, Nanos, OpClass, Sample, Workload};
use std::time::Duration;

/// What a lane counted in one window.
#[derive(Debug)]
pub struct Cut {
    pub window: u32,
    pub samples: Vec<(OpClass, Sample)>,
}

/// A lane: a share of the depth, on one session, in one thread.
pub struct Lane {
    session: Box<dyn Session>,
    draw: Draw,
    /// `None`: a closed loop.
    due: Option<DueTimes>,
    /// By slot: the operation that has it.
    slots: Vec<Started>,
    /// Slots without an operation.
    free: Vec<u32>,
    /// Drawn, but not yet taken by the session.
    waiting: Vec<Op>,
    in_flight: usize,
    /// When there was last no slot free: what was due before then waited for the target, not for this thread.
    full_until: Nanos,
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
    /// Why waiting for what was in flight at the end broke off.
    broke: Option<String>,
    /// The longest that an operation has taken, from its start to its answer.
    longest: Nanos,
}

/// An operation in its slot, and when it was submitted.
#[derive(Clone, Copy)]
struct Started {
    op: Op,
    at: Nanos,
    /// How long it was due, with a slot free, before it was submitted.
    late: Nanos,
}

impl Lane {
    /// `start` is common to all lanes of a slice: the first window begins there.
    pub fn new(
        session: Box<dyn Session>,
        (workload, lane): (&Workload, u32),
        due: Option<DueTimes>,
        span: CountedTime,
        window_ns: Nanos,
        start: Nanos,
    ) -> Lane {
        let depth = workload.lane_depth(lane);
        let nothing = Op { slot: 0, kind: OpClass::Read, offset: 0, len: 0, due: 0 };
        let nothing = Started { op: nothing, at: 0, late: 0 };
        Lane {
            session,
            draw: Draw::new(workload, lane),
            due,
            slots: vec![nothing; depth as usize],
            free: (0..depth).rev().collect(),
            waiting: Vec::with_capacity(depth as usize),
            in_flight: 0,
            full_until: start,
            done: Vec::with_capacity(depth as usize),
            tally: Tally::new(workload, span),
            window: 0,
            window_ns,
            window_end: start + window_ns,
            now: start,
            cuts: Vec::new(),
            first_error: None,
            broke: None,
            longest: 0,
        }
    }

    /// Fills the depth, or starts what is due, and reaps what has ended; waits no longer than to the end of the window.
    ///
    /// # Errors
    /// The engine broke.
    pub fn turn(&mut self, clock: &dyn Clock) -> Result<(), EngineError> {
        self.submit(clock)?;
        let timeout = Duration::from_nanos(self.wake_at().saturating_sub(self.now));
        self.session.reap(timeout, &mut self.done)?;
        // One reading for the whole batch: what ended together is reaped together.
        self.now = clock.now();
        self.count();
        Ok(())
    }

    /// Until when there is nothing to do but to wait for completions.
    #[inline]
    fn wake_at(&self) -> Nanos {
        let next = self.due.as_ref().filter(|_| !self.free.is_empty()).and_then(DueTimes::next);
        next.map_or(self.window_end, |due| due.min(self.window_end))
    }

    /// Nothing is in flight, and nothing due before this time: sessions have nothing to wait for.
    pub fn idle_until(&self) -> Option<Nanos> {
        (self.due.is_some() && self.in_flight == 0 && self.waiting.is_empty()).then(|| self.wake_at())
    }

    /// Nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.in_flight == 0 && self.waiting.is_empty()
    }

    /// Does it keep a rate?
    pub fn open_loop(&self) -> bool {
        self.due.is_some()
    }

    /// A closed loop: every free slot gets an operation at once.
    #[inline]
    fn draw_all(&mut self) {
        while let Some(slot) = self.free.pop() {
            let (kind, offset) = (self.draw.kind(), self.draw.offset());
            self.waiting.push(Op { slot, kind, offset, len: self.draw.len(offset), due: 0 });
        }
    }

    /// An open loop: what is due by now, as far as slots are free. The rest waits, and its response time grows.
    #[inline]
    fn draw_due(&mut self, now: Nanos) {
        let Some(times) = &mut self.due else { return };
        while let (Some(due), Some(slot)) = (times.next().filter(|due| *due <= now), self.free.last().copied()) {
            self.free.pop();
            let (kind, offset) = (self.draw.kind(), self.draw.offset());
            self.waiting.push(Op { slot, kind, offset, len: self.draw.len(offset), due });
            times.begin();
            // A lane without a free slot takes none: the others of its target may have one.
            if !self.free.is_empty() {
                times.take();
            }
        }
    }

    #[inline]
    fn submit(&mut self, clock: &dyn Clock) -> Result<(), EngineError> {
        match self.due {
            None => self.draw_all(),
            Some(_) => {
                self.now = clock.now();
                self.draw_due(self.now);
            }
        }
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.now = clock.now();
        for op in &mut self.waiting {
            if self.due.is_none() {
                op.due = self.now;
            }
            let late = self.now.saturating_sub(op.due.max(self.full_until));
            self.slots[op.slot as usize] = Started { op: *op, at: self.now, late };
        }
        let taken = self.session.submit(&self.waiting)?;
        self.in_flight += taken;
        self.waiting.drain(..taken);
        Ok(())
    }

    #[inline]
    fn count(&mut self) {
        if self.free.is_empty() && !self.done.is_empty() {
            self.full_until = self.now;
        }
        self.in_flight -= self.done.len();
        for index in 0..self.done.len() {
            let done = self.done[index];
            let at = if done.at == 0 { self.now } else { done.at };
            if at >= self.window_end {
                self.cut_until(at);
            }
            self.count_one(&done, at);
            self.free.push(done.slot);
            if let Some(due) = &mut self.due {
                due.ended(at);
            }
        }
        self.done.clear();
        if let Some(due) = self.due.as_mut().filter(|_| !self.free.is_empty()) {
            due.take();
        }
        if self.now >= self.window_end {
            self.cut_until(self.now);
        }
    }

    #[inline]
    fn count_one(&mut self, done: &Done, at: Nanos) {
        let Started { op, at: started, late } = self.slots[done.slot as usize];
        match (done.result, &done.told) {
            (Ok(_), Some(told)) => self.tally.record_told(op.kind, told),
            (Ok(bytes), None) if bytes == op.len => {
                let (response, service) = (at.saturating_sub(op.due), at.saturating_sub(started));
                self.longest = self.longest.max(service);
                // From the same instant as the last one: what this program does before it sends is in both.
                let first_byte = done.first_byte.map(|came| came.saturating_sub(started).min(service));
                self.tally.record(&op, &Times { response, service, late, first_byte });
            }
            (Ok(bytes), None) => self.failed(&op, || format!("moved {bytes} of {} bytes", op.len)),
            (Err(error), _) => self.failed(&op, || error.to_string()),
        }
    }

    #[cold]
    fn failed(&mut self, op: &Op, why: impl FnOnce() -> String) {
        self.tally.record_error(op.kind);
        if self.first_error.is_none() {
            let what = op.kind.name();
            self.first_error = Some(match op.kind.of_bytes() {
                true => format!("{what} of {} bytes at {}: {}", op.len, op.offset, why()),
                false => format!("{what}: {}", why()),
            });
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

    pub fn empty_pages(&self) -> EmptyPages {
        self.session.empty_pages()
    }

    /// After the last window: waits for what is in flight, but not longer than until `deadline`. True: call again.
    pub fn drain(&mut self, clock: &dyn Clock, deadline: Nanos) -> bool {
        let timeout = Duration::from_nanos(deadline.saturating_sub(clock.now()));
        if self.in_flight == 0 || timeout.is_zero() {
            return false;
        }
        if let Err(error) = self.session.reap(timeout, &mut self.done) {
            self.broke = Some(error.to_string());
            return false;
        }
        self.in_flight -= self.done.len();
        let now = clock.now();
        for done in self.done.drain(..) {
            let at = if done.at == 0 { now } else { done.at };
            let service = at.saturating_sub(self.slots[done.slot as usize].at);
            // What stands for many operations is none itself.
            self.longest = self.longest.max(if done.told.is_some() { 0 } else { service });
            self.free.push(done.slot);
        }
        true
    }

    /// The longest that an operation has taken so far.
    pub fn longest(&self) -> Nanos {
        self.longest
    }

    /// What had no answer when waiting for it ended, in words: none of the windows counts it.
    pub fn unanswered(&self, now: Nanos) -> Option<String> {
        if let Some(broke) = &self.broke {
            return Some(format!("after the end of a slice: {broke}"));
        }
        let waiting = |slot: u32| self.waiting.iter().any(|op| op.slot == slot);
        let busy = (0..self.slots.len() as u32).filter(|slot| !self.free.contains(slot) && !waiting(*slot));
        let oldest = busy.map(|slot| self.slots[slot as usize].at).min().filter(|_| self.in_flight > 0)?;
        let seconds = now.saturating_sub(oldest) as f64 / 1e9;
        Some(format!(
            "{} of a slice had no answer at its end, the oldest after {seconds:.1} s; they are in no figure",
            model::units::counted(self.in_flight as u64, "operation", "operations")
        ))
    }
}
