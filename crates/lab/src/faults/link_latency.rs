//! `link-latency`: packets to and from a host take longer. Needs a kernel with netem.

use super::changes::{Change, Place, Queue};
use super::target::TargetKind;
use super::{Asked, Fault, Value, links};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "link-latency",
    what: "Packets to the host, and packets from it, are each delayed by this time (needs a kernel with netem).",
    target: TargetKind::Link,
    value: Some(Value { default: "1", unit: "ms" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let ms = asked.number(0.001..=10_000.0)?;
    let delay = format!("qdisc replace dev DEV root netem delay {:.0}us limit 100000", ms * 1000.0);
    let ends = [links::inside(asked, asked.link()), links::outside(asked, asked.link())];
    Ok(ends.map(|end| Change::Queue(Queue::new(asked.fault.name, end, Place::Root, &[&delay]))).into())
}
