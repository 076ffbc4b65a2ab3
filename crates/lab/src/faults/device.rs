//! The block device below an OSD, as control groups name it.

use super::Asked;
use super::device_number::{number_of, numbers, whole};
use crate::errors::LabError;
use crate::spec::Backing;
use std::fs;
use std::os::unix::fs::MetadataExt;

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
