//! One lane on blocks of a file of its own, by libcephfs: one operation at a time.

use super::cephfs::failed;
use super::fill::Progress;
use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers::{Slab, stamp};
use crate::clock::RealClock;
use model::working_set::family;
use model::workload::MIB;
use model::{Bytes, Clock, Durability, OpClass, Workload};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

const READ: u32 = 0;
const WRITE: u32 = 1;
/// Size of the pieces in which files are filled.
const PIECE: Bytes = 4 * MIB;

pub struct BlocksSession {
    file: ceph::File,
    durability: Durability,
    slab: Slab,
    queue: VecDeque<Op>,
    /// The number of the last write.
    writes: u64,
}

/// The file of a lane. Other numbers of lanes have other files, and so have large blocks that follow each other.
fn path(folder: &str, workload: &Workload, lane: u32) -> String {
    format!("{folder}/{}{}jobs.{lane}{}", family(workload), workload.jobs, model::Tree::OWN_ENDING)
}

impl BlocksSession {
    /// # Errors
    /// Its file can't be opened, or there is no memory for its blocks.
    pub fn open(
        mounted: &Arc<ceph::FileSystem>,
        folder: &str,
        workload: &Workload,
        lane: u32,
    ) -> Result<BlocksSession, EngineError> {
        let block = usize::try_from(workload.block).unwrap_or(usize::MAX);
        let slab = Slab::new(2, block, workload.seed ^ u64::from(lane) << 32)?;
        let file =
            mounted.open(&path(folder, workload, lane)).map_err(|error| EngineError::Broken(error.to_string()))?;
        let durability = workload.durability;
        let writes = RealClock.now() ^ workload.seed.rotate_left(32);
        Ok(BlocksSession { file, durability, slab, queue: VecDeque::new(), writes })
    }

    fn execute(&mut self, op: &Op) -> Result<u32, OpError> {
        let (file, len) = (&self.file, op.len as usize);
        if op.kind == OpClass::Read {
            return file.read_at(self.slab.buffer(READ, len), op.offset).map(|done| done as u32).map_err(failed);
        }
        self.writes = self.writes.wrapping_add(1);
        let block = self.slab.buffer(WRITE, len);
        stamp(block, self.writes);
        let done = file.write_at(block, op.offset).map_err(failed)?;
        match self.durability {
            Durability::None | Durability::GroupCommit => {}
            Durability::Fsync | Durability::Sync => file.sync(false).map_err(failed)?,
            Durability::Fdatasync | Durability::Dsync => file.sync(true).map_err(failed)?,
        }
        Ok(done as u32)
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
            done.push(Done::now(op.slot, result));
        }
        Ok(())
    }
}

/// Writes one lane's file full, from where it ends on.
pub fn fill(
    mounted: &Arc<ceph::FileSystem>,
    folder: &str,
    (workload, lane): (&Workload, u32),
    progress: &Progress,
) -> Result<(), EngineError> {
    let path = path(folder, workload, lane);
    let broken = |error: ceph::CephError| EngineError::Broken(error.to_string());
    let file = mounted.open(&path).map_err(broken)?;
    let mut at = mounted.size(&path).map_err(broken)?.min(workload.lane_span());
    let mut go_on = progress.made(at);
    let mut slab = Slab::new(1, PIECE as usize, workload.seed ^ u64::from(lane) << 32)?;
    while at < workload.lane_span() && go_on {
        let bytes = PIECE.min(workload.lane_span() - at);
        let piece = slab.buffer(0, bytes as usize);
        stamp(piece, workload.seed.wrapping_add((u64::from(lane) << 40) | (at / PIECE)));
        let done = file.write_at(piece, at).map_err(broken)? as u64;
        at += done;
        go_on = progress.made(done);
    }
    file.sync(false).map_err(broken)
}
