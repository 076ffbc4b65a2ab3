//! Which way operations take where the workload names none.

use super::site::{DiskSite, existing};
use super::{DiskEngine, IO_URING, PSYNC, ring};
use model::{Durability, Place, Step};
use std::path::{Path, PathBuf};

/// Plain system calls where they cost less than a ring: on files in memory at any depth, since their reads and writes are
/// done inside the system call (operations then queue in the session, and Little's law holds as for any queue); and for one
/// operation in flight (a ring hands a sync to a worker thread; of reads they are alike). One in flight on a loop device goes
/// through a ring, which stays on its processor.
pub fn chosen(step: &Step) -> &'static DiskEngine {
    let paths: Vec<PathBuf> = step
        .targets
        .iter()
        .filter_map(|target| match &target.place {
            Place::Path { path, .. } => Some(existing(path)),
            _ => None,
        })
        .collect();
    let all = |is: fn(&Path) -> bool| !paths.is_empty() && paths.iter().all(|path| is(path));
    // An open loop must be able to start one while another is under way.
    if step.workload.rate.is_some() && ring::unavailable().is_none() {
        return &IO_URING;
    }
    let one = step.workload.lane_depth(0) <= 1;
    let ring_for_one =
        || step.workload.durability == Durability::None && all(DiskSite::looped) && ring::unavailable().is_none();
    if all(DiskSite::memory) || (one && !ring_for_one()) { &PSYNC } else { &IO_URING }
}
