//! Messages between OSDs that are compressed.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-wire-compression",
    about: Area::Network,
    what: "What OSDs send each other is compressed.",
    why: "It takes processor time for bandwidth: of use on slow links alone.",
    evidence: "ms_osd_compress_mode is set to force (default: none). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"Messenger v2: compression\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "daemons restart, one host at a time",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    releases: Releases::from(17, 2, 0),
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(case, "ms_osd_compress_mode", |option| option.value == "force", "messages between OSDs are compressed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "ms_osd_compress_mode", "force")),
            ["osd/ms_osd_compress_mode"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "ms_osd_compress_mode", "none")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
