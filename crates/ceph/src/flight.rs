//! Operations in flight: a buffer and a completion for each slot, alive until the library lets go of them.

use crate::error::CephError;
use crate::librados::Handle;
use crate::queue::CompletionQueue;
use crate::slab::SlotBuffers;
use libc::c_void;
use std::ops::Range;
use std::time::{Duration, Instant};

/// How long an owner waits at its end for what is in flight before it leaves the rest to a thread of its own.
const SETTLE: Duration = Duration::from_secs(3);

/// An operation that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    pub slot: u32,
    /// Bytes read, 0 for a write, or a negative errno.
    pub result: i64,
    /// When the library called back: CLOCK_MONOTONIC, ns.
    pub at: u64,
}

/// Slots with their buffers and completions. Dropped only when nothing is in flight (see [`Flight::settle`]).
pub struct Flight {
    queue: Box<CompletionQueue>,
    slab: SlotBuffers,
    /// The completion of each slot; null: the slot is free.
    completions: Vec<Handle>,
    in_flight: u32,
    release: unsafe extern "C" fn(Handle),
}

// SAFETY: completions are handles that any thread may use; the rest is owned.
unsafe impl Send for Flight {}

impl Flight {
    pub fn new(slots: u32, bytes: usize, release: unsafe extern "C" fn(Handle)) -> Result<Flight, CephError> {
        let slab = SlotBuffers::new(slots, bytes)?;
        let completions = vec![std::ptr::null_mut(); slots as usize];
        Ok(Flight { queue: CompletionQueue::new(slots), slab, completions, in_flight: 0, release })
    }

    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    pub fn is_free(&self, slot: u32) -> bool {
        self.completions.get(slot as usize).is_some_and(|completion| completion.is_null())
    }

    /// The buffer of a free slot.
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(self.is_free(slot), "the buffer of slot {slot} belongs to an operation in flight");
        // SAFETY: the slot is free, so nobody else touches its buffer while `self` is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.slab.buffer(slot).as_ptr(), self.slab.bytes()) }
    }

    /// Starts an operation on the part `range` of the free slot's buffer: makes a completion with `create`, gives it to
    /// `submit` with the buffer's address, and keeps both until the operation is finished.
    pub fn start(
        &mut self,
        slot: u32,
        range: &Range<usize>,
        create: impl FnOnce(*mut c_void, &mut Handle) -> i32,
        submit: impl FnOnce(Handle, *mut u8) -> i32,
    ) -> Result<(), i32> {
        assert!(self.is_free(slot), "slot {slot} has an operation in flight");
        assert!(range.start <= range.end && range.end <= self.slab.bytes(), "{range:?} is beyond the slot's buffer");
        let node: *const crate::queue::Node = self.queue.node(slot);
        let mut completion: Handle = std::ptr::null_mut();
        let code = create(node.cast_mut().cast(), &mut completion);
        if code < 0 {
            return Err(-code);
        }
        // SAFETY: within the slot's buffer, checked above.
        let address = unsafe { self.slab.buffer(slot).add(range.start) };
        let code = submit(completion, address.as_ptr());
        if code < 0 {
            // SAFETY: the operation was not taken; the completion is ours and released once.
            unsafe { (self.release)(completion) };
            return Err(-code);
        }
        self.completions[slot as usize] = completion;
        self.in_flight += 1;
        Ok(())
    }

    /// Appends what has ended to `finished`; waits for the first one no longer than `timeout`.
    pub fn wait(&mut self, timeout: Duration, finished: &mut Vec<Finished>) {
        let Flight { queue, completions, in_flight, release, .. } = self;
        let timeout = if *in_flight == 0 { Duration::ZERO } else { timeout };
        queue.take(timeout, |slot, result, at| {
            let completion = std::mem::replace(&mut completions[slot as usize], std::ptr::null_mut());
            // SAFETY: the operation has ended; its completion is released once.
            unsafe { release(completion) };
            *in_flight -= 1;
            finished.push(Finished { slot, result, at });
        });
    }

    /// Frees a slot whose operation has ended without a callback.
    pub fn ended(&mut self, slot: u32) {
        let completion = std::mem::replace(&mut self.completions[slot as usize], std::ptr::null_mut());
        assert!(!completion.is_null(), "slot {slot} has nothing in flight");
        // SAFETY: the operation has ended; its completion is released once.
        unsafe { (self.release)(completion) };
        self.in_flight -= 1;
    }

    /// The completions in flight.
    pub fn pending(&self) -> impl Iterator<Item = Handle> {
        self.completions.iter().copied().filter(|completion| !completion.is_null())
    }

    /// The completion of the first slot, if it has an operation in flight.
    pub fn first(&self) -> Option<Handle> {
        self.completions.first().copied().filter(|completion| !completion.is_null())
    }

    fn drain(&mut self, until: Option<Instant>) {
        let mut finished = Vec::new();
        while self.in_flight > 0 {
            let timeout =
                until.map_or(Duration::from_secs(3600), |until| until.saturating_duration_since(Instant::now()));
            if timeout.is_zero() {
                return;
            }
            self.wait(timeout, &mut finished);
            finished.clear();
        }
    }

    /// Waits some seconds for what is in flight. What does not end by then (its OSD is gone) is left to a thread of its
    /// own, which keeps `holder` (the pool or image) and the buffers until the library lets go of them.
    pub fn settle(mut self, holder: impl Send + 'static) {
        self.drain(Some(Instant::now() + SETTLE));
        if self.in_flight == 0 {
            return;
        }
        let kept = std::mem::ManuallyDrop::new((self, holder));
        let bury = move || {
            let (mut flight, holder) = std::mem::ManuallyDrop::into_inner(kept);
            flight.drain(None);
            drop((flight, holder));
        };
        // Without a thread the memory is never freed, which is sound, too.
        drop(std::thread::Builder::new().name("ceph-settle".into()).spawn(bury));
    }
}
