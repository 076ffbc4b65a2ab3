//! Write caches of hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-hdd-cache-on",
    about: Area::Device,
    what: "The volatile write cache of a hard disk is on.",
    why: "Some models use a cache on the platter, or in flash, only with the volatile one off: ST8000NM0055 does 1,129 to 1,392 durable writes a second in place of 230 to 273, and a cluster with journals on flash gave a virtual machine 405 in place of 59 (the cache of the flash made no difference there). Others get slower: it has to be measured for each model.",
    evidence: "The kernel takes the cache of an OSD's hard disk for write back.",
    sources: &[
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        "Ceph's documentation, \"Hardware Recommendations: Write Caches\"",
    ],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "measure, then: hdparm -W0 /dev/DISK or sdparm --clear WCE /dev/DISK, and a udev rule",
    risk: "some models get slower; the gain ends when their cache is full",
    confirm: "fathom disk on a free disk of the same model: durable writes with the cache on and off",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "the volatile write cache of hard disks is on", |disk| {
        disk.write_cache.clone().filter(|cache| cache == "write back" && disk.rotational == Some(true))
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
                hard_disks(facts);
                one_disk(facts, |disk| disk.write_cache = Some("write back".into()))
            }),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, hard_disks), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
