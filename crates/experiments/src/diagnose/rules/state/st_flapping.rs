//! OSDs that are marked down while they live.

use super::{st_degraded, st_laggy, st_osds_down, st_peering, st_recovery};
use crate::diagnose::Explains;
use crate::diagnose::facts::prelude::*;
use model::Standing;
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "st-flapping",
    about: Area::State,
    what: "OSDs were marked down, and came up again, more than once: within the last hour of changes, or while it was measured.",
    why: "Each time their placement groups peer: seconds without an answer.",
    evidence: "Confirmed: while slices were measured, or between them, an OSD came up again in a later OSD map twice and more. A hint: the monitors' estimate that an OSD is marked down wrongly is above 0.5, which takes two times, and it was last marked down less than an hour before the newest OSD map.",
    sources: &[
        "Ceph's documentation, \"Troubleshooting OSDs\"",
        "Ceph's source: src/common/options: mon_osd_laggy_weight (0.3)",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "look at the network between the hosts (fathom network --hosts LIST) and at hosts without memory or processor time",
    risk: "none that is known",
    explains: &[
        follows(&st_peering::RULE),
        follows(&st_degraded::RULE),
        follows(&st_recovery::RULE),
        follows(&st_laggy::RULE),
        follows(&st_osds_down::RULE),
    ],
    confirm: "ceph log last 100 has lines of `wrongly marked me down`; fathom network --hosts LIST measures the ways",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

/// Each coming and going makes its placement groups peer, lack a copy, and recover.
const fn follows(rule: &'static Rule) -> Explains {
    Explains {
        rule,
        which: "that, where it was seen while slices were measured",
        follows: |cause, _, _| cause.standing == Standing::Confirmed,
    }
}

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    for (osd, times) in case.record.came_back().flat_map(|seen| &seen.osds) {
        *seen.entry(*osd).or_default() += times;
    }
    // Those that the run itself restarts go and come back as they are to.
    let own = |osd: &u32| case.record.plan.experiment.pair().is_some_and(|ab| ab.restarts.contains(osd));
    let is_own = |one: &Suspect| matches!(&one.subject, Subject::Osd(osd) if own(osd));
    let flapped = seen.iter().filter(|(osd, times)| **times >= TIMES_LEAST && !own(osd));
    let measured = flapped.map(|(osd, times)| {
        let (osd, times) = (Subject::Osd(*osd), Quantity::Count(u64::from(*times)));
        let says = phrase!("{} was marked down and came up again, {} times while it was measured", osd.clone(), times);
        let evidence = phrase!("each time its placement groups peer, and operations on them wait");
        Suspect::new(osd, Standing::Confirmed, says, evidence)
    });
    let measured: Vec<Suspect> = measured.collect();
    let known = |hint: &Suspect| measured.iter().any(|one| one.subject == hint.subject);
    let before = by_estimate(case).into_iter().filter(|hint| !known(hint) && !is_own(hint)).collect::<Vec<_>>();
    measured.iter().cloned().chain(before).collect()
}

/// Once may be a restart.
const TIMES_LEAST: u32 = 2;

fn by_estimate(case: &Case) -> Vec<Suspect> {
    let flaps = |osd: &OsdFacts| {
        osd.laggy.is_some_and(|laggy| laggy > 0.5)
            && osd.down_before.is_some_and(|seconds| (0.0..3600.0).contains(&seconds))
    };
    of_osds(case, flaps, "marked down while they ran", |osd| {
        phrase!("estimate {}", Quantity::Chance(osd.laggy.unwrap_or(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing_facts::*;
    use judge::assess;
    use model::{CameBack, Observation, StepId};

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.laggy, osd.down_before) = (Some(0.51), Some(60.0)))),
            ["osd.1"]
        );
    }

    #[test]
    fn what_comes_and_goes_while_slices_are_measured_is_certain_and_once_is_no_cause() {
        let with = |times: &[(u32, u32)]| {
            let mut record = Made::cluster().record.with(Observation::Facts(Box::new(healthy())));
            for (pass, one) in times.iter().enumerate() {
                let osds = [*one].into();
                record = record.with(Observation::CameBack(CameBack { step: StepId(1), pass: pass as u32, osds }));
            }
            let found = suspect(&Case::of(&assess(&record)));
            found.iter().map(|one| (one.subject.to_string(), one.standing)).collect::<Vec<_>>()
        };
        assert_eq!(with(&[(1, 1), (2, 1), (1, 1)]), [("osd.1".to_string(), Standing::Confirmed)]);
        assert_eq!(with(&[(1, 1), (2, 1)]), []);
    }

    /// Those that the run itself restarts.
    #[test]
    fn restarts_of_the_run_are_no_flapping() {
        let mut record = Made::cluster().record.with(Observation::Facts(Box::new(healthy())));
        let (step, osds) = (StepId(1), [(1, 5), (2, 5)].into());
        record = record.with(Observation::CameBack(CameBack { step, pass: 1, osds }));
        let plan = model::Ab { restarts: vec![1], ..model::Ab::default() };
        record.plan.experiment = model::PlannedExperiment::PairedComparison(plan);
        let found = suspect(&Case::of(&assess(&record)));
        assert_eq!(found.iter().map(|one| one.subject.to_string()).collect::<Vec<_>>(), ["osd.2"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.laggy, osd.down_before) = (Some(0.51), Some(86_400.0)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
