//! Memory for operations: aligned, incompressible, and different for every write.

use crate::api::EngineError;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// What a device may want memory to be aligned to; also the unit in which stores find equal data.
pub const ALIGN: usize = 4096;

/// Equal buffers side by side, page aligned, filled with random bytes.
pub struct Slab {
    memory: NonNull<u8>,
    layout: Layout,
    buffers: u32,
    bytes: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Slab {}

impl Slab {
    /// `buffers` of `bytes` each; the distance between two is a multiple of the page size.
    ///
    /// # Errors
    /// All buffers together are larger than memory can be.
    pub fn new(buffers: u32, bytes: usize, seed: u64) -> Result<Slab, EngineError> {
        let refused = || EngineError::Refused(format!("{buffers} operations of {bytes} bytes do not fit into memory"));
        let bytes = bytes.max(1).checked_next_multiple_of(ALIGN).ok_or_else(refused)?;
        let total = bytes.checked_mul(buffers.max(1) as usize).ok_or_else(refused)?;
        let layout = Layout::from_size_align(total, ALIGN).map_err(|_| refused())?;
        // SAFETY: the layout is not empty.
        let Some(memory) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        let mut slab = Slab { memory, layout, buffers, bytes };
        fill(slab.all(), seed);
        Ok(slab)
    }

    pub fn address(&self, buffer: u32) -> *mut u8 {
        assert!(buffer < self.buffers, "buffer {buffer} of {}", self.buffers);
        // SAFETY: within the allocation, checked above.
        unsafe { self.memory.as_ptr().add(buffer as usize * self.bytes) }
    }

    /// The buffer of an operation that is not in flight.
    pub fn buffer(&mut self, buffer: u32, len: usize) -> &mut [u8] {
        assert!(len <= self.bytes, "{len} of {} bytes", self.bytes);
        // SAFETY: within the allocation; `self` is borrowed, and the kernel has no operation on this buffer.
        unsafe { std::slice::from_raw_parts_mut(self.address(buffer), len) }
    }

    /// All buffers as one piece, as a ring wants it registered.
    pub fn vector(&self) -> libc::iovec {
        libc::iovec { iov_base: self.memory.as_ptr().cast(), iov_len: self.layout.size() }
    }

    fn all(&mut self) -> &mut [u8] {
        // SAFETY: the whole allocation; every byte is written by `fill` before any is read.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, freed once.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

/// Random bytes: nothing on the way can compress them.
pub fn fill(bytes: &mut [u8], seed: u64) {
    Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(bytes);
}

/// Makes a block unlike every other: marks each 4 KiB of it with the operation's number, which must never repeat, and
/// the place inside the block. Stores find equal data by 4 KiB or more, so nothing can be deduplicated; a few ns each.
#[inline]
pub fn stamp(block: &mut [u8], number: u64) {
    for (index, page) in block.chunks_mut(ALIGN).enumerate() {
        // Scrambled, so that the marks themselves are as incompressible as the rest.
        let mark = (number ^ (index as u64) << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes();
        let len = mark.len().min(page.len());
        page[..len].copy_from_slice(&mark[..len]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn buffers_are_aligned_apart_and_random() {
        let mut slab = Slab::new(3, 5000, 1).unwrap();
        let addresses: Vec<usize> = (0..3).map(|n| slab.address(n) as usize).collect();
        assert!(addresses.iter().all(|address| address % ALIGN == 0));
        assert_eq!(addresses[1] - addresses[0], 8192);
        for n in 0..3 {
            let bytes = slab.buffer(n, 5000);
            let kinds: HashSet<&[u8]> = bytes.chunks_exact(8).collect();
            assert_eq!(kinds.len(), 625, "no eight bytes repeat");
        }
    }

    #[test]
    fn no_two_pages_of_any_two_writes_are_equal() {
        let mut slab = Slab::new(2, 16384, 1).unwrap();
        let mut pages: HashSet<Vec<u8>> = HashSet::new();
        for number in 0..100u64 {
            let block = slab.buffer((number % 2) as u32, 16384);
            stamp(block, number);
            pages.extend(block.chunks(ALIGN).map(<[u8]>::to_vec));
        }
        assert_eq!(pages.len(), 400);
    }

    #[test]
    fn too_much_is_refused() {
        assert!(Slab::new(u32::MAX, usize::MAX / 2, 1).is_err());
    }
}
