//! Devices that are files with holes: what is written to them must not fill the file system on which these lie.

use super::device::Disk;
use crate::planner::draft::Draft;
use model::{Bytes, Failure, Holes, Until, units};
use std::collections::BTreeMap;

/// Of the free room, what may be taken.
const MOST: f64 = 0.9;

/// # Errors
/// What is planned could fill the file system on which the file of one of these devices lies.
pub fn refuse_too_much(draft: &Draft, disks: &[Disk]) -> Result<(), Failure> {
    // Files on one file system share its room, which each was told of alike.
    let mut taken: BTreeMap<(&str, Bytes), Bytes> = BTreeMap::new();
    for (disk, holes) in disks.iter().filter_map(|disk| Some((disk, disk.holes()?))) {
        let Holes { file, bytes, free } = holes;
        let all = taken.entry((disk.host(), *free)).or_default();
        *all += (*bytes).min(written_to(draft, &disk.target.name));
        if *all as f64 > *free as f64 * MOST {
            return Err(Failure::Usage(format!(
                "{}: lies in {file}, a file with holes, and {} could be written into them while its file system has {} left, of which \
                 nine tenths may be taken; make room there, or write less: --working-set SIZE, --volume SIZE",
                disk.target.name,
                units::bytes(*all),
                units::bytes(*free),
            )));
        }
    }
    Ok(())
}

/// At most, if no two loads go to the same place.
fn written_to(draft: &Draft, target: &str) -> Bytes {
    let own = |step: &&model::Step| step.targets.iter().any(|one| one.name == target);
    let steps = draft.steps.iter().filter(own).filter(|step| step.workload.writes()).map(|step| step.workload.span);
    let sustained = draft.sustained.iter().filter(|test| own(&&test.step)).map(|test| {
        let filled = test.fill.as_ref().map_or(0, |level| level.workload.span);
        let most = if test.until == Until::Steady { test.step.workload.span } else { test.most() };
        filled.saturating_add(most)
    });
    steps.chain(sustained).fold(0, Bytes::saturating_add)
}
