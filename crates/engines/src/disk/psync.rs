//! One system call after the other: pread, pwrite, and what makes a write durable.

use super::Placing;
use super::site::DiskSite;
use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers::Slab;
use crate::pages::PageLook;
use crate::verify::Marks;
use model::{Durability, EmptyPages, Workload};
use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

const READ: u32 = 0;
const WRITE: u32 = 1;

pub struct PsyncSession {
    file: File,
    /// Where the lane's part of the span begins.
    base: u64,
    placing: Placing,
    /// One operation at a time needs one buffer for each direction, which then stays in the CPU's cache.
    slab: Slab,
    /// Taken and not yet begun. Longer than one only for files in memory.
    queue: VecDeque<Op>,
    after_write: AfterWrite,
    marks: Marks,
    /// `None`: a disk that reads its medium whatever is there.
    pages: Option<PageLook>,
}

/// What follows a write before it counts as done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterWrite {
    Nothing,
    Fsync,
    Fdatasync,
}

impl PsyncSession {
    pub fn open(
        site: &DiskSite,
        workload: &Workload,
        lane: u32,
        marks: Marks,
        placing: Placing,
    ) -> Result<PsyncSession, EngineError> {
        let block = usize::try_from(workload.block).unwrap_or(usize::MAX);
        let after_write = match workload.durability {
            Durability::Fsync => AfterWrite::Fsync,
            // One in flight: there is nothing to gather.
            Durability::Fdatasync | Durability::GroupCommit => AfterWrite::Fdatasync,
            Durability::None | Durability::Sync | Durability::Dsync => AfterWrite::Nothing,
        };
        Ok(PsyncSession {
            file: site.open(workload)?,
            base: u64::from(lane) * workload.lane_span(),
            placing,
            slab: Slab::new(2, block, workload.seed ^ u64::from(lane) << 32)?,
            queue: VecDeque::with_capacity(workload.lane_depth(lane) as usize),
            after_write,
            marks,
            pages: site.page_look(),
        })
    }

    #[inline]
    fn execute(&mut self, op: &Op) -> Result<u32, OpError> {
        let (fd, len) = (self.file.as_raw_fd(), op.len as usize);
        let offset =
            libc::off_t::try_from(self.placing.at(self.base + op.offset)).map_err(|_| OpError::of(libc::EINVAL))?;
        if op.kind.changes() {
            let buffer = self.slab.buffer(WRITE, len);
            self.marks.mark(op, buffer);
            // SAFETY: the buffer has `len` bytes.
            let written = counted(unsafe { libc::pwrite(fd, buffer.as_ptr().cast(), len, offset) })?;
            return self.after_write.make_durable(fd).map(|()| written);
        }
        let buffer = self.slab.buffer(READ, len);
        // SAFETY: the buffer has `len` bytes and is ours alone.
        let read = counted(unsafe { libc::pread(fd, buffer.as_mut_ptr().cast(), len, offset) })?;
        if let Some(pages) = &mut self.pages
            && pages.due()
        {
            pages.look(&buffer[..read as usize]);
        }
        Ok(read)
    }
}

impl AfterWrite {
    #[inline]
    fn make_durable(self, fd: RawFd) -> Result<(), OpError> {
        let synced = match self {
            AfterWrite::Nothing => return Ok(()),
            // SAFETY: no memory is involved.
            AfterWrite::Fsync => unsafe { libc::fsync(fd) },
            // SAFETY: as above.
            AfterWrite::Fdatasync => unsafe { libc::fdatasync(fd) },
        };
        counted(synced as isize).map(|_| ())
    }
}

#[inline]
fn counted(result: isize) -> Result<u32, OpError> {
    if result >= 0 {
        return Ok(result as u32);
    }
    Err(OpError::of(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)))
}

impl Session for PsyncSession {
    #[inline]
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        let before = self.queue.len();
        self.queue.extend(ops.iter().take_while(|op| self.marks.begin(op)));
        Ok(self.queue.len() - before)
    }

    #[inline]
    fn reap(&mut self, _timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if let Some(op) = self.queue.pop_front() {
            let result = self.execute(&op);
            if let Marks::Stamped(guard) = &mut self.marks {
                guard.ended(op.slot, result, self.slab.buffer(READ, op.len as usize));
            }
            done.push(Done::now(op.slot, result));
        }
        Ok(())
    }

    fn empty_pages(&self) -> EmptyPages {
        self.pages.as_ref().map(PageLook::seen).unwrap_or_default()
    }
}
