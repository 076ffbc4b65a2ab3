//! The stamp of a sector: which run wrote it, for which place, in which generation, with a checksum over all of it.

use xxhash_rust::xxh3::xxh3_64;

/// What storage writes whole or not at all; a write of several sectors can be torn between any two of them.
pub const SECTOR: usize = 512;

/// "fathom", a zero, and the version of the format.
const MAGIC: u64 = u64::from_le_bytes(*b"fathom\0\x01");
const WORD: usize = 8;
/// The checksum is the last word, so that a sector that was cut short is seen.
const CHECKED: usize = SECTOR - WORD;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// A number of this run alone.
    pub run: u64,
    /// The place's own number.
    pub place: u64,
    /// Where in the place the sector belongs.
    pub offset: u64,
    /// Which write of this place in this run, from 1.
    pub generation: u64,
}

/// Why a sector has no stamp to go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstamped {
    /// All its bytes are zero.
    Zero,
    /// It does not begin as a stamp does.
    Foreign,
    /// It begins as a stamp does, and its checksum does not fit its data.
    Damaged,
}

impl Stamp {
    /// Into a sector whose other bytes are filled.
    #[inline]
    pub fn write(&self, sector: &mut [u8]) {
        let words = [MAGIC, self.run, self.place, self.offset, self.generation];
        for (word, bytes) in words.iter().zip(sector.chunks_exact_mut(WORD)) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let sum = xxh3_64(&sector[..CHECKED]);
        sector[CHECKED..].copy_from_slice(&sum.to_le_bytes());
    }

    /// The stamp of a sector as it was read.
    #[inline]
    pub fn read(sector: &[u8]) -> Result<Stamp, Unstamped> {
        let word = |index: usize| {
            let mut bytes = [0; WORD];
            bytes.copy_from_slice(&sector[index * WORD..(index + 1) * WORD]);
            u64::from_le_bytes(bytes)
        };
        if word(0) == MAGIC && word(CHECKED / WORD) == xxh3_64(&sector[..CHECKED]) {
            return Ok(Stamp { run: word(1), place: word(2), offset: word(3), generation: word(4) });
        }
        Err(match word(0) {
            MAGIC => Unstamped::Damaged,
            0 if sector.iter().all(|byte| *byte == 0) => Unstamped::Zero,
            _ => Unstamped::Foreign,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stamped(run: u64, place: u64, offset: u64, generation: u64, filling: u8) -> (Stamp, [u8; SECTOR]) {
        let stamp = Stamp { run, place, offset, generation };
        let mut sector = [filling; SECTOR];
        stamp.write(&mut sector);
        (stamp, sector)
    }

    proptest! {
        #[test]
        fn a_stamp_comes_back_and_any_flipped_bit_is_seen(
            run: u64, place: u64, offset: u64, generation: u64, filling: u8, bit in 0..SECTOR * 8,
        ) {
            let (stamp, mut sector) = stamped(run, place, offset, generation, filling);
            prop_assert_eq!(Stamp::read(&sector), Ok(stamp));
            sector[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(Stamp::read(&sector).is_err());
        }

        #[test]
        fn no_bytes_from_anywhere_are_a_stamp(bytes in proptest::collection::vec(any::<u8>(), SECTOR)) {
            prop_assert!(Stamp::read(&bytes).is_err());
        }
    }

    #[test]
    fn zeros_and_foreign_bytes_are_told_apart() {
        assert_eq!(Stamp::read(&[0; SECTOR]), Err(Unstamped::Zero));
        assert_eq!(Stamp::read(&[7; SECTOR]), Err(Unstamped::Foreign));
        let (_, mut sector) = stamped(1, 2, 3, 4, 5);
        sector[300] = 6;
        assert_eq!(Stamp::read(&sector), Err(Unstamped::Damaged));
    }
}
