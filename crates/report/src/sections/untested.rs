//! What could not be tested, and what that would need.

use crate::block::{Block, Emphasis, Item, Text};
use crate::phrase;
use model::{Report, Scope, Untested};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let items: Vec<Item> = report.answer.untested().iter().map(item).collect();
    if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
}

pub(super) fn item(one: &Untested) -> Item {
    let more = [("why not", &one.left_out.why), ("it needs", &one.left_out.needs)];
    let more = more.into_iter().filter(|(_, what)| !what.is_empty());
    Item {
        number: None,
        text: Text::new(&one.id, Emphasis::Strong).and(says(one), Emphasis::Plain),
        more: more.map(|(name, what)| Text::new(format!("{name}: {what}"), Emphasis::Quiet)).collect(),
    }
}

/// What is about the whole cluster needs no name.
fn says(one: &Untested) -> String {
    match one.subject {
        model::Subject::Cluster => format!(": {}", phrase::text(&one.says)),
        _ => format!(" ({}): {}", one.subject, phrase::text(&one.says)),
    }
}
