//! Virtual machines with one processor.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "vm-vcpu-small",
    about: Area::Client,
    what: "A virtual machine with images has one processor.",
    why: "What loads its disks, its kernel and its interrupts share it: it is often the limit of what is measured in it. In a published test the machine that loaded had to be made larger before the cluster was the limit.",
    evidence: "A process of QEMU on a host that was looked at has -smp 1 and an image; without the option nothing is told.",
    sources: &["\"Ceph性能测试\" (performance tests of Ceph Octopus, 2020)", "QEMU's documentation: -smp"],
    needs: &[Source::Facts(FactsPart::Guests)],
    suspect,
    fix: "give it more processors, above all one from which you measure",
    risk: "processors of the host; some guests have to be started anew",
    confirm: "top in the guest while it loads its disks: is its processor full?",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.cluster().lab {
        return Vec::new();
    }
    of_guests(case, "virtual machines have one processor", |guest| {
        (guest.processors == Some(1)).then(|| "1 processor".to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| guest.processors = Some(1))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| guest.processors = Some(2))), NOBODY);
        assert_eq!(told(&RULE, |facts| guest(facts, |_| ())), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| guest.processors = None)), NOBODY);
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.guests = None)), NOBODY);
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
