//! Why it is slow: rules suspect causes in what is known, ask for the measurement that tells, and what one cause explains is evidence of it.

mod about;
mod at_work;
mod audit;
#[cfg(test)]
mod by_position_cases;
mod case;
mod confirm;
mod experiment;
mod facts;
mod left_out;
mod memory_target;
mod order;
mod origins;
mod own_rule;
mod peers;
mod precedence;
#[cfg(test)]
mod real_cases;
mod rule;
mod rules;
mod test;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_facts;

pub use about::About;
pub use audit::{audit, page};
pub use case::{Case, FactsPart, Source};
pub use experiment::Diagnose;
pub use rule::{Area, Explains, Fix, Matters, Releases, Rule, Suspect, Tried};
pub use rules::RULES;
pub use test::{RuleTest, TestResult};

use model::{Diagnosed, Finding, PlannedExperiment, Standing, Step};
use test::{Suspected, judged, planned};

/// The causes that remain, in the order in which they are told; the suspects that are none, and what was not tested.
pub fn findings(case: &Case) -> (Vec<Finding>, Diagnosed) {
    let (remain, refuted) = judged(suspects(case), case);
    let causes = order::told(precedence::causes(remain, case));
    let untested = left_out::untested(&causes, case);
    (causes.into_iter().map(|(rule, suspect)| finding(rule, suspect, case)).collect(), Diagnosed { refuted, untested })
}

/// The first suspect that is not certain, that no other explains, and for which there is a test that the plan has not yet; with what is to
/// be measured.
pub fn untested(case: &Case) -> Option<(&'static Rule, Suspect, Vec<Step>)> {
    let (remain, _) = judged(suspects(case), case);
    let open = precedence::causes(remain, case).into_iter().filter(|(_, suspect)| suspect.standing == Standing::Hint);
    open.filter(|(rule, suspect)| planned(rule, suspect, case).is_none()).find_map(|(rule, suspect)| {
        let steps = (rule.test.as_ref()?.steps)(&suspect, case);
        (!steps.is_empty()).then_some((rule, suspect, steps))
    })
}

fn suspects(case: &Case) -> Vec<Suspected> {
    let known = RULES.iter().filter(|rule| rule.needs.iter().any(|source| source.is_recorded(case)));
    let known = known.filter(|rule| !rule.of_facts() || (told(rule, case) && facts::holds(rule, case)));
    known.flat_map(|rule| (rule.suspect)(case).into_iter().map(move |suspect| (*rule, suspect))).collect()
}

/// Every run reports the cluster's state, since that is in its figures. How the cluster is set up is only reported by a diagnosis.
fn told(rule: &Rule, case: &Case) -> bool {
    rule.about == Area::State || matches!(case.record.plan.experiment, PlannedExperiment::Diagnosis(_))
}

fn finding(rule: &Rule, suspect: Suspect, case: &Case) -> Finding {
    let hint = suspect.standing == Standing::Hint;
    let confirm = if hint { confirm::to_be_certain(rule, &suspect.subject, case) } else { String::new() };
    let fix = facts::filled_in(suspect.fix.as_deref().unwrap_or(rule.fix), &suspect.subject);
    Finding {
        id: rule.id.to_string(),
        standing: suspect.standing,
        subject: suspect.subject,
        says: suspect.says,
        evidence: suspect.evidence,
        explains: suspect.explains,
        cost: suspect.cost,
        slows_nothing: suspect.slows_nothing,
        confirm,
        fix,
        risk: rule.risk.to_string(),
    }
}
