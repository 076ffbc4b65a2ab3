//! `flags`: flags of the OSD map are set.

use super::changes::{Change, Flag};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "flags",
    what: "These flags of the cluster are set.",
    target: TargetKind::Nothing,
    value: Some(Value { default: "noout,noscrub,nodeep-scrub", unit: "" }),
    plan,
};

const KNOWN: [&str; 12] = [
    "pause",
    "noup",
    "nodown",
    "noout",
    "noin",
    "nobackfill",
    "norebalance",
    "norecover",
    "noscrub",
    "nodeep-scrub",
    "notieragent",
    "nosnaptrim",
];

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let flags: Vec<&str> = asked.value.split(',').map(str::trim).collect();
    if let Some(unknown) = flags.iter().find(|flag| !KNOWN.contains(flag)) {
        let known = KNOWN.join(", ");
        return Err(LabError::Usage(format!("--value of flags: there is no flag {unknown:?}; there are {known}")));
    }
    Ok(Flag::all(asked.access, &flags)?.into_iter().map(Change::Flag).collect())
}
