//! An OSD's database with its write-ahead log on a device of its own (block.db), as with a logical volume or a partition: a loop device.

use crate::errors::LabError;
use crate::loopdev;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The file is sparse. RocksDB's logs alone grow to a gigabyte (four buffers of 256 MiB): a smaller device spills over soon.
pub(crate) const DB_BYTES: u64 = 2 << 30;
/// `ceph-osd --mkfs` makes no store with less.
pub(crate) const DB_BYTES_LEAST: u64 = 64 << 20;

/// The file below the device, in the OSD's directory.
pub(crate) fn file(osd: &Path) -> PathBuf {
    osd.join("db.file")
}

/// Where BlueStore looks for the device, in the OSD's directory.
pub(crate) fn link(osd: &Path) -> PathBuf {
    osd.join("block.db")
}

/// Makes file and device; nothing leads to it yet.
pub(crate) fn make_device(
    osd: &Path,
    bytes: u64,
    run: impl Fn(&mut Command) -> Result<Output, LabError>,
) -> Result<PathBuf, LabError> {
    let file = file(osd);
    loopdev::make_sparse(&file, bytes)?;
    loopdev::attach_with(&file, run)
}
