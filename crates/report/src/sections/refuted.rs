//! Who was suspected until a measurement told otherwise.

use crate::block::{Block, Emphasis, Item, Text};
use crate::phrase;
use model::{Refuted, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let items: Vec<Item> = report.answer.refuted().iter().map(item).collect();
    if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
}

pub(super) fn item(one: &Refuted) -> Item {
    let says = format!(" ({}): {}", one.subject, phrase::text(&one.says));
    Item {
        number: None,
        text: Text::new(&one.id, Emphasis::Strong).and(says, Emphasis::Plain),
        more: vec![Text::new(format!("refuted: {}", phrase::text(&one.because)), Emphasis::Quiet)],
    }
}
