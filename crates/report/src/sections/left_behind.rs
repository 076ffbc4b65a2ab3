//! Changes that are still there, and how to undo them.

use crate::block::{self, Block, Emphasis, Text};
use model::{Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let Some(list) = block::list(left_behind(report), Emphasis::Bad) else { return Vec::new() };
    vec![list, Block::Paragraph(Text::with_commands("`fathom restore` undoes it."))]
}

/// In words.
pub(crate) fn left_behind(report: &Report) -> Vec<String> {
    report.changes.iter().filter(|undo| !undo.undone).map(|undo| undo.change.what()).collect()
}
