//! RocksDB as it was tuned before Reef.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-rocksdb-pre-reef",
    about: Area::Osd,
    what: "OSDs on NVMe use the options of RocksDB of before Reef.",
    why: "With those of Reef a test of 2022 gained 20 % on Pacific (527,000 to 632,000 IOPS) and 14 % on Quincy, of 4 KiB random writes on 60 NVMe drives.",
    evidence: "OSDs on NVMe run a release before 18, and bluestore_rocksdb_options is not set.",
    sources: &["ceph.io blog, 2022: rocksdb-tuning-deep-dive"],
    needs: &[Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "upgrade to Reef; or ceph config set osd bluestore_rocksdb_options to the string of that article, then restart",
    risk: "on Pacific and Quincy the string was not tested by the project",
    confirm: "measure small random writes before and after (fathom osd, then fathom compare)",
    releases: Releases::before(18, 0, 0),
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.set("bluestore_rocksdb_options").next().is_some() {
        return Vec::new();
    }
    let old = |osd: &OsdFacts| osd.on_nvme() && osd.version.is_some_and(|version| version < Version(18, 0, 0));
    of_osds(case, old, "RocksDB is tuned as before Reef", |osd| {
        osd.version.map(|version| version.to_string()).unwrap_or_default().into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| release(facts, 17, 2, 7)), ["osd.*"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 17, 2, 7);
                set(facts, "osd", "bluestore_rocksdb_options", "x")
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 17, 2, 7);
                sata_flash(facts)
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
