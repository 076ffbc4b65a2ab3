//! The answer of a run in a few sentences: what it takes, which layer takes most, what is wrong, what to do next.

mod asked;
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
    /// The gravest first; empty: nothing was found.
    pub wrong: Vec<Wrong>,
    /// One step, with its command where there is one.
    pub next: String,
}

/// One thing that is wrong.
pub(crate) struct Wrong {
    pub says: String,
    /// By a measurement, not a hint.
    pub certain: bool,
}

/// Said where nothing is wrong.
pub(crate) const NOTHING_WRONG: &str = "Nothing wrong was found.";
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
        Answer { says, wrong: wrong::all(report), next: next::step(report) }
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
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text.to_string() } else { format!("{text}.") }
}
