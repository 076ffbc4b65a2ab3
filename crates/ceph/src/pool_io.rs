//! Asynchronous reads and writes of objects: submit to a slot, wait for what has ended.

use crate::alone::Alone;
use crate::error::CephError;
use crate::flight::{Finished, Flight};
use crate::librados::{Handle, Librados};
use crate::pool::{IoContext, Pool};
use crate::queue::{Node, now};
use libc::c_void;
use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// How often, and how far apart, it is checked whether a cancelled operation has ended.
const CANCEL_LOOKS: u32 = 300;
const CANCEL_LOOK: Duration = Duration::from_millis(10);

/// One thread's operations on a pool. Dropping it cancels what is in flight, within seconds.
pub struct PoolIo {
    context: Arc<IoContext>,
    /// `None` only while it is dropped.
    flight: Option<Flight>,
    /// With one slot: operations have no callback.
    alone: Option<Alone>,
}

/// Called by a thread of librados.
unsafe extern "C" fn finished(completion: Handle, node: *mut c_void) {
    let Ok(fns) = Librados::get() else { unreachable!("librados calls back, so it was loaded") };
    // SAFETY: the completion is valid during its callback.
    let result = unsafe { (fns.rados_aio_get_return_value)(completion) };
    // SAFETY: the argument is the slot's node, and its queue lives until this operation is finished.
    unsafe { (*node.cast::<Node>()).finish(i64::from(result)) }
}

impl PoolIo {
    pub(crate) fn new(pool: &Pool, slots: u32, bytes: usize) -> Result<PoolIo, CephError> {
        let context = pool.context().clone();
        let flight = Flight::new(slots, bytes, context.fns.rados_aio_release)?;
        let alone = if slots == 1 { Alone::new(&context) } else { None };
        Ok(PoolIo { context, flight: Some(flight), alone })
    }

    fn flight(&mut self) -> &mut Flight {
        match &mut self.flight {
            Some(flight) => flight,
            None => unreachable!("taken only by drop"),
        }
    }

    pub fn in_flight(&self) -> u32 {
        self.flight.as_ref().map_or(0, Flight::in_flight)
    }

    /// The buffer of a slot that has nothing in flight.
    ///
    /// # Panics
    /// It has.
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.flight().buffer(slot)
    }

    /// Writes the part `from` of the slot's buffer to the object, at `offset`.
    ///
    /// # Errors
    /// The errno with which the library refuses it.
    ///
    /// # Panics
    /// The slot has an operation in flight, or `from` is beyond its buffer.
    #[inline]
    pub fn write(&mut self, slot: u32, object: &CStr, offset: u64, from: Range<usize>) -> Result<(), i32> {
        self.start(true, slot, object, offset, from)
    }

    /// Reads from the object, at `offset`, into the part `into` of the slot's buffer.
    ///
    /// # Errors
    /// The errno with which the library refuses it.
    ///
    /// # Panics
    /// As [`PoolIo::write`].
    #[inline]
    pub fn read(&mut self, slot: u32, object: &CStr, offset: u64, into: Range<usize>) -> Result<(), i32> {
        self.start(false, slot, object, offset, into)
    }

    fn start(&mut self, write: bool, slot: u32, object: &CStr, offset: u64, range: Range<usize>) -> Result<(), i32> {
        let (fns, raw, len, name) = (self.context.fns, self.context.raw, range.len(), object.as_ptr());
        let callback = self.alone.is_none().then_some(finished as _);
        // SAFETY: the node is what the callback expects; the completion is filled on success.
        let create =
            |node, completion: &mut Handle| unsafe { (fns.rados_aio_create_completion2)(node, callback, completion) };
        let submit = |completion, data: *mut u8| match write {
            // SAFETY: name and data live through the call; the library copies both.
            true => unsafe { (fns.rados_aio_write)(raw, name, completion, data.cast(), len, offset) },
            // SAFETY: the buffer stays untouched and alive until the operation has ended: the slot is not free.
            false => unsafe { (fns.rados_aio_read)(raw, name, completion, data.cast(), len, offset) },
        };
        self.flight().start(slot, &range, create, submit)
    }

    /// Appends what has ended to `finished`; waits for the first one no longer than `timeout`; with one slot, for its
    /// operation, until that ends, or was cancelled after 13 s. Returns at once if nothing is in flight.
    pub fn wait(&mut self, timeout: Duration, finished: &mut Vec<Finished>) {
        match (&self.alone, self.flight.as_ref().and_then(Flight::first)) {
            (None, _) => self.flight().wait(timeout, finished),
            (Some(_), None) => {}
            (Some(alone), Some(completion)) => {
                let fns = self.context.fns;
                // SAFETY: the completion is not released.
                if timeout.is_zero() && unsafe { (fns.rados_aio_is_complete)(completion) } == 0 {
                    return;
                }
                alone.wait(completion);
                // SAFETY: as above.
                let result = unsafe { (fns.rados_aio_get_return_value)(completion) };
                self.flight().ended(0);
                finished.push(Finished { slot: 0, result: result.into(), at: now() });
            }
        }
    }

    /// What was cancelled ends at once, or is just ending. `false`: it does not.
    fn end_alone(&self, flight: &mut Flight) -> bool {
        let Some(completion) = flight.first() else { return true };
        for _ in 0..CANCEL_LOOKS {
            // SAFETY: the completion is not released.
            if unsafe { (self.context.fns.rados_aio_is_complete)(completion) } != 0 {
                flight.ended(0);
                return true;
            }
            std::thread::sleep(CANCEL_LOOK);
        }
        false
    }
}

impl Drop for PoolIo {
    fn drop(&mut self) {
        let Some(mut flight) = self.flight.take() else { return };
        for completion in flight.pending() {
            // SAFETY: the completion is not released; cancelling what has ended does nothing.
            unsafe { (self.context.fns.rados_aio_cancel)(self.context.raw, completion) };
        }
        if self.alone.is_some() && !self.end_alone(&mut flight) {
            // The library keeps using it: its memory and the pool are never freed.
            std::mem::forget((flight, self.context.clone()));
            return;
        }
        flight.settle(self.context.clone());
    }
}
