//! mClock with several queues on hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-mclock-hdd-shards",
    about: Area::Osd,
    what: "Hard disks have five queues each under mClock.",
    why: "Clients then get an erratic share, and requests are slow when a node fails; since 18.2.5 and 19.2.1 the default is one queue with five threads.",
    evidence: "OSDs on hard disks run 17.2.0 to before 18.0.0, 18.0.0 to before 18.2.5, or 19.0.0 to before 19.2.1, and neither osd_op_num_shards_hdd, osd_op_num_shards nor osd_op_queue is set.",
    sources: &[
        "Ceph's release notes, v18.2.5 Reef (ceph/ceph pull request 59972) and v19.2.1 Squid",
        "tracker.ceph.com issue 66289",
    ],
    needs: &[Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set osd osd_op_num_shards_hdd 1; ceph config set osd osd_op_num_threads_per_shard_hdd 5; then restart",
    risk: "daemons restart, one host at a time",
    confirm: "measure while a disk recovers, before and after (fathom run, fathom compare)",
    releases: Releases::between((17, 2, 0), (19, 2, 1)),
    ..Rule::OF_FACTS
};

/// Reef and Squid were mended in a release of their own each, Quincy never.
const FAULTY: [Releases; 3] = [
    Releases::between((17, 2, 0), (18, 0, 0)),
    Releases::between((18, 0, 0), (18, 2, 5)),
    Releases::between((19, 0, 0), (19, 2, 1)),
];

fn suspect(case: &Case) -> Vec<Suspect> {
    if ["osd_op_num_shards_hdd", "osd_op_num_shards", "osd_op_queue"].iter().any(|name| case.set(name).next().is_some())
    {
        return Vec::new();
    }
    let faulty = |osd: &OsdFacts| osd.version.is_some_and(|own| FAULTY.iter().any(|releases| releases.hold(own)));
    of_osds(case, |osd| osd.on_hdd() && faulty(osd), "hard disks have five queues under mClock", |_| "hard disk".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::text;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 18, 2, 4)
            }),
            ["osd.*"]
        );
    }

    #[test]
    fn the_release_of_each_osd_itself_counts() {
        let runs = |major, minor, patch| {
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, major, minor, patch)
            })
        };
        for (major, minor, patch) in [(17, 2, 0), (17, 2, 9), (18, 2, 4), (19, 2, 0)] {
            assert_eq!(runs(major, minor, patch), ["osd.*"], "{major}.{minor}.{patch}");
        }
        for (major, minor, patch) in [(16, 2, 15), (18, 2, 5), (18, 2, 7), (19, 2, 1), (20, 2, 0)] {
            assert_eq!(runs(major, minor, patch), NOBODY, "{major}.{minor}.{patch}");
        }
    }

    #[test]
    fn in_the_middle_of_an_upgrade_only_those_that_are_still_to_come_are_told() {
        let half = suspects(&RULE, |facts| {
            hard_disks(facts);
            release(facts, 19, 2, 0);
            each_osd(facts, |osd| {
                if osd.id < 3 {
                    osd.version = Some(Version(19, 2, 1))
                }
            })
        });
        let evidence = text(&half[0].evidence[0]);
        assert!(evidence.starts_with("3 of 6 OSDs (osd.3, osd.4, osd.5)"), "{evidence}");
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 19, 2, 1)
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 18, 2, 4);
                set(facts, "osd", "osd_op_queue", "wpq")
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
