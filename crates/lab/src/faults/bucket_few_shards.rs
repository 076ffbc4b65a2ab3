//! `bucket-few-shards`: a bucket holds far more objects than the one shard of its index should.

use super::changes::{Change, OwnBucket, Settings};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use crate::rgw;
use crate::services::Service;

pub static FAULT: Fault = Fault {
    name: "bucket-few-shards",
    what: "A bucket of the fault's own has this many objects in an index of one shard, ten times what the gateway is told that a shard may have, and the gateway does not split it.",
    target: TargetKind::Nothing,
    value: Some(Value { default: "1000", unit: "objects" }),
    plan,
};

/// How much more than it should.
const TIMES: u32 = 10;

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    asked.access.need_service(asked.fault.name, Service::Rgw)?;
    let objects = asked.number(10.0..=10_000_000.0)?.round() as u32;
    let options =
        [("rgw_dynamic_resharding", "false".to_owned()), ("rgw_max_objs_per_shard", (objects / TIMES).to_string())];
    let settings = Settings::new(asked.access, rgw::SPEC.entity, &options, Vec::new())?;
    Ok(vec![Change::Settings(settings), Change::OwnBucket(OwnBucket::new(asked.fault.name, objects))])
}
