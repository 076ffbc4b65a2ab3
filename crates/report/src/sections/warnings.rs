//! What is to be known about how it was measured, in the words of who measured: the first of it, and on demand the rest.

use crate::block::{self, Block, Emphasis};
use model::{Report, Scope};

/// How many warnings are shown; the others are folded away.
const SHOWN: usize = 3;

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let (first, more) = report.warnings.split_at(report.warnings.len().min(SHOWN));
    let more = block::list(more, Emphasis::Warn).map(|list| Block::fold("more warnings", vec![list]));
    block::list(first, Emphasis::Warn).into_iter().chain(more).collect()
}
