//! `path-slow`: what one host sends to one other goes at a low rate, and everything else as before.

use super::changes::{Change, Place, Queue};
use super::target::{Target, TargetKind};
use super::{Asked, Fault, Value, links};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "path-slow",
    what: "What the first host sends to the second one goes at most at this rate.",
    target: TargetKind::Path,
    value: Some(Value { default: "10", unit: "Mbit/s" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let rate = asked.number(0.1..=100_000.0)? * 1e6;
    let Target::Path(from, to) = &asked.target else { unreachable!("the target was parsed as a path") };
    let host = asked.access.lab.host(&to.host);
    let address = host.cluster_address.as_ref().filter(|_| to.cluster).unwrap_or(&host.address);
    let commands = [
        // What no filter chooses passes unlimited.
        "qdisc add dev DEV root handle 1: htb default 0",
        &format!("class add dev DEV parent 1: classid 1:10 htb rate {rate:.0} burst 16kb"),
        &format!("filter add dev DEV parent 1: protocol ip prio 1 u32 match ip dst {address}/32 flowid 1:10"),
    ];
    Ok(vec![Change::Queue(Queue::new(asked.fault.name, links::inside(asked, from), Place::Root, &commands))])
}
