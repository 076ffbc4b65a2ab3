//! A session on objects or on an image: operations become reads and writes in slots, completions become results.

use super::slots::Slots;
use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers;
use crate::clock::RealClock;
use crate::pages::PageLook;
use crate::verify::Marks;
use ceph::Finished;
use model::{Clock, EmptyPages, OpClass, Workload};
use std::time::Duration;

/// How many slots a lane needs, and how many bytes each.
pub fn room(workload: &Workload, lane: u32) -> (u32, usize) {
    (workload.lane_depth(lane).max(1), workload.block as usize * parts(workload))
}

/// Reads have a part of the buffer of their own where both happen, so that what is written stays incompressible.
fn parts(workload: &Workload) -> usize {
    usize::from(workload.reads()) + usize::from(workload.writes())
}

pub struct SlotSession<S> {
    slots: S,
    /// What each slot does: for its completion.
    ops: Vec<(OpClass, u32)>,
    /// Where in a slot's buffer is read to; writes come from the start.
    read_to: usize,
    marks: Marks,
    pages: PageLook,
    finished: Vec<Finished>,
    /// Refused by the library at once; handed out by the next reap.
    refused: Vec<Done>,
}

impl<S: Slots> SlotSession<S> {
    /// `slots` has the [`room`] that the lane needs.
    pub fn new(mut slots: S, workload: &Workload, lane: u32, marks: Marks) -> SlotSession<S> {
        let (depth, _) = room(workload, lane);
        let block = workload.block as usize;
        if workload.writes() {
            let seed = workload.seed ^ (u64::from(lane) << 32);
            (0..depth).for_each(|slot| buffers::fill(&mut slots.buffer(slot)[..block], seed ^ (u64::from(slot) << 48)));
        }
        SlotSession {
            slots,
            ops: vec![(OpClass::Read, 0); depth as usize],
            read_to: block * (parts(workload) - 1),
            marks,
            pages: PageLook::default(),
            finished: Vec::with_capacity(depth as usize),
            refused: Vec::new(),
        }
    }

    #[inline]
    fn start(&mut self, op: &Op) -> Result<(), i32> {
        self.ops[op.slot as usize] = (op.kind, op.len);
        let len = op.len as usize;
        match op.kind == OpClass::Write {
            false => self.slots.read(op.slot, op.offset, self.read_to..self.read_to + len),
            true => {
                self.marks.mark(op, &mut self.slots.buffer(op.slot)[..len]);
                self.slots.write(op.slot, op.offset, 0..len)
            }
        }
    }

    #[inline]
    fn done(&self, finished: &Finished) -> Result<Done, EngineError> {
        let (kind, len) = self.ops[finished.slot as usize];
        let result = match (finished.result, kind) {
            (errno @ ..0, _) => Err(self.op_error(errno.saturating_neg() as i32)?),
            (0.., OpClass::Write) => Ok(len),
            (read, _) if read == i64::from(len) => Ok(len),
            // Shorter than asked for: it was never written.
            (0.., _) => Err(OpError::of(libc::ENODATA)),
        };
        Ok(Done { slot: finished.slot, at: finished.at, result, told: None, first_byte: None })
    }

    /// With one in flight the thread that asked does nothing but wait, and has its answer when it has woken up, as on a disk
    /// or in a network. With several it may be at another one, and the library's thread tells.
    #[inline]
    fn woken(&mut self) {
        if let ([_], [finished]) = (&self.ops[..], &mut self.finished[..]) {
            finished.at = RealClock.now();
        }
    }

    #[inline]
    fn verify(&mut self, slot: u32, result: Result<u32, OpError>) {
        if let Marks::Stamped(guard) = &mut self.marks {
            let read = self.read_to..self.read_to + result.unwrap_or(0) as usize;
            guard.ended(slot, result, &self.slots.buffer(slot)[read]);
        }
    }

    #[inline]
    fn look_at_page(&mut self, done: &Done) {
        if let ((OpClass::Read, _), Ok(len)) = (self.ops[done.slot as usize], done.result)
            && self.pages.due()
        {
            let read = self.read_to..self.read_to + len as usize;
            self.pages.look(&self.slots.buffer(done.slot)[read]);
        }
    }

    #[cold]
    fn op_error(&self, errno: i32) -> Result<OpError, EngineError> {
        match self.slots.hopeless(errno) {
            Some(why) => Err(EngineError::Broken(why)),
            None => Ok(OpError::of(errno)),
        }
    }
}

impl<S: Slots> Session for SlotSession<S> {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        for (taken, op) in ops.iter().enumerate() {
            if !self.marks.begin(op) {
                return Ok(taken);
            }
            if let Err(errno) = self.start(op) {
                let result = Err(self.op_error(errno)?);
                self.verify(op.slot, result);
                self.refused.push(Done { slot: op.slot, at: op.due, result, told: None, first_byte: None });
            }
        }
        Ok(ops.len())
    }

    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let timeout = if self.refused.is_empty() { timeout } else { Duration::ZERO };
        done.append(&mut self.refused);
        self.finished.clear();
        self.slots.wait(timeout, &mut self.finished);
        self.woken();
        for index in 0..self.finished.len() {
            let ended = self.done(&self.finished[index])?;
            self.verify(ended.slot, ended.result);
            self.look_at_page(&ended);
            done.push(ended);
        }
        Ok(())
    }

    fn empty_pages(&self) -> EmptyPages {
        self.pages.seen()
    }
}
