//! Compares what was read with what is known to be there, block by block as it was written.

use super::board::{Board, PartState};
use super::stamp::{SECTOR, Stamp, Unstamped};
use model::{Bytes, FlawKind};
use std::ops::Range;

/// A stretch that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadStretch {
    pub kind: FlawKind,
    /// On the board; whole parts of it.
    pub range: Range<Bytes>,
    pub expected: u64,
    pub instead: Instead,
}

/// What the first flawed sector holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    Nothing(Unstamped),
    /// A stamp of this place and offset.
    Generation(u64),
    /// One of an earlier run.
    EarlierRun,
    Elsewhere {
        place: u64,
        offset: Bytes,
    },
}

/// What came of one read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadCheck {
    pub checked: Bytes,
    pub unknown: Bytes,
    pub found: Vec<BadStretch>,
}

/// `bytes` were read at `offset` of the board's place. Parts that were written at once are judged as one block.
pub fn look(board: &Board, run: u64, offset: Bytes, bytes: &[u8]) -> ReadCheck {
    let part = board.part();
    let end = offset + bytes.len() as Bytes;
    let mut seen = ReadCheck::default();
    let mut at = offset;
    while at < end {
        // Up to the next part, if a read ever begins inside one: nothing can be said of a half.
        let next = (at / part + 1) * part;
        let known = if at.is_multiple_of(part) && next <= end { board.known(at) } else { PartState::Nothing };
        let PartState::Generation(expected) = known else {
            seen.unknown += next.min(end) - at;
            at = next;
            continue;
        };
        let begin = at;
        while at + part <= end && board.known(at) == known {
            at += part;
        }
        let block = &bytes[(begin - offset) as usize..(at - offset) as usize];
        seen.checked += at - begin;
        seen.found.extend(judge(board, run, begin, expected, block));
    }
    seen
}

/// One block, as it was written.
fn judge(board: &Board, run: u64, begin: Bytes, expected: u64, block: &[u8]) -> Option<BadStretch> {
    let mut good = 0;
    let mut bad: Vec<(FlawKind, Bytes, Instead)> = Vec::new();
    for (index, sector) in block.chunks_exact(SECTOR).enumerate() {
        let offset = begin + (index * SECTOR) as Bytes;
        match sort(board, run, offset, expected, sector) {
            None => good += 1,
            Some((kind, instead)) => bad.push((kind, offset, instead)),
        }
    }
    let all = |kind| bad.iter().any(|one| one.0 == kind);
    let kind = match () {
        () if bad.is_empty() => return None,
        () if all(FlawKind::Wrong) => FlawKind::Wrong,
        () if all(FlawKind::Misplaced) => FlawKind::Misplaced,
        () if good > 0 || mixed(&bad, board.part()) => FlawKind::Torn,
        () => FlawKind::Stale,
    };
    let own = || bad.iter().filter(|one| kind == FlawKind::Torn || one.0 == kind);
    let (first, last) = (own().next()?, own().next_back()?);
    let part = board.part();
    Some(BadStretch { kind, range: first.1 / part * part..(last.1 / part + 1) * part, expected, instead: first.2 })
}

/// Two old generations within one part: it was torn when it was old already.
fn mixed(bad: &[(FlawKind, Bytes, Instead)], part: Bytes) -> bool {
    bad.windows(2).any(|pair| pair[0].1 / part == pair[1].1 / part && pair[0].2 != pair[1].2)
}

