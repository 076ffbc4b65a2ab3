//! Figures of reads that found nothing: what was never written, or was trimmed, is answered without the medium.

use crate::chart::severity;
use crate::entry::Entry;
use crate::words::{number, percent};
use model::{EmptyPages, Label, PagesRead, Record};

/// A larger share changes a rate by more than the ±5 % that a figure is to have.
const EMPTY_MOST: f64 = 0.05;

/// Every figure of reads has what was seen of its pages; one with too many empty ones is none of the disk.
pub fn name_empty(entries: &mut [Entry], record: &Record) {
    for entry in entries.iter_mut().filter(|entry| !entry.figure.kind.changes()) {
        let mut all = EmptyPages::default();
        record.pages_read().filter(|seen| counts(entry, seen)).for_each(|seen| {
            let own = seen.targets.iter().filter(|(target, _)| entry.target.is_none_or(|own| own == **target));
            own.for_each(|(_, pages)| all += *pages);
        });
        entry.figure.empty_pages = (all.looked_at > 0).then_some(all);
        let label = says(all).map(Label::Unwritten);
        if let Some(label) = label.filter(|label| severity(label) > severity(&entry.figure.label)) {
            entry.figure.label = label;
        }
    }
}

/// Only slices that are part of the figure.
fn counts(entry: &Entry, seen: &PagesRead) -> bool {
    let good = |pass: u32| entry.slices.iter().any(|slice| slice.pass == pass && slice.void.is_none());
    seen.step == entry.step.id && good(seen.pass)
}

/// `None`: there was something to be read.
fn says(pages: EmptyPages) -> Option<String> {
    let share = pages.share().filter(|share| *share > EMPTY_MOST)?;
    Some(format!(
        "{} of what was read holds no data ({} of {} pages that were looked at): it was never written, or trimmed, and such reads are \
         answered without asking the medium",
        percent(share),
        number(pages.empty as f64),
        number(pages.looked_at as f64)
    ))
}
