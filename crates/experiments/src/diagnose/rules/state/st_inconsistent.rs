//! Placement groups whose copies differ.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-inconsistent",
    about: Area::State,
    what: "Scrubbing found copies that differ, or a repair goes on.",
    evidence: "Some placement group is in a state with one of the words inconsistent, repair, failed_repair.",
    sources: &["Ceph's documentation, \"Repairing PG Inconsistencies\""],
    needs: &[Source::Facts(FactsPart::Groups)],
    suspect,
    fix: "rados list-inconsistent-obj PGID says what differs; look at the disk that holds the bad copy before ceph pg repair PGID",
    risk: "a repair trusts the copy that it takes for the right one",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let busy = case.groups_in(&["inconsistent", "repair", "failed_repair"]);
    match busy {
        0 => Vec::new(),
        _ => state(
            phrase!(
                "placement groups have copies that differ, or are being repaired: {}",
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
        assert_eq!(told(&RULE, |facts| groups(facts, "active+clean+inconsistent")), ["cluster"]);
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
