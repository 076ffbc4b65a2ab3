//! `nearly-full`: OSDs are called nearly full from a low ratio on.

use super::changes::{Change, NearfullRatio};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "nearly-full",
    what: "OSDs are called nearly full from this part of their room on (1 is all of it).",
    target: TargetKind::Nothing,
    value: Some(Value { default: "0.0001", unit: "" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let ratio = asked.number(0.0001..=0.9)?;
    Ok(vec![Change::NearfullRatio(NearfullRatio::new(asked.access, ratio)?)])
}
