//! Compression of everything.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-compression-on",
    about: Area::Osd,
    what: "Everything that is written is compressed, whatever pool it goes to.",
    why: "It costs processor time, and an overwrite inside a compressed blob has to read and write the whole of it.",
    evidence: "bluestore_compression_mode is set to aggressive or force. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"BlueStore Configuration Reference\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, and set compression for the pools that need it: ceph osd pool set POOL compression_mode aggressive",
    risk: "more space is used",
    confirm: "fathom run before and after the change, then fathom compare",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "bluestore_compression_mode",
        |option| ["aggressive", "force"].contains(&option.value.as_str()),
        "everything that is written is compressed",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "bluestore_compression_mode", "force")),
            ["osd/bluestore_compression_mode"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluestore_compression_mode", "passive")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
