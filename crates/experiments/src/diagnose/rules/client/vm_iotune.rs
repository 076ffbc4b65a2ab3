//! Limits of QEMU for images.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "vm-iotune",
    about: Area::Client,
    what: "QEMU holds an image of a virtual machine to a limit of operations or bytes a second.",
    why: "The limit is a plateau in the guest that nothing in the cluster explains.",
    evidence: "A process of QEMU on a host that was looked at has a limit above 0 for an image, or a group of such limits, on its command line. Limits that were set as it runs (virsh blkdeviotune) are not seen.",
    sources: &["QEMU's documentation: I/O throttling", "libvirt's documentation: iotune"],
    needs: &[Source::Facts(FactsPart::Guests)],
    suspect,
    fix: "raise it, or take it away, if it is not meant so (in libvirt: iotune; in Proxmox: Bandwidth; in OpenStack: the QoS specs of the volume type)",
    risk: "others may be crowded out",
    confirm: "load the image with fathom rbd from the same host: there the limit does not hold",
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_guests(case, "QEMU limits images of virtual machines", |guest| {
        (!guest.limits.is_empty()).then(|| guest.limits.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| guest(facts, |guest| guest.limits = vec!["throttling.iops-total=500".into()])),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| guest.limits = vec![])), NOBODY);
        assert_eq!(told(&RULE, |facts| guest(facts, |_| ())), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.guests = None)), NOBODY);
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
