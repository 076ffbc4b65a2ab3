//! The answer: what was asked for, what is wrong, what to do next.

use crate::answer::Answer;
use crate::block::{Block, Emphasis, Item, Text};
use model::{Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let answer = Answer::of(report);
    let mut blocks = vec![Block::Paragraph(Text::new(answer.says.join(" "), Emphasis::Strong))];
    if !answer.each.is_empty() {
        blocks.push(Block::List(
            answer.each.iter().map(|one| Item::from(Text::new(one.clone(), Emphasis::Plain))).collect(),
        ));
    }
    if !answer.more.is_empty() {
        blocks.push(Block::paragraph(answer.more.join(" ")));
    }
    let item = |(certain, says)| {
        let emphasis = if certain { Emphasis::Bad } else { Emphasis::Warn };
        Item::from(Text::new(says, emphasis))
    };
    let wrong: Vec<Item> = answer.wrong_lines().into_iter().map(item).collect();
    if let Some(well) = answer.well {
        blocks.push(Block::paragraph(well));
    } else if !wrong.is_empty() {
        let title = if answer.told_cause { "What else is wrong:" } else { "What is wrong:" };
        blocks.extend([Block::paragraph(title), Block::List(wrong)]);
    }
    blocks.push(Block::Paragraph(Text::with_commands(&format!("Next: {}", answer.next))));
    blocks
}
