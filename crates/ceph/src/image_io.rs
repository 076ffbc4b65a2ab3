//! Asynchronous reads and writes of an image: submit to a slot, wait for what has ended.

use crate::error::CephError;
use crate::flight::{Finished, Flight};
use crate::image::{Image, ImageHandle};
use crate::librados::Handle;
use crate::librbd::Librbd;
use crate::queue::Node;
use libc::c_void;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// One thread's operations on an image. Dropping it waits some seconds for what is in flight: librbd cannot cancel.
pub struct ImageIo {
    image: Arc<ImageHandle>,
    /// `None` only while it is dropped.
    flight: Option<Flight>,
}

/// Called by a thread of librbd.
unsafe extern "C" fn finished(completion: Handle, node: *mut c_void) {
    let Ok(fns) = Librbd::get() else { unreachable!("librbd calls back, so it was loaded") };
    // SAFETY: the completion is valid during its callback.
    let result = unsafe { (fns.rbd_aio_get_return_value)(completion) };
    // SAFETY: the argument is the slot's node, and its queue lives until this operation is finished.
    unsafe { (*node.cast::<Node>()).finish(result as i64) }
}

impl ImageIo {
    pub(crate) fn new(image: &Image, slots: u32, bytes: usize) -> Result<ImageIo, CephError> {
        let image = image.handle().clone();
        let flight = Flight::new(slots, bytes, image.fns.rbd_aio_release)?;
        Ok(ImageIo { image, flight: Some(flight) })
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

    /// Writes the part `from` of the slot's buffer to the image, at `offset`.
    ///
    /// # Errors
    /// The errno with which the library refuses it.
    ///
    /// # Panics
    /// The slot has an operation in flight, or `from` is beyond its buffer.
    pub fn write(&mut self, slot: u32, offset: u64, from: Range<usize>) -> Result<(), i32> {
        let (fns, raw) = (self.image.fns, self.image.raw);
        let submit = |completion, data: *mut u8| {
            // SAFETY: the buffer stays untouched and alive until the operation is finished: the slot is not free.
            unsafe { (fns.rbd_aio_write)(raw, offset, from.len(), data.cast(), completion) }
        };
        // SAFETY: the node is what the callback expects; the completion is filled on success.
        let create = |node, completion: &mut Handle| unsafe {
            (fns.rbd_aio_create_completion)(node, Some(finished), completion)
        };
        self.flight().start(slot, &from, create, submit)
    }

    /// Reads from the image, at `offset`, into the part `into` of the slot's buffer.
    ///
    /// # Errors
    /// The errno with which the library refuses it.
    ///
    /// # Panics
    /// As [`ImageIo::write`].
    pub fn read(&mut self, slot: u32, offset: u64, into: Range<usize>) -> Result<(), i32> {
        let (fns, raw) = (self.image.fns, self.image.raw);
        let submit = |completion, data: *mut u8| {
            // SAFETY: as in `write`.
            unsafe { (fns.rbd_aio_read)(raw, offset, into.len(), data.cast(), completion) }
        };
        // SAFETY: as in `write`.
        let create = |node, completion: &mut Handle| unsafe {
            (fns.rbd_aio_create_completion)(node, Some(finished), completion)
        };
        self.flight().start(slot, &into, create, submit)
    }

    /// Flushes what librbd's cache has taken so far; the slot's buffer is not used.
    ///
    /// # Errors
    /// The errno with which the library refuses it.
    ///
    /// # Panics
    /// The slot has an operation in flight.
    pub fn flush(&mut self, slot: u32) -> Result<(), i32> {
        let (fns, raw) = (self.image.fns, self.image.raw);
        let submit = |completion, _| {
            // SAFETY: the image is open, and the completion lives until the operation is finished.
            unsafe { (fns.rbd_aio_flush)(raw, completion) }
        };
        // SAFETY: as in `write`.
        let create = |node, completion: &mut Handle| unsafe {
            (fns.rbd_aio_create_completion)(node, Some(finished), completion)
        };
        self.flight().start(slot, &(0..0), create, submit)
    }

    /// Appends what has ended to `finished`; waits for the first one no longer than `timeout`. Returns at once if
    /// nothing is in flight.
    pub fn wait(&mut self, timeout: Duration, finished: &mut Vec<Finished>) {
        self.flight().wait(timeout, finished);
    }
}

impl Drop for ImageIo {
    fn drop(&mut self) {
        if let Some(flight) = self.flight.take() {
            flight.settle(self.image.clone());
        }
    }
}
