//! Drives that write in larger units than BlueStore.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-qlc-iu",
    about: Area::Device,
    what: "A drive writes in larger units than BlueStore allocates.",
    why: "A write of 4 KiB makes the drive read and write its whole unit; of one with units of 64 KiB testers called it miserable.",
    evidence: "The physical block of an OSD's drive is larger than 4096 bytes.",
    sources: &["ceph/ceph pull request 65269", "Ceph's documentation, \"BlueStore Configuration Reference\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "make the OSD anew with bluestore_use_optimal_io_size_for_min_alloc_size true",
    risk: "small objects take more space; data are made anew elsewhere meanwhile",
    confirm: "fathom disk on a free drive of the model: writes of 4 KiB against those of its unit",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "the drive writes in larger units than BlueStore", |disk| {
        disk.physical_block
            .filter(|unit| *unit > 4096 && disk.rotational == Some(false) && coarse(case, *unit))
            .map(|unit| format!("{unit} bytes"))
    })
}

/// Some OSD allocates less than that.
fn coarse(case: &Case, unit: u64) -> bool {
    case.osds().iter().any(|osd| osd.min_alloc.is_some_and(|own| own < unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.physical_block = Some(16_384))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.physical_block = Some(512))), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                each_osd(facts, |osd| osd.min_alloc = Some(16_384));
                one_disk(facts, |disk| disk.physical_block = Some(16_384))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
