//! Checksums of messages that are switched off.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-crc-off",
    about: Area::Network,
    what: "Messages between daemons and clients go without checksums: a setting from record hunts.",
    why: "What a network card, a switch or memory changes is then written as data. It was set for vendors' record runs.",
    evidence: "ms_crc_data or ms_crc_header is set to false. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Ceph's documentation, \"Messenger v2\"",
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki), which quotes the vendors' papers that set it",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "daemons restart, one host at a time",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    matters: Matters::Data,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    ["ms_crc_data", "ms_crc_header"]
        .iter()
        .flat_map(|name| of_settings(case, name, off, "messages go without checksums: folklore"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "ms_crc_data", "false")), ["global/ms_crc_data"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "ms_crc_data", "true")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
