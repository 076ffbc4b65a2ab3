//! Loads that a disk can't take, whatever it is: told when they are planned.

use model::workload::MIB;
use model::{Bytes, Failure, Workload, units};

/// Blocks that go past the page cache are multiples of it; a device's own sectors, where they are larger, are seen when it is opened.
const SECTOR: Bytes = 512;
/// One read or write of the kernel is no longer.
const BLOCK_MOST: Bytes = u32::MAX as Bytes / MIB * MIB;

/// Why this workload can be none of a disk. `wished`: the working set as it was asked for.
///
/// # Errors
/// Its block or its working set.
pub fn refuse(name: &str, workload: &Workload, wished: Option<Bytes>) -> Result<(), Failure> {
    let (block, jobs) = (workload.block, workload.jobs.max(1));
    let set = wished.unwrap_or(workload.span);
    let why = if block % SECTOR != 0 {
        format!(
            "--block-size: blocks of {block} bytes can't be loaded past the page cache; choose a multiple of {SECTOR} bytes"
        )
    } else if block > BLOCK_MOST {
        format!("--block-size: {} is too much; less than 4 GiB will do", units::bytes(block))
    } else if workload.span == 0 && wished.is_none() {
        format!("it is too small; what is loaded has {} at least", units::bytes(MIB))
    } else if workload.span == 0 {
        format!("--working-set: {set} bytes are too few; at least {}", units::bytes(MIB))
    } else if workload.lane_span() < block && wished.is_none() {
        format!(
            "what is loaded, {}, has no block of {} for each of {jobs} jobs; choose a smaller --block-size, or fewer --jobs",
            units::bytes(set),
            units::bytes(block)
        )
    } else if workload.lane_span() < block {
        format!(
            "a working set of {} has no block of {} for each of {jobs} jobs; choose a larger --working-set, or a smaller --block-size",
            units::bytes(set),
            units::bytes(block)
        )
    } else {
        return Ok(());
    };
    Err(Failure::Usage(format!("{name}: {why}")))
}

/// A file of Fathom's own needs room for all of it.
///
/// # Errors
/// There is too little.
pub fn refuse_without_room(name: &str, bytes: Bytes, free: Option<Bytes>) -> Result<(), Failure> {
    match free.filter(|free| bytes > *free) {
        Some(free) => Err(Failure::Usage(format!(
            "{name}: a file of {} would be made, and {} of space are free there; choose a smaller --working-set, or another place",
            units::bytes(bytes),
            units::bytes(free)
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use model::workload::{GIB, KIB};

    fn why(block: Bytes, span: Bytes, jobs: u32, wished: impl Into<Option<Bytes>>) -> Option<String> {
        let load = Workload { block, jobs, ..Workload::canonical(Pattern::WriteParallel, span, 1) };
        refuse("/d", &load, wished.into()).err().map(|failure| failure.to_string())
    }

    #[test]
    fn shapes_that_no_disk_takes_are_told_with_the_number_that_was_asked_for() {
        assert_eq!(why(4 * KIB, GIB, 8, GIB), None);
        assert!(why(513, GIB, 1, GIB).unwrap().contains("blocks of 513 bytes"));
        assert!(why(8 << 40, GIB, 1, GIB).unwrap().contains("--block-size: 8 TiB is too much"));
        assert!(why(4 * KIB, 0, 1, KIB).unwrap().contains("1024 bytes are too few"));
        assert!(why(4 * KIB, 0, 1, None).unwrap().contains("it is too small; what is loaded has 1 MiB"));
        assert!(why(4 * MIB, 2 * MIB, 1, None).unwrap().contains("choose a smaller --block-size, or fewer --jobs"));
        assert!(why(4 * MIB, 8 * MIB, 4, 8 * MIB).unwrap().contains("a working set of 8 MiB has no block of 4 MiB"));
    }

    #[test]
    fn a_file_is_not_planned_where_it_has_no_room() {
        assert!(refuse_without_room("/d", 900 << 40, Some(GIB)).unwrap_err().to_string().contains("a file of 900 TiB"));
        assert!(refuse_without_room("/d", GIB, Some(GIB)).is_ok() && refuse_without_room("/d", GIB, None).is_ok());
    }
}
