//! Hard disks all of whose writes go to the log first.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-defer-regression",
    about: Area::Osd,
    what: "A fault of 16.2.0 to 16.2.5 puts all writes to hard disks into the log first.",
    why: "The database is then flushed and compacted all the time.",
    evidence: "An OSD on hard disks runs 16.2.0 to 16.2.5.",
    sources: &["Ceph's release notes, v16.2.6 Pacific"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "upgrade to the newest release of the same name",
    risk: "an upgrade restarts all daemons",
    confirm: "ceph daemon osd.N perf dump: bluestore deferred_write_bytes grow as fast as what is written",
    releases: Releases::between((16, 2, 0), (16, 2, 6)),
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.on_hdd() && osd.version.is_some_and(|version| version < Version(16, 2, 6)),
        "all writes to hard disks go to the log first",
        |osd| phrase!("it runs {}", osd.version.map(|version| version.to_string()).unwrap_or_default()),
    )
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
                release(facts, 16, 2, 4)
            }),
            ["osd.*"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 16, 2, 7)
            }),
            NOBODY
        );
        assert_eq!(told(&RULE, |facts| release(facts, 16, 2, 4)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
