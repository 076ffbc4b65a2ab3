//! The measurement that tells a suspect from what only looks like it: what is measured, and what the result says.

use super::{Case, Rule, Suspect};
use judge::Entry;
use model::{CauseTest, Phrase, PlannedExperiment, Refuted, Standing, Step, phrase};

/// What a rule asks for when it suspects something without being certain.
pub struct RuleTest {
    /// As a question, for the waiting user and for the report.
    pub asks: &'static str,
    /// What is measured, with targets and data of the plan, since nothing is made for it; its ids are given later. Empty: this suspect
    /// can't be tested that way.
    pub steps: fn(&Suspect, &Case) -> Vec<Step>,
    /// What the figures of these steps say, in their order. Figures that raised the suspicion say nothing more: they were chosen for
    /// being odd.
    pub answer: fn(&Suspect, &[&Entry]) -> TestResult,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TestResult {
    /// It is the cause.
    Confirmed(Phrase),
    /// It is not.
    Refuted(Phrase),
    /// It is still not known.
    Open(Phrase),
}

/// What is suspected, and by which rule.
pub type Suspected = (&'static Rule, Suspect);

/// What the tests of the record say of these: which remain, and which are refuted.
pub fn judged(suspects: Vec<Suspected>, case: &Case) -> (Vec<Suspected>, Vec<Refuted>) {
    let (mut remain, mut refuted) = (Vec::new(), Vec::new());
    for (rule, mut suspect) in suspects {
        match answer(rule, &suspect, case) {
            Some(TestResult::Refuted(because)) => {
                let (id, subject) = (rule.id.to_string(), suspect.subject);
                refuted.push(Refuted { id, subject, says: suspect.says, because });
                continue;
            }
            Some(TestResult::Confirmed(says)) => {
                suspect.standing = Standing::Confirmed;
                suspect.evidence.push(phrase!("tested: {}", says));
            }
            Some(TestResult::Open(says)) => suspect.evidence.push(phrase!("tested: {}", says)),
            None if left_out(rule, &suspect, case) => {
                suspect.evidence.push(
                    "not tested: there was no time left for it (--time-max), or nothing to compare it with".into(),
                );
            }
            None => {}
        }
        remain.push((rule, suspect));
    }
    (remain, refuted)
}

/// `None`: it was not tested, or nothing is measured of it yet.
fn answer(rule: &Rule, suspect: &Suspect, case: &Case) -> Option<TestResult> {
    let test = rule.test.as_ref()?;
    let planned = planned(rule, suspect, case)?;
    let of = |step: &model::StepId| case.tests.iter().find(|entry| entry.step.id == *step && !entry.slices.is_empty());
    let entries = planned.steps.iter().map(of).collect::<Option<Vec<&Entry>>>()?;
    Some((test.answer)(suspect, &entries))
}

/// A diagnosis that is over has not tested this hint, although there is a test for it.
fn left_out(rule: &Rule, suspect: &Suspect, case: &Case) -> bool {
    let diagnosed = matches!(case.record.plan.experiment, PlannedExperiment::Diagnosis(_)) && case.record.finished;
    diagnosed && suspect.standing == Standing::Hint && rule.test.is_some() && planned(rule, suspect, case).is_none()
}

/// The test of this suspect that the plan has already.
pub fn planned<'c>(rule: &Rule, suspect: &Suspect, case: &Case<'c>) -> Option<&'c CauseTest> {
    case.record.plan.experiment.tests().iter().find(|test| test.rule == rule.id && test.subject == suspect.subject)
}
