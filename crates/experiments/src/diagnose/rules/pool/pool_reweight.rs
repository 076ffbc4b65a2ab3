//! OSDs that were reweighted by hand.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-reweight",
    about: Area::Pool,
    what: "OSDs keep only a share of the placement groups that CRUSH gives them (reweight).",
    why: "It is what was done before the balancer; together with it both work against each other.",
    evidence: "An OSD that is in has a reweight below 1.",
    sources: &["Clyso's analyzer (clyso/otto on GitHub)", "Ceph's documentation, \"Balancer Module\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph osd reweight osd.N 1, and let the balancer even it out: ceph balancer on",
    risk: "data move: do it when the cluster is calm",
    confirm: "ceph osd df: VAR and STDDEV before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.inside == Some(true) && osd.reweight.is_some_and(|weight| weight > 0.0 && weight < 0.999),
        "reweighted by hand",
        |osd| phrase!("{}", Quantity::Share(osd.reweight.unwrap_or(1.0))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.reweight = Some(0.85))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.reweight = Some(0.0))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
