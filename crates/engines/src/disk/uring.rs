//! Many operations in flight through io_uring, with registered file and buffers.

use super::site::DiskSite;
use super::{Placing, processor, ring};
use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers::Slab;
use crate::pages::PageLook;
use crate::verify::Marks;
use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, opcode};
use model::{Durability, EmptyPages, OpClass, Workload};
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// At most this many operations are in flight in one lane.
pub const DEEPEST: u32 = 4096;

/// A wait ends at least this often, so that windows are cut and a stop is heard. One timer that is set anew when it went
/// off costs nothing; a time-out of each single wait costs a timer of its own.
const HEARTBEAT: Timespec = Timespec::new().nsec(20_000_000);
/// How long a session waits at its end for what is in flight.
const SETTLE: Duration = Duration::from_secs(3);

/// Marks in `user_data`, above the slot's number.
const HEART: u64 = 1 << 32;
const SYNC: u64 = 1 << 33;
const COMMIT: u64 = 1 << 34;

const FILE: Fixed = Fixed(0);

pub struct UringSession {
    /// Dropped by hand: what the kernel may still write to must not be freed.
    held: ManuallyDrop<Held>,
    /// Where the lane's part of the span begins.
    base: u64,
    placing: Placing,
    /// Rings are registered in the thread that uses them, and this one does not run yet.
    asleep: bool,
    beats: bool,
    registered: bool,
    /// Writes have buffers of their own where both happen: what was read may be compressible.
    write_buffers: u32,
    after_write: Option<FsyncFlags>,
    /// Writes that have ended wait for the next commit, and those of the commit that goes on for its end.
    commits: Option<Commits>,
    marks: Marks,
    /// `None`: a disk that reads its medium whatever is there.
    pages: Option<PageLook>,
    slots: Vec<Slot>,
    in_flight: u32,
    /// One operation in flight.
    single: bool,
    /// … of a loop device, whose threads wake up best beside it. A disk's interrupts come to a processor of their own.
    stays: bool,
    /// An open loop: a wait ends when the next operation is due.
    timed: bool,
}

struct Held {
    ring: IoUring,
    slab: Slab,
    /// Open as long as the ring.
    _file: File,
}

/// Slots whose writes have ended and are not durable yet.
#[derive(Default)]
struct Commits {
    waiting: Vec<u32>,
    committing: Vec<u32>,
}

/// What a slot waits for, and what came of it so far.
#[derive(Clone, Copy)]
struct Slot {
    pending: u8,
    writes: bool,
    result: Result<u32, OpError>,
}

impl UringSession {
    pub fn open(
        site: &DiskSite,
        workload: &Workload,
        lane: u32,
        marks: Marks,
        placing: Placing,
    ) -> Result<UringSession, EngineError> {
        let path = site.path.display();
        let depth = workload.lane_depth(lane).clamp(1, DEEPEST);
        let block = usize::try_from(workload.block).unwrap_or(usize::MAX);
        let write_buffers = if workload.reads() && workload.writes() { depth } else { 0 };
        let file = site.open(workload)?;
        let slab = Slab::new(depth + write_buffers, block, workload.seed ^ u64::from(lane) << 32)?;
        // A durable write takes two entries; one is for the heartbeat.
        let ring = ring::build((2 * depth + 1).next_power_of_two());
        let ring = ring.map_err(|error| EngineError::Broken(format!("{path}: no io_uring: {error}")))?;
        ring.submitter()
            .register_files(&[file.as_raw_fd()])
            .map_err(|error| EngineError::Broken(format!("{path}: io_uring does not take the file: {error}")))?;
        // SAFETY: the slab lives as long as the ring, and longer where operations do not end.
        let registered = unsafe { ring.submitter().register_buffers(&[slab.vector()]) };
        let after_write = match workload.durability {
            Durability::Fsync => Some(FsyncFlags::empty()),
            Durability::Fdatasync => Some(FsyncFlags::DATASYNC),
            Durability::None | Durability::Sync | Durability::Dsync | Durability::GroupCommit => None,
        };
        let commits = (workload.durability == Durability::GroupCommit).then(Commits::default);
        Ok(UringSession {
            held: ManuallyDrop::new(Held { ring, slab, _file: file }),
            base: u64::from(lane) * workload.lane_span(),
            placing,
            asleep: true,
            beats: false,
            // Not without privilege beyond RLIMIT_MEMLOCK, and not for more than 1 GiB: then each operation maps its own.
            registered: registered.is_ok(),
            write_buffers,
            after_write,
            commits,
            marks,
            pages: site.page_look(),
            slots: vec![Slot { pending: 0, writes: false, result: Ok(0) }; depth as usize],
            in_flight: 0,
            single: depth == 1 && workload.rate.is_none(),
            stays: depth == 1 && workload.rate.is_none() && site.looped,
            timed: workload.rate.is_some(),
        })
    }

