//! Placement groups that can not move, since OSDs are too full.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-toofull",
    about: Area::State,
    what: "Placement groups can not recover or move: the OSDs that should take them are too full.",
    evidence: "Some placement group is in a state with one of the words backfill_toofull, recovery_toofull.",
    sources: &["Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Groups)],
    suspect,
    fix: "add room, or move data away from the fullest OSDs (ceph osd df; ceph balancer status)",
    risk: "data move: do it when the cluster is calm",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let busy = case.groups_in(&["backfill_toofull", "recovery_toofull"]);
    match busy {
        0 => Vec::new(),
        _ => state(
            phrase!("placement groups can not move, {} of them: OSDs are too full", Quantity::Count(u64::from(busy))),
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
        assert_eq!(told(&RULE, |facts| groups(facts, "active+remapped+backfill_toofull")), ["cluster"]);
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
