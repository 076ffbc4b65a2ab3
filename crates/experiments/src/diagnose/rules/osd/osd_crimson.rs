//! OSDs of the coming architecture.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-crimson",
    about: Area::Osd,
    what: "OSDs run Crimson, which is not made for production yet.",
    why: "A single one does far more small reads, and fewer small writes, than a classic one.",
    evidence: "An OSD's osd_type is crimson.",
    sources: &["ceph.io blog, 2025: crimson-seastore-vs-classic", "Ceph's documentation, \"Crimson\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "use classic OSDs for data that matter",
    risk: "data are made anew elsewhere meanwhile",
    confirm: "fathom osd measures each OSD alone: those are slower than their peers, or they are not",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.osd_type.as_deref() == Some("crimson"),
        "OSDs run Crimson",
        |_| "osd_type is crimson".into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.osd_type = Some("crimson".into()))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.osd_type = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
