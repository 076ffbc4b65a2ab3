//! The answer of a diagnosis: the cause that costs most, what mending it gains, how, at which risk; or that none is confirmed.

use super::{sentence, takes, wrong};
use crate::numbers::counted;
use crate::{numbers, phrase};
use model::{Finding, Report, Standing};

/// The cause and what mending it gains; without a cause that there is none.
pub(super) fn says(report: &Report) -> Vec<String> {
    match cause(report) {
        Some(cause) => vec![sentence(&wrong::named(cause)), sentence(&gain(cause))],
        None => std::iter::once(beside(report)).chain(takes::says(report)).collect(),
    }
}

/// How it is mended, at which risk, what there is beside it, and what an operation takes; without a cause nothing.
pub(super) fn more(report: &Report) -> Vec<String> {
    let Some(cause) = cause(report) else { return Vec::new() };
    let named = |name: &str, what: &str| (!what.is_empty()).then(|| sentence(&format!("{name}: {what}")));
    let mend = [named("Fix", &cause.fix), named("Risk", &cause.risk)];
    let beside = Some(beside(report)).filter(|beside| !beside.is_empty());
    mend.into_iter().flatten().chain(beside).chain(takes::says(report)).collect()
}

/// The first that is confirmed: findings are in the order of what they cost. A crash of last week is none where there is anything else.
pub(super) fn cause(report: &Report) -> Option<&Finding> {
    report.findings.iter().find(|finding| finding.standing == Standing::Confirmed && !is_only_state(report, finding))
}

/// Costs no time, and there is something else that may: it is told as the cluster's state.
pub(super) fn is_only_state(report: &Report, finding: &Finding) -> bool {
    finding.slows_nothing && report.findings.iter().any(|other| !other.slows_nothing)
}

fn gain(cause: &Finding) -> String {
    cause.cost.as_ref().map_or("What mending it gains was not measured".to_string(), |cost| {
        format!("Mending it gains: {}", phrase::cost(cost))
    })
}

/// What there is beside it, in numbers.
fn beside(report: &Report) -> String {
    let causes = || report.findings.iter().filter(|finding| !is_only_state(report, finding));
    let of = |standing| causes().filter(|finding| finding.standing == standing).count();
    let (confirmed, hints) = (of(Standing::Confirmed), of(Standing::Hint));
    let (refuted, untested) = (report.answer.refuted().len(), report.answer.untested().len());
    let first = match confirmed {
        0 => Some("No cause is confirmed".to_string()),
        1 => None,
        2 => Some("1 more cause is confirmed".to_string()),
        n => Some(format!("{} more causes are confirmed", numbers::count(n as u64 - 1))),
    };
    let some = |n: usize, one: &str, more: &str| (n > 0).then(|| counted(n as u64, one, more));
    let others = [
        some(hints, "hint is not certain", "hints are not certain"),
        some(refuted, "suspect was refuted", "suspects were refuted"),
        some(untested, "thing was not tested", "things were not tested"),
    ];
    let all: Vec<String> = first.into_iter().chain(others.into_iter().flatten()).collect();
    sentence(&all.join("; "))
}
