//! The block device below an OSD, as control groups name it.

use super::Asked;
use crate::errors::LabError;
use crate::spec::Backing;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// `7:0`, for the OSD that was asked for.
pub(super) fn number(asked: &Asked) -> Result<String, LabError> {
    let (access, osd) = (asked.access, asked.osd());
    let not_here = |why: String| LabError::FaultNotHere {
        fault: asked.fault.name.to_owned(),
        why,
        mend: "start a lab with --backing loop",
    };
    let path = access.lab.osds.iter().find(|one| one.id == osd).map(|one| one.device.clone()).unwrap_or_default();
    match access.lab.backing {
        Backing::Memory => Err(not_here(format!("the data of osd.{osd} lie in memory, on no block device"))),
        Backing::Loop => number_of(&path),
        Backing::File => {
            let file = fs::metadata(&path).map_err(LabError::io("cannot look at", &path))?;
            let number = whole(&numbers(file.dev()));
            number.ok_or_else(|| not_here(format!("{} lies on no single block device", path.display())))
        }
    }
}

/// Of a device by its path.
pub(super) fn number_of(device: &Path) -> Result<String, LabError> {
    let found = fs::metadata(device).map_err(LabError::io("cannot look at", device))?;
    Ok(numbers(found.rdev()))
}

fn numbers(device: u64) -> String {
    format!("{}:{}", libc::major(device), libc::minor(device))
}

/// The whole disk of a partition: control groups limit no partitions. `None`: no block device has this number.
fn whole(number: &str) -> Option<String> {
    let entry = fs::canonicalize(Path::new("/sys/dev/block").join(number)).ok()?;
    if !entry.join("partition").exists() {
        return Some(number.to_owned());
    }
    fs::read_to_string(entry.parent()?.join("dev")).ok().map(|text| text.trim().to_owned())
}
