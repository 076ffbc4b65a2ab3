//! More scrubs at once than usual.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-scrubs-raised",
    about: Area::Osd,
    what: "An OSD may take part in more scrubs at once than usual.",
    why: "Scrubs read whole placement groups: five at once took a quarter of the IOPS of clients in a study.",
    evidence: "osd_max_scrubs is set above 3 (default 1; 3 from Reef on). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "ceph.io blog, 2022: mclock-vs-wpq-testing-with-background-ops-part2",
        "Ceph's source: src/common/options",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "a cluster that has to catch up takes longer",
    confirm: "fathom run before and after the change, both while scrubs go on, then fathom compare",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "osd_max_scrubs",
        |option| number(option).is_some_and(|most| most > 3.0),
        "more scrubs at once than usual",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_max_scrubs", "5")), ["osd/osd_max_scrubs"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_max_scrubs", "3")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
