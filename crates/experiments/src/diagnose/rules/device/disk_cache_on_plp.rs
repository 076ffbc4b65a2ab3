//! Write caches of SATA and SAS flash.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-cache-on-plp",
    about: Area::Device,
    what: "The volatile write cache of flash behind SATA or SAS is on.",
    why: "With it on, each flush goes to the flash: drives with capacitors then do 288 to 659 durable writes a second in place of 18,000 to 25,000. Others get slower without it.",
    evidence: "The kernel takes the cache of an OSD's flash behind SATA or SAS for write back.",
    sources: &[
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        "Ceph's documentation, \"Hardware Recommendations: Write Caches\"",
    ],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "measure, then for drives with power-loss protection: hdparm -W0 /dev/DISK or sdparm --clear WCE /dev/DISK, and a udev rule",
    risk: "drives without capacitors may get slower; after a power cycle the drive may have it on again",
    confirm: "fathom disk on a free drive of the same model: durable writes with the cache on and off",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "the volatile write cache of flash is on", |disk| {
        disk.write_cache
            .clone()
            .filter(|cache| cache == "write back" && disk.rotational == Some(false) && disk.name.starts_with("sd"))
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
                one_disk(facts, |disk| disk.write_cache = Some("write back".into()))
            }),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.write_cache = Some("write back".into()))), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                one_disk(facts, |disk| disk.write_cache = Some("write back".into()))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
