//! `link-loss`: a part of the packets to and from a host is lost, by chance.

use super::changes::{Change, Place, Queue};
use super::target::TargetKind;
use super::{Asked, Fault, Value, links};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "link-loss",
    what: "This share of the packets to and from the host is lost, each by chance.",
    target: TargetKind::Link,
    value: Some(Value { default: "1", unit: "%" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let percent = asked.number(0.001..=100.0)?;
    let filter = format!("filter add dev DEV egress bpf da bytecode {}", program(percent / 100.0));
    let commands = ["qdisc add dev DEV clsact", &filter];
    let ends = [links::inside(asked, asked.link()), links::outside(asked, asked.link())];
    Ok(ends.map(|end| Change::Queue(Queue::new(asked.fault.name, end, Place::Clsact, &commands))).into())
}

/// A filter in the classic language of BPF, which needs neither netem nor iptables: a random number of 32 bits below the bound drops the
/// packet (TC_ACT_SHOT is 2), any other goes on (TC_ACT_UNSPEC is -1). The number is at SKF_AD_OFF + SKF_AD_RANDOM = -0x1000 + 56.
fn program(part: f64) -> String {
    let bound = (part * f64::from(u32::MAX)) as u32;
    let random = (-0x1000_i32 + 56) as u32;
    let text = format!("4,32 0 0 {random},53 1 0 {bound},6 0 0 2,6 0 0 {}", u32::MAX);
    // One word of the command: tc takes tabs as well.
    text.replace(' ', "\t")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bound_is_the_part_of_all_numbers() {
        let words = super::program(0.5).replace('\t', " ");
        assert_eq!(words, "4,32 0 0 4294963256,53 1 0 2147483647,6 0 0 2,6 0 0 4294967295");
    }
}
