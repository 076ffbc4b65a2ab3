//! Targets that are slower than their peers beyond the noise.

use crate::block::{Block, Emphasis, Item, Text};
use crate::phrase;
use model::{Outlier, Report, Scope, Standing};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let item = |outlier: &Outlier| {
        let text = format!("{} {}: {}", outlier.layer.name(), outlier.pattern.name(), phrase::text(&outlier.says));
        let emphasis = if outlier.standing == Standing::Confirmed { Emphasis::Bad } else { Emphasis::Plain };
        Item::from(Text::new(text, emphasis))
    };
    let items: Vec<Item> = report.standing_outliers().map(item).collect();
    if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
}
