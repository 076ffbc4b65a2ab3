//! `wrong-db-device`: an OSD's database lies on a slow device of its own, as a block.db on the wrong disk does. An OSD that has no such
//! device gets one; of a lab with databases apart (`--db`) the device that is there becomes slow.

use super::changes::{Cgroup, Change, DbDevice};
use super::device_number::number_of;
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use nix::unistd::geteuid;

pub static FAULT: Fault = Fault {
    name: "wrong-db-device",
    what: "The OSD's database (block.db) lies on a device of its own that does at most this many reads, and as many writes, per second.",
    target: TargetKind::Osd,
    value: Some(Value { default: "100", unit: "/s" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let limit = asked.number(10.0..=10_000_000.0)?.round().to_string();
    let own = asked.access.lab.osds.iter().find(|one| one.id == asked.osd()).and_then(|osd| osd.db.as_ref());
    if own.is_none() {
        asked.need_running()?;
    }
    if !geteuid().is_root() {
        return Err(LabError::NeedsRoot { what: "a device for an OSD's database", instead: "take another fault" });
    }
    let device = own.map(|device| number_of(device)).transpose()?;
    let files = ["blkio.throttle.write_iops_device", "blkio.throttle.read_iops_device"];
    let limits = files.iter().map(|file| Cgroup::new(&asked.limited(), "blkio", file, device.clone(), &limit, "0"));
    let limits = limits.collect::<Result<Vec<_>, _>>()?;
    if device.is_some() {
        return Ok(limits.into_iter().map(Change::Cgroup).collect());
    }
    crate::preflight::find("ceph-bluestore-tool", "ceph-osd")?;
    let access = asked.access;
    let dir = access.dirs.data(access.lab.backing).join(asked.daemon());
    Ok(vec![Change::DbDevice(DbDevice { daemon: asked.daemon(), dir, limits })])
}
