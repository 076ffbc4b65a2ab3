//! One setting against another inside one run: what B changed.

use crate::block::Block;
use crate::{compare, numbers};
use model::{AbFound, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let Some(found) = report.answer.pair() else { return Vec::new() };
    vec![Block::title(title(found)), compare::table(["A", "B"], &found.comparison).into(), Block::note(note(found))]
}

pub(crate) fn title(found: &AbFound) -> String {
    match found.what.as_str() {
        "nothing" => "B against A, nothing of which differs".to_string(),
        what => format!("{what}: {} (B) against {} (A)", found.b, found.a),
    }
}

/// What interleaving gains.
fn note(found: &AbFound) -> String {
    let percent = |log: f64| numbers::relative(log.exp_m1());
    format!(
        "{} of slices, A and B beside each other. The changes are known to {} (median); two separate runs with as many slices would know them to {}.",
        numbers::counted(u64::from(found.pairs), "pair", "pairs"),
        percent(found.half_width),
        percent(found.apart)
    )
}
