//! OSDs that are primaries less often than others.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-primary-affinity",
    about: Area::Pool,
    what: "OSDs have a primary affinity below 1.",
    why: "Reads go to primaries: those OSDs serve fewer, and their peers more. It may be meant so for slow OSDs.",
    evidence: "An OSD's primary affinity is not 1.",
    sources: &["Clyso's analyzer (clyso/otto on GitHub)", "Ceph's documentation, \"CRUSH Maps: Primary Affinity\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph osd primary-affinity osd.N 1",
    risk: "reads go there again",
    confirm: "fathom osd measures whether that OSD is slower than its peers",
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.inside == Some(true) && osd.primary_affinity.is_some_and(|affinity| affinity < 1.0),
        "primary affinity below 1",
        |osd| phrase!("{}", Quantity::Share(osd.primary_affinity.unwrap_or(1.0))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.primary_affinity = Some(0.5))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.primary_affinity, osd.inside) = (Some(0.0), Some(false)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
