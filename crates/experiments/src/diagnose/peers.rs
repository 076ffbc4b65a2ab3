//! Suspects among peers: targets that are slower than others of their kind.

use super::{Case, RuleTest, Suspect, TestResult};
use judge::{Entry, Retest, retested, to_retest};
use model::{Outlier, Phrase, Quantity, Standing, Step, TargetKind, phrase};

/// The suspect once more, in turns with some of its peers, each alone, in the pattern in which it was slowest.
pub const MEASURE_AGAIN: RuleTest = RuleTest {
    asks: "is it slower than its peers when all of them are measured again, each alone and in turns?",
    steps: again,
    answer,
};

fn again(suspect: &Suspect, case: &Case) -> Vec<Step> {
    let own = case.outliers.iter().filter(|outlier| outlier.subject == suspect.subject);
    let slowest = own.max_by(|a, b| a.slower_by.total_cmp(&b.slower_by));
    let found = slowest.and_then(|outlier| to_retest(case.entries, outlier, &case.record.scope));
    found.map_or(Vec::new(), |(own, others)| in_turns(own, &others))
}

/// The targets of these figures, each alone; the suspect's first.
pub fn in_turns(own: &Entry, others: &[&Entry]) -> Vec<Step> {
    std::iter::once(own).chain(others.iter().copied()).filter_map(alone).collect()
}

/// The step of a figure with its target alone; of the chart is the survey's.
fn alone(entry: &Entry) -> Option<Step> {
    let targets = vec![entry.only_target()?.clone()];
    Some(Step { targets, chart: false, apart: false, ..entry.step.clone() })
}

/// What figures of [`in_turns`] say.
pub fn answer(entries: &[&Entry]) -> TestResult {
    let [own, others @ ..] = entries else { return TestResult::Open("nothing was measured".into()) };
    match retested(own, others) {
        None => TestResult::Open("measured again, one of the figures has no value".into()),
        Some(found) if found.is_slower() => TestResult::Confirmed(said(&found, others.len())),
        Some(found) if found.is_alike() => TestResult::Refuted(said(&found, others.len())),
        Some(found) => TestResult::Open(said(&found, others.len())),
    }
}

/// `measured again, each alone and in turns, it has 1.45 ms, the median of 3 peers 1.01 ms; that is 30 % slower (26 % to 34 %)`
fn said(found: &Retest, peers: usize) -> Phrase {
    let Retest { slower_by, own, others, metric } = *found;
    let share = |by: f64| match by < 0.0 {
        true => phrase!("{} faster", Quantity::Share(-by)),
        false => phrase!("{} slower", Quantity::Share(by)),
    };
    phrase!(
        "measured again, each alone and in turns, it has {}, the median of {} peers {}; that is {}, and between {} and {}",
        Quantity::Measured { estimate: own, metric },
        Quantity::Count(peers as u64),
        Quantity::Value { value: others, metric },
        share(slower_by.value),
        share(slower_by.low),
        share(slower_by.high)
    )
}

/// One for each slow target of this kind, with every pattern in which it is slow as evidence.
pub fn slow_targets(case: &Case, kind: TargetKind) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for outlier in case.outliers.iter().filter(|outlier| outlier.layer.spec().target == kind) {
        match found.iter_mut().find(|suspect| suspect.subject == outlier.subject) {
            Some(suspect) => {
                suspect.evidence.push(evidence(outlier));
                if outlier.standing == Standing::Confirmed {
                    suspect.standing = Standing::Confirmed;
                }
            }
            None => {
                let says = phrase!("{} is slower than its peers", outlier.subject.clone());
                found.push(Suspect::new(outlier.subject.clone(), outlier.standing, says, evidence(outlier)));
            }
        }
    }
    found
}

fn evidence(outlier: &Outlier) -> Phrase {
    phrase!("{}: {}", outlier.pattern.name(), outlier.says.clone())
}
