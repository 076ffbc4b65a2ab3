//! Data that the balancer moves.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-balancer",
    about: Area::State,
    what: "Data lie elsewhere than they should though nothing failed: the balancer, or a change of the CRUSH map, moves them.",
    evidence: "Objects are misplaced, no copy is missing, and all OSDs that are in are up.",
    sources: &["Ceph's documentation, \"Balancer Module\""],
    needs: &[Source::Facts(FactsPart::Groups), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "wait for its end; while measuring fathom run --quiesce",
    risk: "OSDs are filled less evenly for longer",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let moved = case.cluster().misplaced.unwrap_or(0);
    let whole = case.cluster().degraded == Some(0)
        && case.osds().iter().all(|osd| osd.inside == Some(false) || osd.up == Some(true));
    if moved == 0 || !whole {
        return Vec::new();
    }
    state(
        "data move though nothing failed".into(),
        phrase!("objects that lie elsewhere than they should: {}", Quantity::Count(moved)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| facts.cluster.misplaced = Some(5)), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| (facts.cluster.misplaced, facts.cluster.degraded) = (Some(5), Some(1))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
