//! Data with fewer copies than they should have.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-degraded",
    about: Area::State,
    what: "Objects or placement groups have fewer copies than they should, or can not be reached.",
    why: "Reads of erasure-coded data are then computed from other parts, and what is missing will be made again.",
    evidence: "Some placement group is degraded, undersized, down, incomplete or stale.",
    sources: &["Ceph's documentation, \"Placement Group States\""],
    needs: &[Source::Facts(FactsPart::Groups)],
    suspect,
    fix: "bring the missing OSDs back, or wait until their data are made elsewhere (ceph health detail); if none is missing, data are moved: measure with --quiesce, which holds the balancer and the autoscaler meanwhile",
    risk: "none: it is what the cluster does by itself",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let few = case.groups_in(&["degraded", "undersized", "down", "incomplete", "stale", "inactive"]);
    let degraded = case.cluster().degraded.unwrap_or(0);
    let all_there =
        !case.osds().is_empty() && case.osds().iter().all(|osd| osd.up == Some(true) && osd.inside == Some(true));
    match few {
        0 => Vec::new(),
        // What is moved has a copy too few until it is there.
        _ if all_there && degraded == 0 => state(
            phrase!(
                "placement groups are moved, and lack copies meanwhile, {} at once",
                Quantity::Count(u64::from(few))
            ),
            phrase!("all OSDs are up and in: the balancer, the autoscaler or a change of weights moves them"),
        ),
        _ => state(
            phrase!("placement groups lack copies or can not be reached, {} at once", Quantity::Count(u64::from(few))),
            phrase!("copies of objects that are missing: {}", Quantity::Count(degraded)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing_facts::*;
    use judge::assess;
    use model::{Observation, PgsSeen, StepId, testing};

    /// Under load a pool that the run has just made is degraded for a while; copies are never too few in it.
    #[test]
    fn what_only_slices_saw_counts_where_it_is_not_what_new_pools_do() {
        let with = |seen: &str| {
            let mut record = Made::cluster().record.with(Observation::Facts(Box::new(healthy())));
            let step = StepId(1);
            record.slices = (0..8).map(|pass| testing::slice(step, pass, 1, Vec::new())).collect();
            for pass in 0..8 {
                let states = [(seen.to_string(), 9)].into();
                record.observations.push(Observation::PgsSeen(PgsSeen { step, pass, states }));
            }
            suspect(&Case::of(&assess(&record))).len()
        };
        assert_eq!((with("active+recovery_wait+degraded"), with("active+undersized+degraded")), (0, 1));
    }

    /// With all OSDs there nothing is missing that could be brought back.
    #[test]
    fn what_is_moved_is_told_as_moved() {
        let of = |change: fn(&mut model::facts::Facts)| {
            let found = suspects(&RULE, |facts| {
                groups(facts, "active+undersized+degraded+remapped");
                facts.cluster.degraded = Some(0);
                change(facts);
            });
            format!("{:?}", found[0].says)
        };
        assert!(of(|_| ()).contains("are moved"));
        assert!(of(|facts| one_osd(facts, |osd| osd.up = Some(false))).contains("can not be reached"));
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| groups(facts, "active+undersized+degraded")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| groups(facts, "active+clean+scrubbing")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster.groups = None), NOBODY);
    }
}
