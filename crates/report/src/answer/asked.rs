//! The answer of a run that was asked something else than what it takes: verdicts, A against B, the highest rate, clients, a sweep.

use super::diagnosed;
use super::sentence;
use super::takes;
use crate::sections::{ab, fitness, fitness_reasons, image_states, limits, sustained, sweep};
use crate::{compare, finds, numbers, words};
use model::{
    Ab, AbFound, Answer, Difference, Doubled, DriveFound, Endurance, Finds, Fitness, Limit, Metric, Outcome, Report,
    Rounds, Verdict,
};

/// At most this many targets or curves are named.
const NAMED: usize = 4;

/// `None`: a run that only measures.
pub(super) fn says(report: &Report) -> Option<Vec<String>> {
    let says = match &report.answer {
        Answer::Survey => return None,
        Answer::Verdicts(verdicts) if !verdicts.is_empty() => kept(verdicts),
        Answer::PairedComparison(found) => against(report, found),
        Answer::HighestRates(found) if !found.is_empty() => named(limits(found)),
        Answer::ScaleOut(found) if !found.is_empty() => named(found.iter().map(doubled).collect()),
        Answer::Sweep(_) => named(sweep::answers(report)),
        Answer::SustainedWrites(found) if !found.is_empty() => {
            let more = if report.figures.is_empty() { Vec::new() } else { takes::says(report) };
            named(found.iter().map(lasting).collect()).into_iter().chain(more).collect()
        }
        Answer::Fitness { drives, sustained } => {
            let fit = match drives.as_slice() {
                [] => return None,
                [one] => fit(one),
                several => counted(several),
            };
            std::iter::once(fit).chain(named(sustained.iter().map(lasting).collect())).collect()
        }
        Answer::ImageStates(found) if !found.costs.is_empty() => image_states::sentences(found),
        Answer::Diagnosis(_) => diagnosed::says(report),
        // Nothing is known yet but figures.
        _ => return None,
    };
    Some(says)
}

/// The first of them, and how many more there are.
fn named(mut says: Vec<String>) -> Vec<String> {
    let more = says.len().saturating_sub(NAMED);
    says.truncate(NAMED);
    if more > 0 {
        says.push(format!("And {more} more, below."));
    }
    says
}

/// `Of 6 drives 1 is unfit, 2 are not decided, 3 are fit.`
fn counted(drives: &[DriveFound]) -> String {
    let count = |fitness: &Fitness| drives.iter().filter(|drive| drive.fitness == *fitness).count();
    let one = |fitness: &Fitness| match count(fitness) {
        0 => None,
        n => Some(format!("{n} {} {}", if n == 1 { "is" } else { "are" }, fitness.name())),
    };
    let all: Vec<String> = Fitness::BY_GRAVITY.iter().filter_map(one).collect();
    format!("Of {} drives {}.", drives.len(), all.join(", "))
}

/// A line for each of several drives, the worst first.
pub(super) fn each(report: &Report) -> Vec<String> {
    match &report.answer {
        Answer::Fitness { drives, .. } if drives.len() > 1 => drives.iter().map(fitness::line).collect(),
        Answer::ImageStates(found) => image_states::lines(found),
        _ => Vec::new(),
    }
}

/// With the first reason: the others stand below.
fn fit(drive: &DriveFound) -> String {
    let why = drive.reasons.first().map(|reason| format!("; {}", fitness_reasons::because(drive, reason)));
    sentence(&format!("{}{}", fitness::sentence(drive), why.unwrap_or_default()))
}

/// Those that are missed stand in what is wrong, with their figures.
fn kept(verdicts: &[Verdict]) -> Vec<String> {
    let all = verdicts.len();
    let count = |outcome| verdicts.iter().filter(|verdict| verdict.outcome == outcome).count();
    let (missed, open) = (count(Outcome::Fail), count(Outcome::Open));
    let are = |n: usize| if n == 1 { "is" } else { "are" };
    let thresholds = numbers::counted(all as u64, "threshold", "thresholds");
    match (missed, open) {
        (0, 0) if all == 1 => vec!["The threshold is kept.".to_string()],
        (0, 0) => vec![format!("All {thresholds} are kept.")],
        (0, _) => vec![format!("{open} of {thresholds} {} open.", are(open))],
        (_, 0) => vec![format!("{missed} of {thresholds} {} missed.", are(missed))],
        _ => vec![format!("{missed} of {thresholds} {} missed, {open} {} open.", are(missed), are(open))],
    }
}

