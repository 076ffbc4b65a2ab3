//! Numbers of block devices, as control groups name them: `7:0`.

use crate::errors::LabError;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Of a device by its path.
pub(super) fn number_of(device: &Path) -> Result<String, LabError> {
    let found = fs::metadata(device).map_err(LabError::io("cannot look at", device))?;
    Ok(numbers(found.rdev()))
}

pub(super) fn numbers(device: u64) -> String {
    format!("{}:{}", libc::major(device), libc::minor(device))
}

/// The whole disk of a partition: control groups limit no partitions. `None`: no block device has this number.
pub(super) fn whole(number: &str) -> Option<String> {
    let entry = fs::canonicalize(Path::new("/sys/dev/block").join(number)).ok()?;
    if !entry.join("partition").exists() {
        return Some(number.to_owned());
    }
    fs::read_to_string(entry.parent()?.join("dev")).ok().map(|text| text.trim().to_owned())
}
