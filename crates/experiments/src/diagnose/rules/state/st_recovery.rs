//! Placement groups that bring objects up to date.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-recovery",
    about: Area::State,
    what: "Placement groups recover objects that lack copies, or wait to.",
    why: "In a study 4 KiB random writes fell from 21,500 to 18,000 IOPS during recovery by the older scheduler's defaults, to 2,500 with its limits lifted, and to 11,200 with mClock and the same limits.",
    evidence: "Some placement group is in a state with one of the words recovering, recovery_wait, forced_recovery.",
    sources: &[
        "ceph.io blog, 2021: qos-study-with-mclock-and-wpq-schedulers",
        "Ceph's documentation, \"Placement Group States\"",
    ],
    needs: &[Source::Facts(FactsPart::Groups)],
    suspect,
    fix: "wait for its end (ceph status); where clients matter more: ceph config set osd osd_mclock_profile high_client_ops (from 17.2 on)",
    risk: "copies are missing for longer",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let busy = case.groups_in(&["recovering", "recovery_wait", "forced_recovery"]);
    match busy {
        0 => Vec::new(),
        _ => state(
            phrase!("placement groups recover, {} at once", Quantity::Count(u64::from(busy))),
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
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing_facts::*;
    use judge::assess;
    use model::{Observation, PgsSeen, StepId, testing};

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| groups(facts, "active+recovering+undersized+degraded")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| groups(facts, "active+clean+remapped")), NOBODY);
    }

    /// A pool that the run has made recovers what was written while it peered.
    #[test]
    fn what_only_slices_saw_may_be_in_the_runs_own_pools() {
        let with = |before: &str| {
            let mut facts = healthy();
            groups(&mut facts, before);
            let mut record = Made::cluster().record.with(Observation::Facts(Box::new(facts)));
            let step = StepId(1);
            record.slices = (0..8).map(|pass| testing::slice(step, pass, 1, Vec::new())).collect();
            for pass in 0..8 {
                let states = [("active+recovering".to_string(), 1)].into();
                record.observations.push(Observation::PgsSeen(PgsSeen { step, pass, states }));
            }
            suspect(&Case::of(&assess(&record))).len()
        };
        assert_eq!((with("active+clean"), with("active+recovering")), (0, 1));
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster.groups = None), NOBODY);
    }
}
