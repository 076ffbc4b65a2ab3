//! The one thing to do after a run, with its command: what mends comes before what tells more.

use super::{sentence, takes};
use crate::{scene, words};
use model::{Figure, Finding, Finds, Label, Layer, Outcome, Report, Standing};

/// The first of these that applies.
pub(super) fn step(report: &Report) -> String {
    let step = mend(report)
        .or_else(|| thresholds(report))
        .or_else(|| finding(report, Standing::Confirmed))
        .or_else(|| outlier(report))
        .or_else(|| unusable(report))
        .or_else(|| finding(report, Standing::Hint))
        .or_else(|| asked(report))
        .or_else(|| more(report));
    step.unwrap_or_else(|| deeper(report))
}

/// What must be mended before any figure is worth anything.
fn mend(report: &Report) -> Option<String> {
    let flawed = report.figures.iter().filter_map(|figure| figure.checked.as_ref()).any(|one| one.flawed() > 0);
    if flawed {
        let text = "find out what damages data before this storage gets any; the flaws below say which blocks";
        return Some(sentence(text));
    }
    let left = !scene::left_behind(report).is_empty();
    match (report.finished, left) {
        (true, true) => Some("`fathom restore` undoes what is still there.".to_string()),
        (false, _) if report.sweep.is_some() => {
            Some(format!("`fathom sweep --resume {}` goes on with it.", report.head.run))
        }
        (false, true) => Some("if it is not running any more, `fathom restore` undoes what it left.".to_string()),
        (false, false) => Some(again(report, "if it is not running any more, run it again")),
        (true, false) if report.head.imported.is_some() => None,
        (true, false) => (!report.errors.is_empty()).then(|| again(report, "fix the reported problem and run again")),
    }
}

fn again(report: &Report, what: &str) -> String {
    match report.head.command.trim() {
        "" => format!("{what}."),
        command => format!("{what}: `{command}`."),
    }
}

fn thresholds(report: &Report) -> Option<String> {
    let any = |outcome| report.verdicts.iter().any(|verdict| verdict.outcome == outcome);
    let on = on(report);
    if any(Outcome::Fail) {
        return Some(format!("`fathom run{on}` measures all layers and shows which takes most."));
    }
    if any(Outcome::Open) {
        return Some("give the open ones more time (--time-max 5m).".to_string());
    }
    (!report.verdicts.is_empty())
        .then(|| format!("after a change, compare: `fathom compare {} last`.", report.head.run))
}

fn finding(report: &Report, standing: Standing) -> Option<String> {
    let with_fix = |finding: &&Finding| finding.standing == standing && !finding.fix.trim().is_empty();
    let first = report.findings.iter().find(with_fix)?;
    Some(sentence(&format!("{}: {}", first.subject, first.fix)))
}

fn outlier(report: &Report) -> Option<String> {
    let worst = report.outliers.iter().max_by(|a, b| a.slower_by.total_cmp(&b.slower_by))?;
    let compare = format!("compare {}'s device, firmware and host with its peers'", worst.target);
    let id = worst.target.strip_prefix("osd.").filter(|id| id.parse::<u32>().is_ok());
    Some(match id {
        Some(id) if !report.head.own_lab => format!("{compare}; `fathom osd {id}{}` measures it alone.", on(report)),
        // The OSD of a lab that is gone can't be measured again.
        _ => format!("{compare}."),
    })
}

/// What the gravest label advises.
fn unusable(report: &Report) -> Option<String> {
    let grave = |figure: &&Figure| !words::holds(&figure.label) || matches!(figure.label, Label::GeneratorLimited(_));
    let (name, _) = scene::unsettled(report).into_iter().find(|(_, figures)| figures.iter().any(grave))?;
    let advice = words::MEANINGS.iter().find(|one| one.label == name)?.then;
    let mut letters = advice.chars();
    let first = letters.next()?.to_lowercase();
    Some(format!("{first}{}", letters.as_str()))
}

