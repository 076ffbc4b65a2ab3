//! Options of RocksDB that were copied from elsewhere.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-rocksdb-options",
    about: Area::Osd,
    what: "The options of RocksDB were replaced by a copied string.",
    why: "Strings from vendors' papers and mailing lists replace all defaults: since Reef these hold the tuned values of 2022, and a copied string takes them back.",
    evidence: "bluestore_rocksdb_options is set, on 18.2.0 and later. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["ceph.io blog, 2022: rocksdb-tuning-deep-dive", "Ceph's release notes, v18.2.0 Reef"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart; what is to be added goes to bluestore_rocksdb_options_annex",
    risk: "daemons restart, one host at a time",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    releases: Releases::from(18, 0, 0),
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "bluestore_rocksdb_options",
        |option| !option.value.is_empty(),
        "options of RocksDB were copied from elsewhere: folklore",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "bluestore_rocksdb_options", "compression=kNoCompression")),
            ["osd/bluestore_rocksdb_options"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluestore_rocksdb_options", "")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
