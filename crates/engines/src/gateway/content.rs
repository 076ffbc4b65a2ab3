//! What objects hold: incompressible bytes that tell of which object they are, with a checksum over all of them.

use crate::buffers;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The object's number, then the checksum.
const MARK: usize = 16;

/// Makes the content one of this object. `number`: of the write, which never repeats within a lane. What is smaller than the mark tells
/// nothing but its length.
pub fn mark(bytes: &mut [u8], object: u64, number: u64) {
    buffers::stamp(bytes, number);
    let Some((mark, rest)) = bytes.split_at_mut_checked(MARK) else { return };
    let sum = xxh3_64_with_seed(rest, object);
    mark[..8].copy_from_slice(&object.to_le_bytes());
    mark[8..].copy_from_slice(&sum.to_le_bytes());
}

/// Is this the whole content of this object, as it was written?
pub fn is_whole(bytes: &[u8], object: u64) -> bool {
    let Some((mark, rest)) = bytes.split_at_checked(MARK) else { return true };
    mark[..8] == object.to_le_bytes() && mark[8..] == xxh3_64_with_seed(rest, object).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_changed_on_its_way_is_seen(bytes in 17usize..10_000, object: u64, other: u64, at: usize, number: u64) {
            let mut content = vec![0; bytes];
            buffers::fill(&mut content, number);
            mark(&mut content, object, number);
            prop_assert!(is_whole(&content, object));
            prop_assert!(other == object || !is_whole(&content, other));
            content[at % bytes] ^= 1;
            prop_assert!(!is_whole(&content, object));
        }
    }

    #[test]
    fn what_has_no_room_for_a_mark_tells_nothing() {
        let mut content = [7; 15];
        mark(&mut content, 1, 1);
        assert!(is_whole(&content, 2));
    }
}
