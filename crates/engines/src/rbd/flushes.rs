//! Writes that librbd's cache answers: they have ended when a flush has that began after them, as those of a store that commits in groups.

use ceph::{Finished, ImageIo};

/// Of one lane. A flush goes on at a time, and takes what was written until it began.
pub struct Flushes {
    /// Behind the slots of the operations.
    slot: u32,
    /// Does a slot write?
    writes: Vec<bool>,
    waiting: Vec<Finished>,
    flushing: Vec<Finished>,
}

impl Flushes {
    /// For operations in that many slots.
    pub fn of(slots: u32) -> Flushes {
        Flushes { slot: slots, writes: vec![false; slots as usize], waiting: Vec::new(), flushing: Vec::new() }
    }

    pub fn slot(&self) -> u32 {
        self.slot
    }

    #[inline]
    pub fn begin(&mut self, slot: u32, writes: bool) {
        self.writes[slot as usize] = writes;
    }

    /// Operations that the cache has answered and no flush has.
    pub fn open(&self) -> u32 {
        (self.waiting.len() + self.flushing.len()) as u32
    }

    /// What has ended now, of what the library says has.
    #[inline]
    pub fn sort(&mut self, ended: &[Finished], finished: &mut Vec<Finished>) {
        for one in ended {
            if one.slot == self.slot {
                let failed = one.result.min(0);
                let end = |write: Finished| Finished {
                    result: if failed < 0 { failed } else { write.result },
                    at: one.at,
                    ..write
                };
                finished.extend(self.flushing.drain(..).map(end));
            } else if one.result >= 0 && self.writes[one.slot as usize] {
                self.waiting.push(*one);
            } else {
                finished.push(*one);
            }
        }
    }

    /// Begins a flush if none goes on and something waits for it. What can't be flushed has failed.
    #[inline]
    pub fn go_on(&mut self, io: &mut ImageIo, finished: &mut Vec<Finished>) {
        if self.waiting.is_empty() || !self.flushing.is_empty() {
            return;
        }
        match io.flush(self.slot) {
            Ok(()) => std::mem::swap(&mut self.waiting, &mut self.flushing),
            Err(errno) => {
                finished.extend(self.waiting.drain(..).map(|one| Finished { result: -i64::from(errno), ..one }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(slot: u32, result: i64, at: u64) -> Finished {
        Finished { slot, result, at }
    }

    #[test]
    fn writes_end_with_the_flush_that_began_after_them_and_reads_and_failures_at_once() {
        let (mut flushes, mut finished) = (Flushes::of(4), Vec::new());
        (0..4).for_each(|slot| flushes.begin(slot, slot != 3));
        flushes.sort(&[end(0, 0, 10), end(3, 4096, 11), end(1, -5, 12)], &mut finished);
        assert_eq!(finished, [end(3, 4096, 11), end(1, -5, 12)]);
        std::mem::swap(&mut flushes.waiting, &mut flushes.flushing);
        finished.clear();
        flushes.sort(&[end(2, 0, 20), end(4, 0, 30)], &mut finished);
        assert_eq!(
            (&finished[..], flushes.open()),
            (&[end(0, 0, 30)][..], 1),
            "what was written during a flush waits for the next"
        );
        std::mem::swap(&mut flushes.waiting, &mut flushes.flushing);
        finished.clear();
        flushes.sort(&[end(4, -30, 40)], &mut finished);
        assert_eq!(
            (&finished[..], flushes.open()),
            (&[end(2, -30, 40)][..], 0),
            "a flush that failed is a write that failed"
        );
    }
}