    fn wake(&mut self) -> Result<(), EngineError> {
        self.asleep = false;
        if self.stays {
            processor::stay();
        }
        self.held.ring.submitter().register_enable_rings().map_err(|error| broken("start", &error))
    }

    #[inline]
    fn entry(&mut self, op: &Op) -> Entry {
        let offset = self.placing.at(self.base + op.offset);
        let user_data = u64::from(op.slot);
        let entry = match op.kind == OpClass::Write {
            false => {
                let address = self.held.slab.address(op.slot);
                if self.registered {
                    opcode::ReadFixed::new(FILE, address, op.len, 0).offset(offset).build()
                } else {
                    opcode::Read::new(FILE, address, op.len).offset(offset).build()
                }
            }
            true => {
                let buffer = self.held.slab.buffer(self.write_buffers + op.slot, op.len as usize);
                self.marks.mark(op, buffer);
                let address = buffer.as_ptr();
                if self.registered {
                    opcode::WriteFixed::new(FILE, address, op.len, 0).offset(offset).build()
                } else {
                    opcode::Write::new(FILE, address, op.len).offset(offset).build()
                }
            }
        };
        entry.user_data(user_data)
    }

    #[inline]
    fn queue(&mut self, op: &Op) -> Result<(), EngineError> {
        let sync = self.after_write.filter(|_| op.kind == OpClass::Write);
        let entry = self.entry(op);
        let writes = op.kind == OpClass::Write;
        self.slots[op.slot as usize] = Slot { pending: 1 + u8::from(sync.is_some()), writes, result: Ok(0) };
        self.in_flight += 1;
        let Some(flags) = sync else { return self.push(&entry) };
        self.push(&entry.flags(Flags::IO_LINK))?;
        let sync = opcode::Fsync::new(FILE).flags(flags).build();
        self.push(&sync.user_data(u64::from(op.slot) | SYNC))
    }

    #[inline]
    fn push(&mut self, entry: &Entry) -> Result<(), EngineError> {
        // SAFETY: buffers and file live until the ring is gone, and longer where operations do not end.
        let pushed = unsafe { self.held.ring.submission().push(entry) };
        pushed.map_err(|_| EngineError::Broken("more operations than the ring has room for".into()))
    }

    /// Hands over what is queued and waits until something ended, the heart beats or, if `wait` is false, not at all.
    #[inline]
    fn enter(&mut self, wait: bool) -> Result<(), EngineError> {
        if self.asleep {
            self.wake()?;
        }
        if wait && !self.beats {
            self.beats = true;
            static BEAT: Timespec = HEARTBEAT;
            self.push(&opcode::Timeout::new(&BEAT).build().user_data(HEART))?;
        }
        // Of a single operation the device's work begins while this thread is still on its way to sleep.
        if wait && self.single {
            self.call(false)?;
        }
        self.call(wait)
    }

