//! `cpu-quota`: an OSD gets a part of one core.

use super::changes::{Cgroup, Change};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "cpu-quota",
    what: "The OSD may use at most this share of one core.",
    target: TargetKind::Osd,
    value: Some(Value { default: "10", unit: "%" }),
    plan,
};

const PERIOD_US: f64 = 100_000.0;

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    // The kernel takes no quota below 1 ms.
    let percent = asked.number(1.0..=100.0 * 64.0)?;
    let quota = (percent / 100.0 * PERIOD_US).round();
    let group = Cgroup::new(&asked.limited(), "cpu", "cpu.cfs_quota_us", None, &quota.to_string(), "-1")?;
    Ok(vec![Change::Cgroup(group)])
}
