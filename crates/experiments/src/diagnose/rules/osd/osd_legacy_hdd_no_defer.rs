//! Hard disks whose small writes wait for seeks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-legacy-hdd-no-defer",
    about: Area::Osd,
    what: "Hard disks made before Pacific do not put small writes into the log first any more.",
    why: "With units of 64 KiB, and a bound for deferring of the same size, a small write goes to its place at once: a seek of milliseconds each.",
    evidence: "An OSD on hard disks has a bluestore_min_alloc_size of 65536, runs 16.2.0 to before 16.2.11, or 17.0.0 to before 17.2.6, and bluestore_prefer_deferred_size_hdd is not set above 65536.",
    sources: &["tracker.ceph.com issue 56488; ceph/ceph pull requests 48490, 49170 (16.2.11) and 49333 (17.2.6)"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph config set osd bluestore_prefer_deferred_size_hdd 65537, then restart; or upgrade",
    risk: "more goes through the log",
    confirm: "ceph daemon osd.N perf dump: bluestore_deferred_write_ops does not move while small writes come",
    releases: Releases::between((16, 2, 0), (17, 2, 6)),
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

/// Each of the two was mended in a release of its own.
const FAULTY: [Releases; 2] = [Releases::between((16, 2, 0), (16, 2, 11)), Releases::between((17, 0, 0), (17, 2, 6))];

fn suspect(case: &Case) -> Vec<Suspect> {
    let faulty = |osd: &OsdFacts| osd.version.is_some_and(|own| FAULTY.iter().any(|releases| releases.hold(own)));
    of_osds(
        case,
        |osd| osd.on_hdd() && osd.min_alloc == Some(65_536) && faulty(osd) && !raised(case),
        "small writes of hard disks wait for seeks",
        |_| "units of 64 KiB".into(),
    )
}

fn raised(case: &Case) -> bool {
    case.set("bluestore_prefer_deferred_size_hdd").any(|option| number(option).is_some_and(|bytes| bytes > 65_536.0))
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
                release(facts, 16, 2, 10);
                one_osd(facts, |osd| osd.min_alloc = Some(65_536))
            }),
            ["osd.1"]
        );
    }

    #[test]
    fn the_release_of_the_osd_itself_counts() {
        let runs = |version: Version| {
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 16, 2, 10);
                one_osd(facts, |osd| (osd.min_alloc, osd.version) = (Some(65_536), Some(version)))
            })
        };
        assert_eq!(runs(Version(16, 2, 10)), ["osd.1"]);
        assert_eq!(runs(Version(17, 2, 5)), ["osd.1"]);
        assert_eq!(runs(Version(16, 2, 11)), NOBODY);
        assert_eq!(runs(Version(16, 2, 15)), NOBODY);
        assert_eq!(runs(Version(17, 2, 6)), NOBODY);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 18, 2, 4);
                one_osd(facts, |osd| osd.min_alloc = Some(65_536))
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 16, 2, 10);
                one_osd(facts, |osd| osd.min_alloc = Some(65_536));
                set(facts, "osd", "bluestore_prefer_deferred_size_hdd", "65537")
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
