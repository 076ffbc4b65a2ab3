//! Which generation each part of a place has: what was last acknowledged there, over all slices of a run.

use super::stamp::{SECTOR, Stamp};
use model::{Bytes, FlawKind};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// Generations are kept for parts of this size, or for sectors where blocks are no multiple of it.
const PART: Bytes = 4096;

/// At most this many flaws are told apart. Beyond that, a flaw is counted again when its block is read again.
const TOLD_APART: usize = 1 << 20;

/// What is known of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState {
    /// Never written in this run, in flight, or its last write was not acknowledged.
    Nothing,
    /// The last write that was acknowledged.
    Generation(u64),
}

/// One place: a device, an image, a set of objects. 8 bytes of memory for each part of it.
pub struct Board {
    /// As shown, and the number made of it.
    pub name: String,
    pub place: u64,
    part: Bytes,
    /// 0: nothing is known.
    parts: Box<[AtomicU64]>,
    last: AtomicU64,
    /// Flaws that were counted, with the generation that was expected there.
    seen: Mutex<HashSet<(FlawKind, Bytes, u64)>>,
}

impl Board {
    /// For a place of `bytes` that is written in blocks of `block`.
    pub fn new(name: &str, bytes: Bytes, block: Bytes) -> Board {
        let part = if block.is_multiple_of(PART) { PART } else { SECTOR as Bytes };
        let count = usize::try_from(bytes / part).unwrap_or(usize::MAX);
        Board {
            place: xxh3_64(name.as_bytes()),
            name: name.to_string(),
            part,
            parts: (0..count).map(|_| AtomicU64::new(0)).collect(),
            last: AtomicU64::new(0),
            seen: Mutex::default(),
        }
    }

    pub fn bytes(&self) -> Bytes {
        self.parts.len() as Bytes * self.part
    }

    pub fn part(&self) -> Bytes {
        self.part
    }

    /// The same with more room.
    pub fn grown(&self, bytes: Bytes) -> Board {
        let larger = Board::new(&self.name, bytes, self.part);
        for (old, new) in self.parts.iter().zip(&larger.parts) {
            new.store(old.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        larger.last.store(self.last.load(Ordering::Relaxed), Ordering::Relaxed);
        *larger.seen() = std::mem::take(&mut *self.seen());
        larger
    }

    /// What is known of the part that begins at `offset`.
    #[inline]
    pub fn known(&self, offset: Bytes) -> PartState {
        let part = usize::try_from(offset / self.part).ok().and_then(|index| self.parts.get(index));
        match part.map_or(0, |part| part.load(Ordering::Acquire)) {
            0 => PartState::Nothing,
            generation => PartState::Generation(generation),
        }
    }

    /// Is every whole part between `offset` and `len` bytes after it known?
    pub fn knows(&self, offset: Bytes, len: Bytes) -> bool {
        let mut parts = offset.div_ceil(self.part)..(offset + len) / self.part;
        parts.all(|index| self.known(index * self.part) != PartState::Nothing)
    }

    /// The number of a write that is to come.
    pub fn draw(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A write begins: stamps `block`, whose sectors belong at `offset` and after it, and forgets what was there.
    #[inline]
    pub fn stamp(&self, run: u64, offset: Bytes, generation: u64, block: &mut [u8]) {
        self.set(offset, offset + block.len() as Bytes, true, 0);
        for (index, sector) in block.chunks_exact_mut(SECTOR).enumerate() {
            let offset = offset + (index * SECTOR) as Bytes;
            Stamp { run, place: self.place, offset, generation }.write(sector);
        }
    }

    /// That write is done. Of parts that it covers only half, nothing is known.
    #[inline]
    pub fn acknowledged(&self, offset: Bytes, len: Bytes, generation: u64) {
        self.set(offset, offset + len, false, generation);
    }

    fn set(&self, begin: Bytes, end: Bytes, halves: bool, value: u64) {
        let (first, last) = match halves {
            true => (begin / self.part, end.div_ceil(self.part)),
            false => (begin.div_ceil(self.part), end / self.part),
        };
        for index in first..last {
            if let Some(part) = usize::try_from(index).ok().and_then(|index| self.parts.get(index)) {
                part.store(value, Ordering::Release);
            }
        }
    }

    /// Is this flaw seen for the first time?
    pub fn first_seen(&self, kind: FlawKind, offset: Bytes, expected: u64) -> bool {
        let mut seen = self.seen();
        seen.len() >= TOLD_APART || seen.insert((kind, offset, expected))
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, HashSet<(FlawKind, Bytes, u64)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_acknowledged_is_not_known() {
        let board = Board::new("x", 1 << 20, 4096);
        let mut block = vec![1; 8192];
        let generation = board.draw();
        board.stamp(7, 4096, generation, &mut block);
        assert_eq!(board.known(4096), PartState::Nothing);
        board.acknowledged(4096, 8192, generation);
        assert_eq!((board.known(4096), board.known(8192)), (PartState::Generation(1), PartState::Generation(1)));
        assert_eq!((board.known(0), board.known(12_288)), (PartState::Nothing, PartState::Nothing));
        board.stamp(7, 8192, board.draw(), &mut block[..4096]);
        assert_eq!((board.known(4096), board.known(8192)), (PartState::Generation(1), PartState::Nothing));
        let grown = board.grown(2 << 20);
        assert_eq!((grown.known(4096), grown.bytes(), grown.draw()), (PartState::Generation(1), 2 << 20, 3));
    }

    #[test]
    fn half_a_part_is_not_known() {
        let board = Board::new("x", 8192, 4096);
        board.acknowledged(0, 6144, 1);
        assert_eq!((board.known(0), board.known(4096)), (PartState::Generation(1), PartState::Nothing));
        assert!(board.knows(0, 4096) && board.knows(0, 6144) && !board.knows(0, 8192));
        // Blocks of sectors are known sector by sector; what lies beyond the place is not known.
        let board = Board::new("x", 8192, 512);
        board.acknowledged(512, 512, 9);
        assert_eq!(
            (board.known(0), board.known(512), board.known(1 << 40)),
            (PartState::Nothing, PartState::Generation(9), PartState::Nothing)
        );
    }
}
