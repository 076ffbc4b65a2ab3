//! Allocation units of older releases.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-min-alloc",
    about: Area::Osd,
    what: "OSDs were made with larger allocation units than 4 KiB.",
    why: "Small objects and erasure-coded parts take a whole unit: 64 KiB each on hard disks made before Pacific. For latency alone it is no reason to make them anew: one comparison had 16 KiB ahead at depth 1, and 4 KiB at depth 128.",
    evidence: "An OSD on disks has a bluestore_min_alloc_size above 4096, and no device that asks for more.",
    sources: &[
        "Ceph's documentation, \"BlueStore Configuration Reference\"",
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        "Clyso's analyzer (clyso/otto on GitHub)",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "where space matters (ceph df: USED far above STORED times copies): make the OSDs anew, one host at a time",
    risk: "data are made anew elsewhere meanwhile",
    confirm: "ceph df detail: compare USED with STORED times the copies",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| {
            osd.on_disks()
                && osd.min_alloc.is_some_and(|unit| unit > 4096 && osd.optimal_io.is_none_or(|own| own < unit))
        },
        "allocation units of older releases",
        |osd| phrase!("{} bytes", Quantity::Count(osd.min_alloc.unwrap_or(0))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.min_alloc = Some(65_536))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.min_alloc, osd.optimal_io) = (Some(65_536), Some(65_536)))),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.min_alloc, osd.data_devices) = (Some(65_536), vec![]))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
