//! A narrow limit of operations from clients.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-client-cap",
    about: Area::Osd,
    what: "An OSD takes fewer operations of clients at once than usual.",
    why: "What is beyond the limit waits in the messenger: a plateau at deep queues.",
    evidence: "osd_client_message_cap is set below 256, or osd_client_message_size_cap below 500 MB. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's source: src/common/options"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "it takes memory",
    confirm: "fathom prove osd/osd_client_message_cap=256 measures with it and without, in place",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    ["osd_client_message_cap", "osd_client_message_size_cap"]
        .iter()
        .flat_map(|name| {
            of_settings(
                case,
                name,
                |option| {
                    number(option).is_some_and(|most| {
                        most > 0.0 && most < if option.name == "osd_client_message_cap" { 256.0 } else { 524_288_000.0 }
                    })
                },
                "operations of clients wait at a narrow limit",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_client_message_cap", "32")),
            ["osd/osd_client_message_cap"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_client_message_cap", "512")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
