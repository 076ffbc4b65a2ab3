//! Page-aligned memory that a library's threads may write to while nobody here looks at it.

use crate::error::CephError;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

const PAGE: usize = 4096;

/// `slots` buffers of the same size, one after the other.
pub struct SlotBuffers {
    start: NonNull<u8>,
    layout: Layout,
    /// Distance from one buffer to the next; a whole number of pages.
    stride: usize,
    bytes: usize,
}

// SAFETY: the memory is owned by the slab; who may touch which buffer when is the user's promise (`Slab::buffer`).
unsafe impl Send for SlotBuffers {}

impl SlotBuffers {
    pub fn new(slots: u32, bytes: usize) -> Result<SlotBuffers, CephError> {
        let no_memory = || CephError::Errno {
            what: format!("get memory for {slots} operations of {bytes} bytes"),
            errno: libc::ENOMEM,
        };
        let stride = bytes.max(1).next_multiple_of(PAGE);
        let total = stride.checked_mul(slots.max(1) as usize).ok_or_else(no_memory)?;
        let layout = Layout::from_size_align(total, PAGE).map_err(|_| no_memory())?;
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(no_memory)?;
        Ok(SlotBuffers { start, layout, stride, bytes })
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The buffer of a slot.
    pub fn buffer(&self, slot: u32) -> NonNull<u8> {
        let at = slot as usize * self.stride;
        assert!(at + self.bytes <= self.layout.size(), "slot {slot} is beyond the slab");
        // SAFETY: within the allocation, checked above.
        unsafe { self.start.add(at) }
    }
}

impl Drop for SlotBuffers {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}
