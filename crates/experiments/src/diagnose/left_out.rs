//! What a diagnosis could not test, why, and what that would need.

use super::test::{Suspected, planned};
use super::{Case, Rule, Suspect, confirm};
use model::{Diagnosis, LeftOut, Place, PlannedExperiment, Standing, Step, Subject, Untested};
use std::collections::BTreeMap;

/// Of a diagnosis that is over: hints for which there is a test that was not made, and writes between pairs of OSDs, which several rules need.
pub fn untested(causes: &[Suspected], case: &Case) -> Vec<Untested> {
    let hints = causes.iter().filter_map(|(rule, suspect)| {
        let (id, subject, says) = (rule.id.to_string(), suspect.subject.clone(), suspect.says.clone());
        Some(Untested { id, subject, says, left_out: why(rule, suspect, case)? })
    });
    let pairs = no_positions(case).map(|left_out| Untested {
        id: "by-position".to_string(),
        subject: Subject::Cluster,
        says: "which OSD, way or host adds time to writes, as a primary and as a replica".into(),
        left_out,
    });
    hints.chain(pairs).collect()
}

/// `None`: it was tested, or is certain without, or has no test, or the diagnosis is not over.
pub fn why(rule: &Rule, suspect: &Suspect, case: &Case) -> Option<LeftOut> {
    let diagnosis = over(case)?;
    let test = rule.test.as_ref().filter(|_| suspect.standing == Standing::Hint)?;
    let left_out = |why: &str, needs: String| Some(LeftOut { why: why.to_string(), needs });
    match planned(rule, suspect, case) {
        Some(planned) => {
            let measured = |step| case.record.slices.iter().any(|slice| slice.step == step);
            let all = planned.steps.iter().all(|step| measured(*step));
            if all { None } else { left_out("the run ended before its test did", AGAIN.to_string()) }
        }
        None if (test.steps)(suspect, case).is_empty() => {
            let needs = confirm::by_hand(rule, &suspect.subject, case);
            left_out("there is nothing here that Fathom may measure for it by itself", needs)
        }
        None => no_time(diagnosis, case).or_else(|| left_out("the run ended before its turn came", AGAIN.to_string())),
    }
}

/// Of a diagnosis that is over: why nobody was told apart by position.
fn no_positions(case: &Case) -> Option<LeftOut> {
    let diagnosis = over(case).filter(|_| case.positions.is_none())?;
    let Some(step) = case.record.plan.steps.iter().find(|step| step.in_turns) else {
        return diagnosis.no_pairs.clone();
    };
    let own = |slice: &&model::Slice| slice.step == step.id;
    let mut slices = case.record.slices.iter().filter(own).peekable();
    if slices.peek().is_none() {
        let ended = || LeftOut { why: "the run ended before its turn came".to_string(), needs: AGAIN.to_string() };
        return Some(no_time(diagnosis, case).unwrap_or_else(ended));
    }
    Some(too_little(step, slices.find_map(|slice| slice.void.clone())))
}

fn too_little(step: &Step, void: Option<String>) -> LeftOut {
    let pairs = step.targets.len();
    match void {
        Some(reason) => LeftOut {
            why: format!("writes to its {pairs} pairs of OSDs can't be used: {reason}"),
            needs: "mend that, then diagnose again".to_string(),
        },
        None if partners_least(step) < MANY => LeftOut {
            why: format!(
                "an OSD has less than four partners in its {pairs} pairs, and how they differ is not explained by one slow OSD: it may be several, a way \
                 between two hosts, or other load meanwhile"
            ),
            needs: "diagnose again when the cluster and its hosts have less to do; with five OSDs on as many hosts, or three hosts of two, several \
                    slow ones are told apart".to_string(),
        },
        None => LeftOut {
            why: format!("too few of its {pairs} pairs of OSDs were written to often enough to tell OSDs apart"),
            needs: "diagnose again when the cluster has less to do; writes that take longer than a second each are too slow for it".to_string(),
        },
    }
}

/// With this many partners in each role several slow OSDs are told apart.
const MANY: usize = 4;

/// The fewest partners that an OSD has as a primary.
fn partners_least(step: &Step) -> usize {
    let mut of: BTreeMap<u32, usize> = BTreeMap::new();
    for target in &step.targets {
        if let Place::Osd { osd, .. } = &target.place {
            *of.entry(*osd).or_default() += 1;
        }
    }
    of.into_values().min().unwrap_or(0)
}

const AGAIN: &str = "fathom diagnose once more, to its end";

fn over<'c>(case: &Case<'c>) -> Option<&'c Diagnosis> {
    match &case.record.plan.experiment {
        PlannedExperiment::Diagnosis(diagnosis) if case.record.finished => Some(diagnosis),
        _ => None,
    }
}

/// If the time was up.
fn no_time(diagnosis: &Diagnosis, case: &Case) -> Option<LeftOut> {
    (case.record.seconds >= diagnosis.seconds_max).then(|| LeftOut {
        why: format!("no test begins after {} (--time-max)", model::units::seconds(diagnosis.seconds_max)),
        needs: "fathom diagnose with a larger --time-max".to_string(),
    })
}
