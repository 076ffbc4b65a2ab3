//! A database that is read from disk again and again.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-bluefs-buffered",
    about: Area::Osd,
    what: "The page cache is not used for RocksDB's files.",
    why: "With it off RocksDB reads the same blocks from disk again and again, when its own cache misses; since 14.2.22 the default is on.",
    evidence: "bluefs_buffered_io is set to false. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Ceph's release notes, v14.2.22 Nautilus",
        "Ceph's documentation, \"BlueStore Configuration Reference\"",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "the page cache takes memory; keep hosts from swapping",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(case, "bluefs_buffered_io", off, "RocksDB goes without the page cache")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluefs_buffered_io", "false")), ["osd/bluefs_buffered_io"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluefs_buffered_io", "true")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
