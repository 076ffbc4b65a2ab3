//! Asynchronous reads and writes of objects: submit to a slot, wait for what has ended.

use crate::error::CephError;
use crate::flight::{Finished, Flight};
use crate::librados::{Handle, Librados};
use crate::pool::{IoContext, Pool};
use crate::queue::Node;
use libc::c_void;
use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// One thread's operations on a pool. Dropping it cancels what is in flight, within seconds.
pub struct PoolIo {
    context: Arc<IoContext>,
    /// `None` only while it is dropped.
    flight: Option<Flight>,
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
        Ok(PoolIo { context, flight: Some(flight) })
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
    pub fn write(&mut self, slot: u32, object: &CStr, offset: u64, from: Range<usize>) -> Result<(), i32> {
        let (fns, raw) = (self.context.fns, self.context.raw);
        let submit = |completion, data: *mut u8| {
            // SAFETY: name and data live through the call; the library copies both.
            unsafe { (fns.rados_aio_write)(raw, object.as_ptr(), completion, data.cast(), from.len(), offset) }
        };
        // SAFETY: the node is what the callback expects; the completion is filled on success.
        let create =
            |node, completion: &mut Handle| unsafe { (fns.rados_aio_create_completion2)(node, finished, completion) };
        self.flight().start(slot, &from, create, submit)
    }

    /// Reads from the object, at `offset`, into the part `into` of the slot's buffer.
    ///
    /// # Errors
    /// The errno with which the library refuses it.
    ///
    /// # Panics
    /// As [`PoolIo::write`].
    pub fn read(&mut self, slot: u32, object: &CStr, offset: u64, into: Range<usize>) -> Result<(), i32> {
        let (fns, raw) = (self.context.fns, self.context.raw);
        let submit = |completion, data: *mut u8| {
            // SAFETY: the buffer stays untouched and alive until the operation is finished: the slot is not free.
            unsafe { (fns.rados_aio_read)(raw, object.as_ptr(), completion, data.cast(), into.len(), offset) }
        };
        // SAFETY: as in `write`.
        let create =
            |node, completion: &mut Handle| unsafe { (fns.rados_aio_create_completion2)(node, finished, completion) };
        self.flight().start(slot, &into, create, submit)
    }

    /// Appends what has ended to `finished`; waits for the first one no longer than `patience`. Returns at once if
    /// nothing is in flight.
    pub fn wait(&mut self, patience: Duration, finished: &mut Vec<Finished>) {
        self.flight().wait(patience, finished);
    }
}

impl Drop for PoolIo {
    fn drop(&mut self) {
        let Some(flight) = self.flight.take() else { return };
        for completion in flight.pending() {
            // SAFETY: the completion is not released; cancelling what has ended does nothing.
            unsafe { (self.context.fns.rados_aio_cancel)(self.context.raw, completion) };
        }
        flight.settle(self.context.clone());
    }
}
