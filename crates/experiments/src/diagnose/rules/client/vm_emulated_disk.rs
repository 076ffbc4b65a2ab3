//! Images that virtual machines see as disks of old.

use crate::diagnose::facts::prelude::*;
use model::facts::Guest;

pub static RULE: Rule = Rule {
    id: "vm-emulated-disk",
    about: Area::Client,
    what: "A virtual machine sees an image as an emulated IDE, SATA or SCSI disk.",
    why: "With QEMU's default, which is IDE, one virtual machine did 2,500 random reads of 16 KiB a second, with virtio 24,900 on the same cluster; without the cache and with newer libraries 126,000.",
    evidence: "A process of QEMU on a host that was looked at has an image (librbd, or mapped by the kernel) as a drive that is shown as ide-…, behind a controller lsi…, megasas… or am53c974, \
               by usb-storage, or without any word, so that it becomes the board's IDE.",
    sources: &["ceph.io blog, 2022: qemu-kvm-tuning"],
    needs: &[Source::Facts(FactsPart::Guests)],
    suspect,
    fix: "give it virtio-blk, or virtio-scsi (in libvirt: bus=\"virtio\"), with its drivers in the guest, and cache=none on flash",
    risk: "the guest has to know the driver before it starts from it, and its disks get other names",
    confirm: "load the image with fathom rbd from the same host, and compare with the same load within the guest",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

const EMULATED: [&str; 5] = ["ide", "lsi", "megasas", "am53c974", "usb"];

fn suspect(case: &Case) -> Vec<Suspect> {
    of_guests(case, "virtual machines see images as emulated disks", |guest| emulated(guest).map(str::to_string))
}

fn emulated(guest: &Guest) -> Option<&str> {
    let is = |disk: &&str| {
        // Of a SCSI disk the controller counts; `scsi` alone is QEMU's own.
        let by = disk.rsplit(" on ").next().unwrap_or(disk);
        by == "scsi" || EMULATED.iter().any(|kind| by.starts_with(kind))
    };
    guest.disks.iter().map(String::as_str).find(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn with(disk: &str) -> Vec<String> {
        told(&RULE, |facts| {
            one_host(facts, |host| {
                host.guests = Some(vec![Guest { name: "db".into(), disks: vec![disk.into()], ..Guest::default() }])
            })
        })
    }

    #[test]
    fn it_is_seen() {
        assert_eq!((with("ide"), with("ide-hd")), (vec!["b".to_string()], vec!["b".to_string()]));
        assert_eq!((with("scsi-hd on lsi"), with("scsi")), (vec!["b".to_string()], vec!["b".to_string()]));
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!((with("virtio-blk-pci"), with("scsi-hd on virtio-scsi-pci")), (vec![], vec![]));
        assert_eq!(with("scsi-hd"), NOBODY, "its controller is not known");
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.guests = None)), NOBODY);
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
