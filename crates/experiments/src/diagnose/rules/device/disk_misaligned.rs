//! Partitions that begin between blocks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-misaligned",
    about: Area::Device,
    what: "A partition of an OSD's disk does not begin at a block of 4 KiB.",
    why: "Each write then touches two of the drive's blocks.",
    evidence: "The first sector of a partition is no multiple of eight.",
    sources: &["Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "make the partition and the OSD anew; LVM on the whole disk avoids it",
    risk: "data are made anew elsewhere meanwhile",
    confirm: "fathom disk on a free partition made in both ways",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "a partition begins between blocks", |disk| {
        disk.partitions
            .iter()
            .find(|(_, start)| start % 8 != 0)
            .map(|(name, start)| format!("{name} begins at sector {start}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_disk(facts, |disk| disk.partitions = vec![("nvme0n1p1".into(), 63)])),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_disk(facts, |disk| disk.partitions = vec![("nvme0n1p1".into(), 2048)])),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
