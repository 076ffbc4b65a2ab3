//! `mds-cache`: the metadata server remembers next to nothing.

use super::changes::{Change, Settings};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use crate::services::Service;

pub static FAULT: Fault = Fault {
    name: "mds-cache",
    what: "The metadata server's cache has this many MiB: what does not fit is read from the metadata pool again, and clients are asked to give back what they hold.",
    target: TargetKind::Nothing,
    value: Some(Value { default: "1", unit: "MiB" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let daemon = asked.access.need_service(asked.fault.name, Service::Cephfs)?;
    let bytes = (asked.number(1.0..=65536.0)? as u64) << 20;
    let options = [("mds_cache_memory_limit", bytes.to_string())];
    Ok(vec![Change::Settings(Settings::new(asked.access, daemon, &options, Vec::new())?)])
}