    /// As [`UringSession::enter`], but no longer than `timeout`. Kernels before 5.11 wait for the heart.
    fn enter_for(&mut self, timeout: Duration) -> Result<(), EngineError> {
        if !self.held.ring.params().is_feature_ext_arg() {
            return self.enter(true);
        }
        if self.asleep {
            self.wake()?;
        }
        let time = Timespec::from(timeout);
        let waited = self.held.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&time));
        entered(waited)
    }

    #[inline]
    fn call(&mut self, wait: bool) -> Result<(), EngineError> {
        const GETEVENTS: u32 = 1;
        let queued = self.held.ring.submission().len() as u32;
        // SAFETY: no argument is passed.
        entered(unsafe { self.held.ring.submitter().enter::<libc::sigset_t>(queued, u32::from(wait), GETEVENTS, None) })
    }

    #[inline]
    fn collect(&mut self, done: &mut Vec<Done>) {
        for completion in self.held.ring.completion() {
            let user_data = completion.user_data();
            if user_data & HEART != 0 {
                self.beats = false;
                continue;
            }
            if let Some(commits) = self.commits.as_mut().filter(|_| user_data & COMMIT != 0) {
                for number in commits.committing.drain(..) {
                    let slot = &mut self.slots[number as usize];
                    slot.note(completion.result(), true);
                    self.in_flight -= 1;
                    done.push(Done::now(number, slot.result));
                }
                continue;
            }
            let number = user_data as u32;
            let slot = &mut self.slots[number as usize];
            slot.pending -= 1;
            slot.note(completion.result(), user_data & SYNC != 0);
            match &mut self.commits {
                Some(commits) if slot.writes && slot.result.is_ok() => commits.waiting.push(number),
                _ if slot.pending == 0 => {
                    self.in_flight -= 1;
                    done.push(Done::now(number, slot.result));
                }
                _ => {}
            }
        }
    }

    #[inline]
    fn look_at_pages(&mut self, done: &[Done]) {
        let Some(pages) = &mut self.pages else { return };
        for done in done {
            if let (false, Ok(len)) = (self.slots[done.slot as usize].writes, done.result)
                && pages.due()
            {
                pages.look(self.held.slab.buffer(done.slot, len as usize));
            }
        }
    }

    /// Begins the next commit if none goes on and something waits for it; it is handed over with the next operations.
    #[inline]
    fn commit(&mut self) -> Result<(), EngineError> {
        let Some(commits) = &mut self.commits else { return Ok(()) };
        if commits.waiting.is_empty() || !commits.committing.is_empty() {
            return Ok(());
        }
        std::mem::swap(&mut commits.waiting, &mut commits.committing);
        let flush = opcode::Fsync::new(FILE).flags(FsyncFlags::DATASYNC).build();
        self.push(&flush.user_data(COMMIT))
    }
}

impl Slot {
    /// A write that failed is the reason; that its sync was cancelled then is not.
    #[inline]
    fn note(&mut self, result: i32, sync: bool) {
        match (result, sync) {
            (0.., false) => self.result = Ok(result as u32),
            (0.., true) => {}
            (..0, true) if result == -libc::ECANCELED => {}
            (..0, _) => self.result = Err(OpError::of(-result)),
        }
    }
}

#[inline]
fn entered(result: std::io::Result<usize>) -> Result<(), EngineError> {
    match result {
        Ok(_) => Ok(()),
        // The time is over, a signal, or too many completions at once: the next turn goes on.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY)) => {
            Ok(())
        }
        Err(error) => Err(broken("enter", &error)),
    }
}

fn broken(what: &str, error: &std::io::Error) -> EngineError {
    EngineError::Broken(format!("io_uring does not {what}: {error}"))
}

impl Session for UringSession {
    #[inline]
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        // Queued only: one system call hands them over and waits.
        for (taken, op) in ops.iter().enumerate() {
            if !self.marks.begin(op) {
                return Ok(taken);
            }
            self.queue(op)?;
        }
        Ok(ops.len())
    }

    #[inline]
    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let wait = !timeout.is_zero() && self.in_flight > 0;
        if self.timed && wait {
            self.enter_for(timeout)?
        } else {
            self.enter(wait)?
        }
        let before = done.len();
        self.collect(done);
        self.commit()?;
        self.look_at_pages(&done[before..]);
        if let Marks::Stamped(guard) = &mut self.marks {
            for done in &done[before..] {
                let len = done.result.unwrap_or(0) as usize;
                guard.ended(done.slot, done.result, self.held.slab.buffer(done.slot, len));
            }
        }
        Ok(())
    }

    fn empty_pages(&self) -> EmptyPages {
        self.pages.as_ref().map(PageLook::seen).unwrap_or_default()
    }
}

impl Drop for UringSession {
    fn drop(&mut self) {
        let (deadline, mut done) = (Instant::now() + SETTLE, Vec::new());
        while self.in_flight > 0 && Instant::now() < deadline && self.enter(true).is_ok() {
            self.collect(&mut done);
            let _ = self.commit();
        }
        if self.in_flight == 0 {
            // SAFETY: dropped once; nothing of it is used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.held) };
        }
        // Else the disk is gone and the kernel may yet write to the buffers: they stay for ever, which is sound.
    }
}
