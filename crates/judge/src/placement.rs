//! On which OSDs a pool lies, as far as the record tells: only these may be held against it.

use crate::disks::{self, osd_of};
use crate::entry::Entry;
use model::{Change, OsdScope, Place, Record};
use std::collections::BTreeSet;

/// By the sets to which the run bound the pool with its data, else by its CRUSH rule. `None`: on all, or not known.
pub fn lies_on(record: &Record, place: &Place) -> Option<BTreeSet<u32>> {
    let pool = place.data_pool()?;
    let found = record.scope.pools.iter().find(|found| found.name == pool).map(|found| &found.osds);
    let bound = record.plan.changes.iter().find_map(|change| match change {
        Change::Pool { name, on, .. } if name == pool => Some(on),
        _ => None,
    });
    let osds: BTreeSet<u32> = match (found, bound) {
        (Some(found), _) => found.iter().copied().collect(),
        (None, Some(on)) if !on.is_empty() => on.iter().flatten().copied().collect(),
        (None, _) => record.scope.new_pool_osds.iter().copied().collect(),
    };
    (!osds.is_empty()).then_some(osds)
}

/// The OSDs that serve a pool: up and in, and of those on which it lies.
pub fn serving<'r>(record: &'r Record, place: &Place) -> Vec<&'r OsdScope> {
    let on = lies_on(record, place);
    let own = |osd: &&OsdScope| osd.up && osd.inside && on.as_ref().is_none_or(|on| on.contains(&osd.id));
    record.scope.osds.iter().filter(own).collect()
}

/// Their hosts, each once.
pub fn hosts_of<'r>(osds: &[&'r OsdScope]) -> Vec<&'r str> {
    let hosts: BTreeSet<&str> = osds.iter().map(|osd| osd.host.as_str()).collect();
    hosts.into_iter().collect()
}

/// May it be held against a pool that lies on these OSDs (`None`: on all)? Not an OSD, its store, or its disk, if the pool does not lie
/// there; nor a disk on which no OSD lies.
pub fn below(entry: &Entry, record: &Record, on: Option<&BTreeSet<u32>>) -> bool {
    let counts = |osd: u32| on.is_none_or(|on| on.contains(&osd));
    match entry.figure.layer {
        layer if layer.of_single_osds() => entry.place().and_then(osd_of).is_none_or(counts),
        layer if layer.of_disks() => {
            let probe = entry
                .only_target()
                .is_some_and(|target| target.like_disks_of.iter().chain(&target.beside).any(|osd| counts(*osd)));
            let osds = &record.scope.osds;
            let known = osds.iter().any(|osd| osd.device.is_some());
            probe || !known || osds.iter().any(|osd| counts(osd.id) && disks::lies_on(entry, osd))
        }
        _ => true,
    }
}
