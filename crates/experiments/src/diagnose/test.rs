//! The measurement that tells a suspect from what only looks like it: what is measured, and what the result says.

use super::{Case, Rule, Suspect, at_work, left_out};
use judge::Entry;
use model::{CauseTest, Cost, Phrase, Refuted, Standing, Step, phrase};

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
    /// Where these figures confirm it: what mending it would gain.
    pub cost: fn(&Suspect, &[&Entry], &Case) -> Option<Cost>,
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
        let tested = tested(rule, &suspect, case);
        match tested.as_ref().map(|(test, entries)| (test.answer)(&suspect, entries)) {
            Some(TestResult::Refuted(because)) => {
                let (id, subject) = (rule.id.to_string(), suspect.subject);
                refuted.push(Refuted { id, subject, says: suspect.says, because });
                continue;
            }
            Some(TestResult::Confirmed(says)) => {
                suspect.standing = Standing::Confirmed;
                let cost = tested.and_then(|(test, entries)| (test.cost)(&suspect, &entries, case));
                suspect.cost = cost.or(suspect.cost);
                suspect.evidence.push(phrase!("tested: {}", says));
            }
            Some(TestResult::Open(says)) => suspect.evidence.push(phrase!("tested: {}", says)),
            None => {
                let why = left_out::why(rule, &suspect, case);
                suspect.evidence.extend(why.map(|left_out| phrase!("not tested: {}", left_out.why)));
            }
        }
        remain.push((rule, at_work::doubted(rule, suspect, case)));
    }
    (remain, refuted)
}

/// The test and its figures; `None`: it was not tested, or nothing is measured of it yet.
pub fn tested<'c>(
    rule: &'static Rule,
    suspect: &Suspect,
    case: &Case<'c>,
) -> Option<(&'static RuleTest, Vec<&'c Entry<'c>>)> {
    let test = rule.test.as_ref()?;
    let planned = planned(rule, suspect, case)?;
    let of = |step: &model::StepId| case.tests.iter().find(|entry| entry.step.id == *step && !entry.slices.is_empty());
    Some((test, planned.steps.iter().map(of).collect::<Option<Vec<&Entry>>>()?))
}

/// The test of this suspect that the plan has already.
pub fn planned<'c>(rule: &Rule, suspect: &Suspect, case: &Case<'c>) -> Option<&'c CauseTest> {
    case.record.plan.experiment.tests().iter().find(|test| test.rule == rule.id && test.subject == suspect.subject)
}
