//! `disk-bandwidth`: the device below an OSD reads and writes at most a given number of bytes per second.

use super::changes::{Cgroup, Change};
use super::target::TargetKind;
use super::{Asked, Fault, Value, device};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "disk-bandwidth",
    what: "The OSD's device reads at most this many megabytes per second, and writes at most as many.",
    target: TargetKind::Osd,
    value: Some(Value { default: "1", unit: "MB/s" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let limit = (asked.number(0.1..=100_000.0)? * 1e6).round().to_string();
    let device = device::number(asked)?;
    let files = ["blkio.throttle.write_bps_device", "blkio.throttle.read_bps_device"];
    files
        .iter()
        .map(|file| Cgroup::new(&asked.limited(), "blkio", file, Some(device.clone()), &limit, "0").map(Change::Cgroup))
        .collect()
}
