//! Packages whose RocksDB was built without optimisation.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-rocksdb-debug-build",
    about: Area::Osd,
    what: "OSDs run packages of Debian or Ubuntu in which RocksDB may be built without optimisation.",
    why: "On one cluster a rebuilt package compacted three times as fast and did twice the small random writes; on another the compaction of all OSDs took 6 hours in place of 9.5.",
    evidence: "An OSD with BlueStore runs outside of containers on Debian or Ubuntu, with a release before 16.2.15, 17.2.8 or 18.2.2. Which packages it has is not told: those of the distribution may be well.",
    sources: &[
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
        "ceph.io blog, 2024: silver-bullet-rocksdb-performance",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "upgrade to a release with the mended build, or use containers",
    risk: "an upgrade restarts all daemons",
    confirm: "ceph tell osd.N compact: compare its MB/s with that of an OSD in a container",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| {
            osd.container == Some(false)
                && osd.store.as_deref() == Some("bluestore")
                && osd.distribution.as_deref().is_some_and(|name| ["debian", "ubuntu"].contains(&name))
                && osd.version.is_some_and(slow)
        },
        "RocksDB may be built without optimisation",
        |osd| {
            phrase!(
                "{} on {}",
                osd.version.map(|version| version.to_string()).unwrap_or_default(),
                osd.distribution.clone().unwrap_or_default()
            )
        },
    )
}

fn slow(version: Version) -> bool {
    let mended = match version.0 {
        16 => Version(16, 2, 15),
        17 => Version(17, 2, 8),
        18 => Version(18, 2, 2),
        major => return major < 16,
    };
    version < mended
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 17, 2, 6);
                one_osd(facts, |osd| (osd.container, osd.distribution) = (Some(false), Some("ubuntu".into())))
            }),
            ["osd.1"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 17, 2, 8);
                one_osd(facts, |osd| (osd.container, osd.distribution) = (Some(false), Some("ubuntu".into())))
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 17, 2, 6);
                one_osd(facts, |osd| (osd.container, osd.store) = (Some(false), Some("filestore".into())));
                one_osd(facts, |osd| osd.distribution = Some("ubuntu".into()))
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 17, 2, 6);
                one_osd(facts, |osd| osd.distribution = Some("ubuntu".into()))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
