//! Caches that the kernel does not flush.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-sysfs-lies",
    about: Area::Device,
    what: "The kernel takes a disk's cache for write through, and the disk says write back.",
    why: "The kernel then sends no flush: writes are fast, and lost when the power fails.",
    evidence: "queue/write_cache of an OSD's disk says write through, and cache_type of the SCSI layer write back.",
    sources: &["Linux, \"Queue sysfs files\": write_cache"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "switch the disk's cache off first (sdparm --clear WCE), or tell the kernel the truth: echo \"write back\" > /sys/block/DISK/queue/write_cache",
    risk: "until then acknowledged data can be lost",
    confirm: "sdparm --get WCE /dev/DISK",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "a cache that the kernel does not flush", |disk| {
        disk.cache_type
            .clone()
            .filter(|kind| kind.starts_with("write back") && disk.write_cache.as_deref() == Some("write through"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                sata_flash(facts);
                one_disk(facts, |disk| disk.cache_type = Some("write back".into()))
            }),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                sata_flash(facts);
                one_disk(facts, |disk| disk.cache_type = Some("write through".into()))
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                sata_flash(facts);
                one_disk(facts, |disk| {
                    (disk.cache_type, disk.write_cache) = (Some("write back".into()), Some("write back".into()))
                })
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
