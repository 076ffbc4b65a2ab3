//! A log device that is smaller than the log.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-wal-size",
    about: Area::Osd,
    what: "The device for the log is smaller than the log may grow.",
    evidence: "An OSD has a log device of its own of less than 1 GiB.",
    sources: &["Clyso's analyzer (clyso/otto on GitHub)", "SUSE Enterprise Storage 6, \"Tuning Guide\" (4 GiB)"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "a larger block.wal, or none: without it the log lies with the database",
    risk: "the OSD is down meanwhile",
    confirm: "fathom osd measures each OSD alone: those are slower than their peers, or they are not",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.on_disks() && osd.dedicated_wal == Some(true) && osd.wal_bytes.is_some_and(|own| own < 1 << 30),
        "the device for the log is small",
        |osd| phrase!("{} bytes", Quantity::Count(osd.wal_bytes.unwrap_or(0))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.dedicated_wal, osd.wal_bytes) =
                (Some(true), Some(512 << 20)))),
            ["osd.1"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.dedicated_wal, osd.wal_bytes) = (Some(true), Some(4 << 30)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
