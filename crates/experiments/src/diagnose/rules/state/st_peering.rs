//! Placement groups that serve nobody for a moment.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-peering",
    about: Area::State,
    what: "Placement groups peer, activate, are being made, or are not known: they serve no operations meanwhile.",
    evidence: "Some placement group is in a state with one of the words peering, activating, creating, unknown.",
    sources: &["Ceph's documentation, \"Placement Group States\""],
    needs: &[Source::Facts(FactsPart::Groups)],
    suspect,
    fix: "wait some seconds; where it stays, look at ceph health detail and at OSDs that come and go",
    risk: "none that is known",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let busy = case.groups_in(&["peering", "activating", "creating", "unknown"]);
    match busy {
        0 => Vec::new(),
        _ => state(
            phrase!(
                "placement groups peer or are made, {} at once: they serve nobody meanwhile",
                Quantity::Count(u64::from(busy))
            ),
            phrase!("of {} placement groups", Quantity::Count(u64::from(all(case)))),
        ),
    }
}

fn all(case: &Case) -> u32 {
    case.cluster().groups.iter().flatten().map(|(_, count)| *count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| groups(facts, "peering")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| groups(facts, "active+clean+remapped")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster.groups = None), NOBODY);
    }
}
