//! `disk-iops`: the device below an OSD does at most a given number of reads, and as many writes, per second.

use super::changes::{Cgroup, Change};
use super::target::TargetKind;
use super::{Asked, Fault, Value, device};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "disk-iops",
    what: "The OSD's device does at most this many reads, and as many writes, per second.",
    target: TargetKind::Osd,
    value: Some(Value { default: "200", unit: "/s" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let limit = asked.number(1.0..=10_000_000.0)?.round().to_string();
    let device = device::number(asked)?;
    let files = ["blkio.throttle.write_iops_device", "blkio.throttle.read_iops_device"];
    files
        .iter()
        .map(|file| Cgroup::new(&asked.limited(), "blkio", file, Some(device.clone()), &limit, "0").map(Change::Cgroup))
        .collect()
}
