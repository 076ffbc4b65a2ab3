//! Placement groups whose data move to other OSDs.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-backfill",
    about: Area::State,
    what: "Placement groups are backfilled, or wait for it: data move to other OSDs.",
    why: "What moves takes disks and network from clients; with mClock's balanced profile up to half of an OSD.",
    evidence: "Some placement group is in a state with one of the words backfilling, backfill_wait, forced_backfill.",
    sources: &["Ceph's documentation, \"mClock Config Reference\"", "Ceph's documentation, \"Placement Group States\""],
    needs: &[Source::Facts(FactsPart::Groups)],
    suspect,
    fix: "wait for its end (ceph status), or hold it back while measuring: fathom run --quiesce",
    risk: "data stay where they should not be for longer",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let busy = case.groups_in(&["backfilling", "backfill_wait", "forced_backfill"]);
    match busy {
        0 => Vec::new(),
        _ => state(
            phrase!("placement groups move their data, {} at once", Quantity::Count(u64::from(busy))),
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
        assert_eq!(told(&RULE, |facts| groups(facts, "active+remapped+backfilling")), ["cluster"]);
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
