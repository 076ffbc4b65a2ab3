//! Placement groups that wait for a lease.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-laggy",
    about: Area::State,
    what: "Placement groups are laggy or wait: replicas acknowledge the primary's lease too late, and operations are held back.",
    why: "On a cluster of 630 OSDs writes fell from 270 to 1.7 GiB/s while placement groups were laggy, until the load ended.",
    evidence: "Some placement group is in a state with one of the words laggy, wait.",
    sources: &[
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
        "Ceph's documentation, \"Placement Group States\"",
    ],
    needs: &[Source::Facts(FactsPart::Groups)],
    suspect,
    fix: "find the replica that answers late (ceph daemon osd.N dump_historic_slow_ops); load with fewer writers at once; see ms_async_op_threads",
    risk: "fewer threads of the messenger slow large reads",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let busy = case.groups_in(&["laggy", "wait"]);
    match busy {
        0 => Vec::new(),
        _ => state(
            phrase!("placement groups wait for leases, {} at once", Quantity::Count(u64::from(busy))),
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
        assert_eq!(told(&RULE, |facts| groups(facts, "active+clean+laggy")), ["cluster"]);
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
