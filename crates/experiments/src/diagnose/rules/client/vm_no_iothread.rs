//! Virtual machines of which one thread serves several images.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "vm-no-iothread",
    about: Area::Client,
    what: "Several images of a virtual machine share QEMU's main thread.",
    why: "That thread takes each request of each of them, beside all else that QEMU does. With one disk a thread of its own gave 4 % more in one test; several share what one thread can do.",
    evidence: "A process of QEMU on a host that was looked at shows at least two images by virtio-blk or virtio-scsi without an iothread.",
    sources: &["ceph.io blog, 2022: qemu-kvm-tuning", "QEMU's documentation: -object iothread"],
    needs: &[Source::Facts(FactsPart::Guests)],
    suspect,
    fix: "give each disk a thread (in libvirt: iothreads, and iothread=\"1\" of the driver of a disk; for virtio-scsi of its controller)",
    risk: "the virtual machine has to be stopped and started; a thread takes a processor of the host under load",
    confirm: "top -H of the process while the guest loads all of its disks: is the first thread at 100 %?",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.cluster().lab {
        return Vec::new();
    }
    of_guests(case, "images of a virtual machine share one thread", |guest| {
        (guest.main_thread >= 2).then(|| format!("{} images in the main thread", guest.main_thread))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| (guest.own_threads, guest.main_thread) = (0, 2))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| (guest.own_threads, guest.main_thread) = (1, 1))), NOBODY);
        assert_eq!(told(&RULE, |facts| guest(facts, |_| ())), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| (guest.own_threads, guest.main_thread) = (0, 0))), NOBODY);
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.guests = None)), NOBODY);
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