#[inline]
fn sort(board: &Board, run: u64, offset: Bytes, expected: u64, sector: &[u8]) -> Option<(FlawKind, Instead)> {
    match Stamp::read(sector) {
        Err(why) => Some((FlawKind::Wrong, Instead::Nothing(why))),
        Ok(stamp) if (stamp.place, stamp.offset) != (board.place, offset) => {
            Some((FlawKind::Misplaced, Instead::Elsewhere { place: stamp.place, offset: stamp.offset }))
        }
        Ok(stamp) if stamp.run != run => Some((FlawKind::Stale, Instead::EarlierRun)),
        Ok(stamp) if stamp.generation == expected => None,
        // Later ones than the last are never acknowledged: such a stamp is as wrong as no stamp.
        Ok(stamp) if stamp.generation > expected => Some((FlawKind::Wrong, Instead::Generation(stamp.generation))),
        Ok(stamp) => Some((FlawKind::Stale, Instead::Generation(stamp.generation))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RUN: u64 = 77;
    const BLOCK: usize = 4096;

    /// A place of 16 blocks in memory.
    struct Disk {
        board: Board,
        bytes: Vec<u8>,
    }

    impl Disk {
        fn filled() -> Disk {
            let mut disk = Disk { board: Board::new("disk", 16 * BLOCK as Bytes, 4096), bytes: vec![3; 16 * BLOCK] };
            disk.write(0, 16);
            disk
        }

        fn write(&mut self, first: usize, blocks: usize) {
            let range = first * BLOCK..(first + blocks) * BLOCK;
            let (offset, len) = (range.start as Bytes, range.len() as Bytes);
            let generation = self.board.draw();
            self.board.stamp(RUN, offset, generation, &mut self.bytes[range]);
            self.board.acknowledged(offset, len, generation);
        }

        fn block(&mut self, block: usize) -> &mut [u8] {
            &mut self.bytes[block * BLOCK..(block + 1) * BLOCK]
        }

        fn look(&self, first: usize, blocks: usize) -> ReadCheck {
            let range = first * BLOCK..(first + blocks) * BLOCK;
            look(&self.board, RUN, range.start as Bytes, &self.bytes[range])
        }
    }

    fn at(block: usize) -> Range<Bytes> {
        (block * BLOCK) as Bytes..((block + 1) * BLOCK) as Bytes
    }

    #[test]
    fn each_flaw_is_told_from_the_others_at_its_place() {
        let mut disk = Disk::filled();
        let before = disk.block(5).to_vec();
        disk.write(5, 1);
        let now = disk.block(5).to_vec();
        let other = disk.block(9).to_vec();
        let halves = [&before[..2048], &now[2048..]].concat();
        let mut flipped = now.clone();
        flipped[3000] ^= 0x10;
        for (kind, instead, bytes) in [
            (FlawKind::Stale, Instead::Generation(1), before),
            (FlawKind::Torn, Instead::Generation(1), halves),
            (FlawKind::Wrong, Instead::Nothing(Unstamped::Damaged), flipped),
            (FlawKind::Wrong, Instead::Nothing(Unstamped::Zero), vec![0; BLOCK]),
            (FlawKind::Misplaced, Instead::Elsewhere { place: disk.board.place, offset: 9 * 4096 }, other),
        ] {
            disk.block(5).copy_from_slice(&bytes);
            let seen = disk.look(0, 16);
            assert_eq!(seen.found, [BadStretch { kind, range: at(5), expected: 2, instead }]);
            assert_eq!((seen.checked, seen.unknown), (16 * 4096, 0));
            assert_eq!(disk.look(5, 1).found, seen.found);
            assert_eq!(disk.look(0, 5).found, []);
        }
    }

    #[test]
    fn a_large_block_of_which_a_part_is_old_is_torn() {
        let mut disk = Disk::filled();
        let before = disk.block(6).to_vec();
        disk.write(4, 4);
        disk.block(6).copy_from_slice(&before);
        assert_eq!(
            disk.look(4, 4).found.iter().map(|f| (f.kind, f.range.clone())).collect::<Vec<_>>(),
            [(FlawKind::Torn, at(6))]
        );
    }

    #[test]
    fn what_an_earlier_run_left_is_stale_and_what_was_not_acknowledged_says_nothing() {
        let mut disk = Disk::filled();
        let mut block = disk.block(2).to_vec();
        for (index, sector) in block.chunks_exact_mut(SECTOR).enumerate() {
            let offset = (2 * BLOCK + index * SECTOR) as Bytes;
            Stamp { run: 1, place: disk.board.place, offset, generation: 1 }.write(sector);
        }
        disk.block(2).copy_from_slice(&block);
        assert_eq!(disk.look(2, 1).found[0].instead, Instead::EarlierRun);
        let range = 2 * BLOCK..3 * BLOCK;
        disk.board.stamp(RUN, range.start as Bytes, 9, &mut disk.bytes[range]);
        assert_eq!(disk.look(2, 1), ReadCheck { checked: 0, unknown: 4096, found: Vec::new() });
    }

    proptest! {
        #[test]
        fn what_was_written_in_any_order_is_found_as_written(
            writes in proptest::collection::vec((0usize..16, 1usize..5), 0..40), read in 0usize..16, blocks in 1usize..9,
        ) {
            let mut disk = Disk::filled();
            for (first, blocks) in writes {
                disk.write(first, blocks.min(16 - first));
            }
            let blocks = blocks.min(16 - read);
            let checked = (blocks * BLOCK) as Bytes;
            prop_assert_eq!(disk.look(read, blocks), ReadCheck { checked, unknown: 0, found: Vec::new() });
        }
    }
}
