//! The answer of a run in a few sentences: what it takes, which layer takes most, what is wrong, what to do next.

mod again;
mod asked;
mod diagnosed;
mod next;
mod takes;
mod wrong;

use crate::sections::verified;
use model::Report;

pub(crate) use next::archived;

/// What a run says first, in every face.
pub(crate) struct Answer {
    /// What was asked for, and what was measured of it. Never empty.
    pub says: Vec<String>,
    /// A line for each, where several were asked for.
    pub each: Vec<String>,
    /// What belongs to it and is less; of most runs nothing.
    pub more: Vec<String>,
    /// The gravest first, without what `says` tells.
    pub wrong: Vec<Wrong>,
    /// Said where nothing wrong was found at all.
    pub well: Option<String>,
    /// `says` tells a cause.
    pub told_cause: bool,
    /// One step, with its command where there is one.
    pub next: String,
}

/// One thing that is wrong.
pub(crate) struct Wrong {
    pub says: String,
    /// By a measurement, not a hint.
    pub certain: bool,
}

impl Wrong {
    fn is_of(&self, cause: &model::Finding) -> bool {
        self.certain && self.says.starts_with(&wrong::named(cause))
    }
}

/// With how many figures are not known as well as they were to be, where these are the answer: the exit code counts them.
fn nothing_wrong(report: &Report) -> String {
    let unknown = |figure: &model::Figure| figure.estimate.as_ref().is_some_and(crate::numbers::is_unknown);
    let imprecise = |figure: &&model::Figure| matches!(figure.label, model::Label::Imprecise(_)) || unknown(figure);
    let (all, open) = (report.figures.len() as u64, report.figures.iter().filter(imprecise).count());
    match (&report.answer, open) {
        (model::Answer::Survey, 1..) => format!(
            "Nothing wrong was found; known less precisely than was asked for: {open} of {}.",
            crate::numbers::counted(all, "figure", "figures")
        ),
        _ => "Nothing wrong was found.".to_string(),
    }
}

/// At most this many faults are named in the answer; what follows it has all of them.
const NAMED: usize = 5;

impl Answer {
    pub(crate) fn of(report: &Report) -> Answer {
        let mut says = asked::says(report).unwrap_or_else(|| takes::says(report));
        if let Some(imported) = &report.head.imported {
            let who = format!("Imported: measured by {}, not by Fathom ({}).", imported.tool, imported.file);
            says.insert(0, who);
        }
        says.extend(verified::summary(report).map(|summary| format!("{summary}.")));
        let diagnosed = matches!(report.answer, model::Answer::Diagnosis(_));
        let more = if diagnosed { diagnosed::more(report) } else { Vec::new() };
        let told = diagnosed::cause(report).filter(|_| diagnosed);
        let all = wrong::all(report);
        let fit = report.answer.drives().iter().all(|drive| {
            drive.fitness == model::Fitness::Fit && !drive.reasons.iter().any(model::FitnessReason::is_fault)
        });
        let lasts =
            report.answer.endurance().iter().all(|test| {
                test.cliff.is_none() && test.rounds.as_ref().is_none_or(|rounds| rounds.steady == Some(true))
            });
        // What a state costs is no fault, and no praise either.
        let of_states = report.answer.image_states().is_some();
        let well = all.is_empty() && fit && lasts && !of_states;
        let wrong = all.into_iter().filter(|one| told.is_none_or(|cause| !one.is_of(cause))).collect();
        Answer {
            says,
            each: asked::each(report),
            more,
            wrong,
            well: well.then(|| nothing_wrong(report)),
            told_cause: told.is_some(),
            next: next::step(report),
        }
    }

    /// What is wrong, as lines: the gravest, and how many more there are.
    pub(crate) fn wrong_lines(&self) -> Vec<(bool, String)> {
        let named = self.wrong.iter().take(NAMED).map(|one| (one.certain, one.says.clone()));
        let more = self.wrong.len().saturating_sub(NAMED);
        named.chain((more > 0).then(|| (false, format!("and {more} more, below")))).collect()
    }
}

/// With a full stop, if it has no end yet.
fn sentence(text: &str) -> String {
    // Names of daemons and options begin as they are written.
    let text = text.trim();
    let text = &text.strip_prefix("the ").map_or(text.to_string(), |rest| format!("The {rest}"));
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text.to_string() } else { format!("{text}.") }
}
