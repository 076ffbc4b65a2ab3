//! `link-slow-to`: what a host receives comes at a low rate.

use super::changes::{Change, Place, Queue};
use super::target::TargetKind;
use super::{Asked, Fault, Value, links};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "link-slow-to",
    what: "The host's link carries at most this rate towards the host.",
    target: TargetKind::Link,
    value: Some(Value { default: "10", unit: "Mbit/s" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let bucket = links::token_bucket(asked.number(0.1..=100_000.0)?);
    let queue = Queue::new(asked.fault.name, links::outside(asked, asked.link()), Place::Root, &[&bucket]);
    Ok(vec![Change::Queue(queue)])
}
