//! Looks at a page of some reads: one that holds nothing was never written, or was trimmed, and the medium need not be asked for it.

use model::EmptyPages;
use model::seed::mixed;

/// What file systems and disks keep in one piece.
const PAGE: usize = 4096;
/// At most this many looks are kept: of more reads only every second, fourth, … is looked at, over the whole slice. It costs some
/// nanoseconds for a page with data, and a tenth of a microsecond for an empty one, some thousand times in a slice.
const KEPT: usize = 2048;

/// The looks of one session.
#[derive(Debug)]
pub struct PageLook {
    reads: u64,
    /// The read that is looked at next.
    next: u64,
    stride: u64,
    empty: Vec<bool>,
}

impl Default for PageLook {
    fn default() -> PageLook {
        PageLook { reads: 0, next: 1, stride: 1, empty: Vec::new() }
    }
}

impl PageLook {
    /// A read has ended: is it one to look at?
    #[inline]
    pub fn due(&mut self) -> bool {
        self.reads += 1;
        self.reads == self.next
    }

    /// `bytes`: what it has read.
    #[cold]
    pub fn look(&mut self, bytes: &[u8]) {
        let chance = mixed([self.reads]);
        let pages = (bytes.len() / PAGE).max(1);
        let page = bytes.chunks(PAGE).nth(chance as usize % pages).unwrap_or(&[]);
        self.empty.push(!page.is_empty() && page[1..] == page[..page.len() - 1]);
        if self.empty.len() >= KEPT {
            let mut keep = false;
            self.empty.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
        // Not at equal distances, which could be those at which data and holes alternate.
        self.next = self.reads + 1 + chance % (2 * self.stride - 1);
    }

    pub fn seen(&self) -> EmptyPages {
        let empty = self.empty.iter().filter(|empty| **empty).count() as u64;
        EmptyPages { looked_at: self.empty.len() as u64, empty }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(reads: u64, bytes: impl Fn(u64) -> Vec<u8>) -> EmptyPages {
        let mut look = PageLook::default();
        for number in 0..reads {
            if look.due() {
                look.look(&bytes(number));
            }
        }
        look.seen()
    }

    fn page(empty: bool) -> Vec<u8> {
        let mut page = vec![0; PAGE];
        page[PAGE - 1] = u8::from(!empty);
        page
    }

    #[test]
    fn of_few_reads_each_is_looked_at() {
        assert_eq!(seen(0, |_| page(true)).share(), None);
        assert_eq!(seen(40, |number| page(number < 10)), EmptyPages { looked_at: 40, empty: 10 });
        assert_eq!(seen(9, |_| vec![0xff; 512]), EmptyPages { looked_at: 9, empty: 9 });
        assert_eq!(seen(9, |_| page(false)).empty, 0);
    }

    #[test]
    fn of_many_reads_the_share_is_that_of_the_whole_slice() {
        for empty in [|number| number < 30_000, |number| number >= 270_000, |number| number % 10 == 0] {
            let found = seen(300_000, |number| page(empty(number)));
            assert!(found.looked_at < KEPT as u64);
            assert!((found.share().unwrap() - 0.1).abs() < 0.04, "{found:?}");
        }
    }

    #[test]
    fn of_large_blocks_all_pages_have_their_turn() {
        // A quarter of each block was never written.
        let block = |_: u64| [vec![7; 3 * PAGE - 1], vec![0; PAGE + 1]].concat();
        let found = seen(2000, block);
        let mixed = seen(2000, |_| [page(false), page(false), page(false), page(true)].concat());
        assert_eq!(found.looked_at, 2000);
        assert!((mixed.share().unwrap() - 0.25).abs() < 0.05, "{mixed:?}");
    }
}
