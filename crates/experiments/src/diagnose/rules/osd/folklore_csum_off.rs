//! Checksums of data that are switched off.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-csum-off",
    about: Area::Osd,
    what: "Data are written without checksums: a setting from record hunts.",
    why: "Without them neither a read nor a scrub notices what a disk returns wrongly.",
    evidence: "bluestore_csum_type is set to none. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"BlueStore Configuration Reference\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "what was written without a checksum has none until it is written again",
    confirm: "fathom run before and after the change, then fathom compare: no run of Fathom's switches checksums off to compare",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "bluestore_csum_type",
        |option| option.value == "none",
        "data are written without checksums: folklore",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluestore_csum_type", "none")), ["osd/bluestore_csum_type"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluestore_csum_type", "crc32c")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
