//! What whole objects and files hold: incompressible bytes that tell of which of them they are, with a checksum over all.

use crate::buffers;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The object's number, the write's, and the checksum of these and of all that follows.
pub const MARK: usize = model::workload::MARK as usize;

/// Makes the content one of this object. `number`: of the write, which never repeats. There is room for the mark.
pub fn mark(bytes: &mut [u8], object: u64, number: u64) {
    buffers::stamp(bytes, number);
    let Some((mark, rest)) = bytes.split_at_mut_checked(MARK) else { return };
    mark[..8].copy_from_slice(&object.to_le_bytes());
    mark[8..16].copy_from_slice(&number.to_le_bytes());
    let sum = sum(&mark[..16], rest);
    mark[16..].copy_from_slice(&sum.to_le_bytes());
}

/// Is this the whole content of this object, as it was written?
pub fn is_whole(bytes: &[u8], object: u64) -> bool {
    let Some((mark, rest)) = bytes.split_at_checked(MARK) else { return false };
    mark[..8] == object.to_le_bytes() && mark[16..] == sum(&mark[..16], rest).to_le_bytes()
}

fn sum(numbers: &[u8], rest: &[u8]) -> u64 {
    xxh3_64_with_seed(rest, xxh3_64(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_changed_on_its_way_is_seen(bytes in 24usize..10_000, object: u64, other: u64, at: usize, number: u64) {
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
    fn no_two_writes_are_alike() {
        let mut content = vec![0; 100];
        buffers::fill(&mut content, 1);
        let mut seen = std::collections::HashSet::new();
        for number in 0..100 {
            mark(&mut content, 7, number);
            assert!(is_whole(&content, 7) && seen.insert(content.clone()));
        }
    }
}
