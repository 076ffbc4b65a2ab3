//! Placement groups that remove what deleted snapshots held.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-snaptrim",
    about: Area::State,
    what: "Placement groups trim deleted snapshots, or wait to.",
    why: "In a study the mean latency at a depth of 64 rose from 2.75 to 6.2 ms while snapshots were trimmed (older scheduler), to 4.5 ms with mClock.",
    evidence: "Some placement group is in a state with one of the words snaptrim, snaptrim_wait, snaptrim_error.",
    sources: &["ceph.io blog, 2022: mclock-vs-wpq-testing-with-background-ops-part1"],
    needs: &[Source::Facts(FactsPart::Groups)],
    suspect,
    fix: "wait for its end; fewer snapshots at once, or at night; osd_snap_trim_sleep counts with the scheduler wpq only",
    risk: "space stays used for longer",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let busy = case.groups_in(&["snaptrim", "snaptrim_wait", "snaptrim_error"]);
    match busy {
        0 => Vec::new(),
        _ => state(
            phrase!("placement groups trim snapshots, {} at once", Quantity::Count(u64::from(busy))),
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
        assert_eq!(told(&RULE, |facts| groups(facts, "active+clean+snaptrim")), ["cluster"]);
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
