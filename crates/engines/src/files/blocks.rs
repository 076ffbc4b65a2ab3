//! One lane on blocks of a file of its own, by a library: one operation at a time.

use super::fill::Progress;
use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers::{Slab, stamp};
use crate::clock::RealClock;
use model::working_set::family;
use model::workload::MIB;
use model::{Bytes, Clock, Durability, OpClass, Workload};
use std::collections::VecDeque;
use std::time::Duration;

const READ: u32 = 0;
const WRITE: u32 = 1;
/// Size of the pieces in which files are filled.
const PIECE: Bytes = 4 * MIB;

/// An open file of a lane's own.
pub trait BlockFile: Send {
    /// Bytes, when it was opened.
    fn size(&mut self) -> Result<Bytes, OpError>;
    /// How many bytes were read.
    fn read_at(&mut self, into: &mut [u8], offset: u64) -> Result<usize, OpError>;
    /// How many bytes were written, as durably as this says.
    fn write_at(&mut self, from: &[u8], offset: u64, durability: Durability) -> Result<usize, OpError>;
    /// The connection over which it goes is gone: nothing can be asked any more.
    fn is_lost(&self) -> bool {
        false
    }
}

pub struct BlocksSession {
    file: Box<dyn BlockFile>,
    durability: Durability,
    slab: Slab,
    queue: VecDeque<Op>,
    /// The number of the last write.
    writes: u64,
}

/// The file of a lane. Other numbers of lanes have other files, and so have large blocks that follow each other.
pub fn name(workload: &Workload, lane: u32) -> String {
    format!("{}{}jobs.{lane}{}", family(workload), workload.jobs, model::Tree::OWN_ENDING)
}

impl BlocksSession {
    /// # Errors
    /// There is no memory for its blocks.
    pub fn open(file: Box<dyn BlockFile>, workload: &Workload, lane: u32) -> Result<BlocksSession, EngineError> {
        let block = usize::try_from(workload.block).unwrap_or(usize::MAX);
        let slab = Slab::new(2, block, workload.seed ^ u64::from(lane) << 32)?;
        let durability = workload.durability;
        let writes = RealClock.now() ^ workload.seed.rotate_left(32);
        Ok(BlocksSession { file, durability, slab, queue: VecDeque::new(), writes })
    }

    fn execute(&mut self, op: &Op) -> Result<u32, OpError> {
        let (file, len) = (&mut self.file, op.len as usize);
        if op.kind == OpClass::Read {
            return file.read_at(self.slab.buffer(READ, len), op.offset).map(|done| done as u32);
        }
        self.writes = self.writes.wrapping_add(1);
        let block = self.slab.buffer(WRITE, len);
        stamp(block, self.writes);
        file.write_at(block, op.offset, self.durability).map(|done| done as u32)
    }
}

impl Session for BlocksSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        self.queue.extend(ops);
        Ok(ops.len())
    }

    fn reap(&mut self, _timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if let Some(op) = self.queue.pop_front() {
            let result = self.execute(&op);
            refuse_lost(self.file.is_lost(), &result)?;
            done.push(Done::now(op.slot, result));
        }
        Ok(())
    }
}

/// All operations that follow would fail at once, as fast as a processor can count.
pub fn refuse_lost<T>(lost: bool, result: &Result<T, OpError>) -> Result<(), EngineError> {
    match result {
        Err(error) if lost => Err(EngineError::Broken(format!("the connection to its server was lost: {error}"))),
        _ => Ok(()),
    }
}

/// Writes one lane's file full, from where it ends on.
pub fn fill(
    mut file: Box<dyn BlockFile>,
    (workload, lane): (&Workload, u32),
    progress: &Progress,
) -> Result<(), EngineError> {
    let broken = |error: OpError| EngineError::Broken(format!("{}: {error}", name(workload, lane)));
    let mut at = file.size().map_err(broken)?.min(workload.lane_span());
    let mut go_on = progress.made(at);
    let mut slab = Slab::new(1, PIECE as usize, workload.seed ^ u64::from(lane) << 32)?;
    while at < workload.lane_span() && go_on {
        let bytes = PIECE.min(workload.lane_span() - at);
        let piece = slab.buffer(0, bytes as usize);
        stamp(piece, workload.seed.wrapping_add((u64::from(lane) << 40) | (at / PIECE)));
        // The last one makes all of it durable.
        let last = at + bytes >= workload.lane_span();
        let durability = if last { Durability::Fsync } else { Durability::None };
        let done = file.write_at(piece, at, durability).map_err(broken)? as u64;
        at += done;
        go_on = progress.made(done);
    }
    Ok(())
}
