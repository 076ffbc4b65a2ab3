//! `few-pgs`: a pool with too few placement groups for its OSDs.
//!
//! A pool of the fault's own, to be measured with `--pool`: Fathom's temporary pools have as many as the cluster needs, whatever its default.

use super::changes::{Change, OwnPool};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "few-pgs",
    what: "There is a pool, fault.few-pgs, with this number of placement groups; measure it with --pool.",
    target: TargetKind::Nothing,
    value: Some(Value { default: "1", unit: "" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let groups = asked.number(1.0..=256.0)?.round() as u32;
    Ok(vec![Change::OwnPool(OwnPool::new(asked.fault.name, groups))])
}