/// After a question of its own.
fn asked(report: &Report) -> Option<String> {
    if let Some(found) = &report.ab {
        let any = |finds| found.comparison.differences.iter().any(|one| one.finds == finds);
        return Some(match (any(Finds::Worse), any(Finds::Better), any(Finds::Undecided)) {
            (true, true, _) => "choose by the pattern that matters to you.".to_string(),
            (true, false, _) => format!("keep A ({}).", found.a),
            (false, true, _) => format!("choose B ({}).", found.b),
            (false, false, true) => "give it more pairs (--passes 36), or longer slices (--duration 30s).".to_string(),
            (false, false, false) => "either will do.".to_string(),
        });
    }
    if !report.limits.is_empty() {
        return Some(format!("`fathom run{}` shows which layer takes most of a response.", on(report)));
    }
    if let Some(one) = report.doubled.first() {
        return Some(match one.full {
            Some(full) => {
                format!("measure with so many clients: `fathom {} --clients {full}{}`.", one.layer.name(), on(report))
            }
            None => "name more hosts that load (--hosts).".to_string(),
        });
    }
    if let Some(knee) = report.sweep.as_ref().and_then(|swept| swept.knees.first()) {
        let layer = report.figures.first().map_or("rados", |figure| figure.layer.spec().command);
        let (depth, on) = (knee.knee.depth, on(report));
        return Some(format!("measure the knee alone, for longer: `fathom {layer} --depth {depth}{on}`."));
    }
    if report.sustained.iter().any(|found| found.cliff.is_some()) {
        return Some("count on the rate after the fall for lasting writes.".to_string());
    }
    let imported = report.head.imported.is_some();
    imported.then(|| format!("measure the same with Fathom, then `fathom compare {} last`.", report.head.run))
}

/// Intervals that are wider than was asked for.
fn more(report: &Report) -> Option<String> {
    if words_of(report).any(|word| word == "--quick") {
        let command: Vec<&str> = words_of(report).filter(|word| *word != "--quick").collect();
        return Some(format!("`{}`, without --quick, narrows the intervals.", command.join(" ")));
    }
    let imprecise = report.figures.iter().filter(|figure| matches!(figure.label, Label::Imprecise(_))).count();
    (imprecise * 2 > report.figures.len())
        .then(|| "give it more time for narrower intervals (--time-max 5m).".to_string())
}

fn deeper(report: &Report) -> String {
    let run = &report.head.run;
    let mut layers: Vec<Layer> = report.chart.iter().map(|cell| cell.layer).collect();
    layers.sort_unstable();
    layers.dedup();
    let on = on(report);
    match takes::dearest(report) {
        _ if report.figures.is_empty() => format!("`fathom run{on}` measures all layers."),
        Some(layer) => format!(
            "`fathom {}{on}` measures that layer alone; after a change, `fathom compare {run} last`.",
            layer.spec().command
        ),
        None if layers.len() < 2 => format!("`fathom run{on}` measures all layers and shows which takes most."),
        None => format!("after a change, run again and compare: `fathom compare {run} last`."),
    }
}

/// `fathom show RUN`, from the same archive.
pub(crate) fn archived(report: &Report) -> String {
    format!("fathom show {}{}", report.head.run, option(report, "--archive"))
}

/// The lab that the run was on, as an option; one that is gone has no name any more, and another is started.
fn on(report: &Report) -> String {
    if report.head.own_lab { " --lab".to_string() } else { option(report, "--lab") }
}

fn words_of(report: &Report) -> impl Iterator<Item = &str> {
    report.head.command.split_whitespace()
}

/// An option of the run's command with its value, if it has one.
fn option(report: &Report, name: &str) -> String {
    let all: Vec<&str> = words_of(report).collect();
    let joined = |word: &&&str| word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
    if let Some(word) = all.iter().find(joined) {
        return format!(" {word}");
    }
    let Some(place) = all.iter().position(|word| *word == name) else { return String::new() };
    match all.get(place + 1).filter(|value| !value.starts_with('-')) {
        Some(value) => format!(" {name} {value}"),
        None => format!(" {name}"),
    }
}
