//! What is wrong in a run, the gravest first: data that came back changed, errors, what was left, thresholds missed, outliers.

use super::{Wrong, diagnosed};
use crate::sections::{failed, left_behind, unsettled, verdicts, verified};
use crate::{numbers, phrase, words};
use model::{Ending, Figure, Finding, Label, Outcome, Outlier, Report, Standing, Subject, Undo};

/// At most this many figures of one target, and reasons of one label, are named.
const NAMED: usize = 2;

pub(super) fn all(report: &Report) -> Vec<Wrong> {
    let certain = |says: String| Wrong { says, certain: true };
    let mut wrong: Vec<Wrong> = Vec::new();
    wrong.extend(flaws(report).map(certain));
    wrong.extend(unfinished(report).map(certain));
    wrong.extend(several(&errors(report), "errors").map(certain));
    wrong.extend(several(&failed::lines(report), "figures with operations that failed").map(certain));
    wrong.extend(several(&left_behind(report), "changes").map(certain));
    wrong.extend(missed(report).into_iter().map(certain));
    wrong.extend(findings(report, Standing::Confirmed));
    wrong.extend(outliers(report));
    wrong.extend(unusable(report).into_iter().map(certain));
    wrong.extend(findings(report, Standing::Hint));
    wrong.extend(doubtful(report));
    wrong
}

fn flaws(report: &Report) -> Option<String> {
    let flawed = report.figures.iter().filter_map(|figure| figure.checked.as_ref()).any(|one| one.flawed() > 0);
    verified::summary(report).filter(|_| flawed)
}

fn unfinished(report: &Report) -> Option<String> {
    let passes = match report.passes {
        0 => "no pass of it is whole".to_string(),
        n => format!("this is what {} measured", numbers::counted(u64::from(n), "pass", "passes")),
    };
    match report.ending {
        Some(Ending::Done) => None,
        Some(Ending::Stopped) => Some(format!("The run was stopped before its end: {passes}")),
        // The errors say why.
        Some(Ending::Failed) => None,
        None => Some(format!("The run is not finished: {passes}")),
    }
}

fn errors(report: &Report) -> Vec<String> {
    let broken = report
        .answer
        .endurance()
        .iter()
        .filter_map(|found| Some(format!("{}: {}", found.target, found.error.as_ref()?)));
    report.errors.iter().cloned().chain(broken).collect()
}

fn left_behind(report: &Report) -> Vec<String> {
    let there = left_behind::left_behind(report).into_iter().map(|what| format!("{what} is still there"));
    let left = |undo: &Undo| Some(format!("{} is left as it is: {}", undo.change.what(), undo.left.as_ref()?));
    there.chain(report.changes.iter().filter_map(left)).collect()
}

/// The only one, or how many there are and the first.
fn several(all: &[String], what: &str) -> Option<String> {
    match all {
        [] => None,
        [only] => Some(only.clone()),
        [first, ..] => Some(format!("{} {what}, the first: {first}", all.len())),
    }
}

fn missed(report: &Report) -> Vec<String> {
    let failed = verdicts::sorted(report).into_iter().filter(|verdict| verdict.outcome == Outcome::Fail);
    let says = |[target, pattern, bound, figure]: [String; 4]| format!("{target} {pattern} is {figure}, not {bound}");
    failed.map(|verdict| says(verdicts::told(verdict))).collect()
}

/// What begins with the name of its target needs no other.
pub(super) fn named(finding: &Finding) -> String {
    match finding.says.begins_with(&finding.subject) || finding.subject == Subject::Cluster {
        true => phrase::text(&finding.says),
        false => format!("{}: {}", finding.subject, phrase::text(&finding.says)),
    }
}

fn findings(report: &Report, standing: Standing) -> Vec<Wrong> {
    let own = report.findings.iter().filter(|finding| finding.standing == standing);
    let kind = |finding: &Finding| match standing {
        Standing::Confirmed if diagnosed::is_only_state(report, finding) => "state of the cluster: ",
        Standing::Confirmed => "",
        Standing::Hint => "hint: ",
    };
    let seen = |finding: &Finding| {
        let own: Vec<&Outlier> = report.outliers.iter().filter(|outlier| outlier.subject == finding.subject).collect();
        if own.is_empty() { String::new() } else { format!(" ({})", cells(report, &own)) }
    };
    let one = |finding: &Finding| Wrong {
        says: format!("{}{}{}", kind(finding), named(finding), seen(finding)),
        certain: standing == Standing::Confirmed,
    };
    own.map(one).collect()
}

