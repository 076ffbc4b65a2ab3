//! Which OSDs that run on this host have a part of the same disk, by what their processes have open.

use crate::devices::disks_of;
use crate::kernel::all_osds;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{metadata, read_dir, read_link};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// OSDs with data, database or journal on one of these disks (names in `/sys/block`). Those whose open files we may not see are left out.
pub fn osds_on(disks: &BTreeSet<String>) -> Vec<u32> {
    let shares = |pid: i32| devices_of(pid).iter().any(|own| !own.is_disjoint(disks));
    let osds = if disks.is_empty() { Vec::new() } else { all_osds() };
    let found: BTreeSet<u32> = osds.iter().filter(|osd| shares(osd.pid())).map(|osd| osd.id).collect();
    found.into_iter().collect()
}

/// The disks of each block device that a process has open.
fn devices_of(pid: i32) -> Vec<BTreeSet<String>> {
    let folder = format!("/proc/{pid}/fd");
    let files = read_dir(Path::new(&folder)).into_iter().flatten().flatten().map(|file| file.path());
    // Sockets and the like are no paths, and there are thousands.
    let named = files.filter(|file| read_link(file).is_ok_and(|leads| leads.starts_with("/dev")));
    let number = |file: &PathBuf| {
        let leads = metadata(file).ok().filter(|leads| leads.file_type().is_block_device())?;
        Some(leads.rdev())
    };
    // BlueStore has each of its devices open a dozen times.
    let each: BTreeMap<u64, PathBuf> = named.filter_map(|file| Some((number(&file)?, file))).collect();
    each.values().map(|file| disks_of(file)).collect()
}
