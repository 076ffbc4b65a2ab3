//! On which disks does a path lie? Two partitions of a disk share nothing that is written, and everything that makes it slow.

use super::stack::{Id, Stack, folder};
use std::collections::BTreeSet;
use std::fs::{canonicalize, metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// The whole disks below a device, or below the file system of a file or folder, by their names in `/sys/block`: of a partition its disk, of
/// a volume those of its group that it has a part of. Empty: it lies on none that the kernel lists.
pub fn disks_of(path: &Path) -> BTreeSet<String> {
    let Ok(metadata) = metadata(path) else { return BTreeSet::new() };
    let device = if metadata.file_type().is_block_device() { metadata.rdev() } else { metadata.dev() };
    let below = Stack::of(Id::Device(device)).related.into_iter().filter_map(|id| match id {
        Id::Device(number) => canonicalize(folder(number)).ok(),
        Id::File(..) => None,
    });
    // What lies on others is none itself; loop devices lie on files as well.
    let whole = below.filter(|own| !own.join("partition").exists() && !has_entries(&own.join("slaves")));
    whole.filter_map(|own| Some(own.file_name()?.to_string_lossy().into_owned())).collect()
}

fn has_entries(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}
