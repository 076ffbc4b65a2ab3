//! `mtu`: a host's interface has another MTU than what it is connected to.

use super::changes::{Change, Mtu};
use super::target::TargetKind;
use super::{Asked, Fault, Value, links};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "mtu",
    what: "The host's interface has this MTU, and all else has 1500: larger packets are lost without a word.",
    target: TargetKind::Link,
    value: Some(Value { default: "9000", unit: "bytes" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let mtu = asked.number(576.0..=65_535.0)?.round() as u32;
    Ok(vec![Change::Mtu(Mtu::new(links::inside(asked, asked.link()), mtu)?)])
}
