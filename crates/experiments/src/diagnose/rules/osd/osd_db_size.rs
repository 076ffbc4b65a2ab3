//! Small databases beside large data.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-db-size",
    about: Area::Osd,
    what: "The device for the database is small for what it belongs to.",
    why: "What does not fit spills over to the slow device. Sizes of 4, 30 and 286 GB are a matter of releases before 15.2.6: since then any size is used.",
    evidence: "An OSD has a database of its own of less than 10 GiB, or of less than 1 % of its data.",
    sources: &[
        "Ceph's documentation, \"BlueStore Configuration Reference\"",
        "Clyso's analyzer (clyso/otto on GitHub)",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "a larger block.db: ceph-volume lvm migrate, or lvextend and ceph-bluestore-tool bluefs-bdev-expand",
    risk: "the OSD is down meanwhile",
    confirm: "ceph daemon osd.N perf dump: slow_used_bytes of bluefs",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| {
            osd.on_disks()
                && osd.dedicated_db == Some(true)
                && osd.db_bytes.is_some_and(|own| own < 10 << 30 || osd.bytes.is_some_and(|all| own < all / 100))
        },
        "the device for the database is small",
        |osd| {
            phrase!(
                "{} bytes of {}",
                Quantity::Count(osd.db_bytes.unwrap_or(0)),
                Quantity::Count(osd.bytes.unwrap_or(0))
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.dedicated_db, osd.db_bytes) = (Some(true), Some(4 << 30)))),
            ["osd.1"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.dedicated_db, osd.db_bytes) = (Some(true), Some(120 << 30)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
