//! What went wrong while it ran, in the words of who met it.

use crate::block::{self, Block, Emphasis};
use model::{Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    block::list(&report.errors, Emphasis::Bad).into_iter().collect()
}