/// One line for each target of which no finding speaks, the slowest first.
fn outliers(report: &Report) -> Vec<Wrong> {
    let about = |finding: &Finding, subject: &Subject| {
        finding.subject == *subject || finding.all_evidence().any(|line| line.begins_with(subject))
    };
    let told = |outlier: &&Outlier| report.findings.iter().any(|finding| about(finding, &outlier.subject));
    let mut sorted: Vec<&Outlier> = report.standing_outliers().filter(|outlier| !told(outlier)).collect();
    sorted.sort_by(|a, b| b.slower_by.total_cmp(&a.slower_by));
    let mut targets: Vec<(&str, Vec<&Outlier>)> = Vec::new();
    for outlier in sorted {
        match targets.iter_mut().find(|(target, _)| *target == outlier.target) {
            Some((_, all)) => all.push(outlier),
            None => targets.push((&outlier.target, vec![outlier])),
        }
    }
    targets.into_iter().map(|(target, all)| slow(report, target, &all)).collect()
}

fn slow(report: &Report, target: &str, all: &[&Outlier]) -> Wrong {
    let certain = all.iter().any(|outlier| outlier.standing == Standing::Confirmed);
    let is = if certain { "is" } else { "may be" };
    Wrong { says: format!("{target} {is} slower than its peers: {}", cells(report, all)), certain }
}

/// In which cells a target is slower than its peers, with its figures there.
fn cells(report: &Report, all: &[&Outlier]) -> String {
    let cell = |outlier: &&Outlier| {
        let own = |figure: &&Figure| {
            figure.chart
                && figure.target == outlier.target
                && (figure.layer, figure.pattern) == (outlier.layer, outlier.pattern)
        };
        let known = report
            .figures
            .iter()
            .find(own)
            .filter(|figure| figure.estimate.as_ref().is_some_and(|estimate| !numbers::is_unknown(estimate)));
        let value = known.map_or(String::new(), |figure| format!(" {}", words::value(figure)));
        format!("{} {}{value}", outlier.layer.name(), outlier.pattern.name())
    };
    let mut cells: Vec<String> = all.iter().take(NAMED).map(cell).collect();
    if all.len() > NAMED {
        cells.push(format!("and {} more", all.len() - NAMED));
    }
    cells.join(", ")
}

/// Void, implausible, never written: by label, with the first one's reason.
fn unusable(report: &Report) -> Vec<String> {
    let groups = unsettled::unsettled(report).into_iter().filter_map(|(name, figures)| {
        let first = figures.iter().find(|figure| !words::holds(&figure.label))?;
        let place = format!("{} {}", words::place(first.layer, &first.target), first.pattern.name());
        let why = first.label.why().unwrap_or_default();
        Some(match figures.len() {
            1 => format!("{place} is {name}: {why}"),
            n => format!("{n} figures are {name}, the first {place}: {why}"),
        })
    });
    groups.collect()
}

/// Figures with a value that misleads by itself; an imprecise one says it by its interval.
fn doubtful(report: &Report) -> Option<Wrong> {
    let misleads = |figure: &&Figure| {
        use Label::{FewEvents, GeneratorLimited, TwoLevels, Unsettled, Wandering};
        matches!(figure.label, FewEvents(_) | GeneratorLimited(_) | TwoLevels(_) | Unsettled(_) | Wandering(_))
    };
    let groups = unsettled::unsettled(report).into_iter().filter_map(|(name, figures)| {
        let count = figures.iter().filter(|figure| misleads(figure)).count();
        (count > 0).then(|| (count, format!("{count} {name}")))
    });
    let (counts, named): (Vec<usize>, Vec<String>) = groups.unzip();
    let all: usize = counts.iter().sum();
    let figures = numbers::counted(all as u64, "figure", "figures");
    let says = format!("read with care: {figures} ({})", named.join(", "));
    (all > 0).then_some(Wrong { says, certain: false })
}