fn against(report: &Report, found: &AbFound) -> Vec<String> {
    let differences = &found.comparison.differences;
    let title = ab::title(found);
    if differences.is_empty() {
        // Of the first side that came to nothing.
        let why = report.figures.iter().filter(|figure| !words::holds(&figure.label)).find_map(|figure| {
            let place = format!("{} {}", words::place(figure.layer, &figure.target), figure.pattern.name());
            Some(format!(": {place} is {} ({})", figure.label.name(), figure.label.why()?))
        });
        return vec![format!("{title}: nothing could be compared{}.", why.unwrap_or_default())];
    }
    let mut says = vec![format!("{title}: {}.", finds::counts(differences.iter().map(|one| one.finds)))];
    let sorted = compare::sorted(&found.comparison).into_iter();
    let beyond = sorted.filter(|one| matches!(one.finds, Finds::Worse | Finds::Better));
    let told = |one: &Difference| {
        let [finds, target, pattern] = finds::cells(one.finds, &one.figure);
        format!("B is {finds} at {target} {pattern}: {}.", compare::change(one))
    };
    says.extend(named(beyond.map(told).collect()));
    if says.len() == 1 {
        says.push(match found.pairs < Ab::PAIRS_LEAST {
            true => format!(
                "Not decided: {} at least tell a difference from chance (leave --passes out).",
                numbers::counted(Ab::PAIRS_LEAST.into(), "pair", "pairs")
            ),
            false => "No difference is beyond the noise.".to_string(),
        });
    }
    says
}

fn limits(limits: &[Limit]) -> Vec<String> {
    let one = |limit: &Limit| {
        let place = format!("{} {}", words::place(limit.layer, &limit.target), limit.pattern.name());
        let said = limits::said(limit);
        match limit.rate {
            Some(rate) => {
                let (rate, bound) = (words::per_second(rate), limits::bound(&limit.bound));
                format!("{place}: {rate} operations a second is the highest rate with {bound} ({said}).")
            }
            None => sentence(&format!("{place}: no rate was found: {said}")),
        }
    };
    limits.iter().map(one).collect()
}

fn doubled(one: &Doubled) -> String {
    let metric = one.pattern.metric(one.layer);
    let full = one.loads.iter().find(|load| one.full == Some(load.hosts.saturating_mul(load.each)));
    let value = full.and_then(|load| load.estimate).map(|value| numbers::figure(&value, metric).with_unit());
    let value = value.map_or(String::new(), |value| format!(" {value};"));
    sentence(&format!("{} {}:{value} {}", words::place(one.layer, &one.target), one.pattern.name(), one.says))
}

fn lasting(found: &Endurance) -> String {
    let rate = |estimate| numbers::figure(estimate, Metric::Bandwidth).with_unit();
    match found.cliff.as_ref().and_then(|cliff| Some((cliff, cliff.from.as_ref()?, cliff.to.as_ref()?))) {
        Some((cliff, from, to)) => format!(
            "{} takes large writes at {} until {} are written, then at {}.",
            found.target,
            rate(from),
            numbers::bytes(cliff.written),
            rate(to)
        ),
        None => match &found.rounds {
            Some(Rounds { steady: Some(true), last: Some(last), seconds, .. }) => {
                let full = found.filled.map_or(String::new(), |percent| format!(", {percent} % full,"));
                let rate = numbers::figure(last, Metric::Iops).with_unit();
                let each = numbers::seconds(*seconds);
                format!(
                    "{}{full} takes small random writes at {rate}, steady over five rounds of {each} (SNIA's rule).",
                    found.target
                )
            }
            _ => sentence(&sustained::sentence(found)),
        },
    }
}
