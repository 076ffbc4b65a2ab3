//! A phrase as text: subjects by their names, quantities as `numbers.rs` has them.

use crate::numbers;
use model::{Cost, Phrase, Piece};

pub fn text(phrase: &Phrase) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Subject(subject) => subject.to_string(),
        Piece::Quantity(quantity) => numbers::quantity(quantity),
    };
    phrase.0.iter().map(piece).collect()
}

/// `one; another`
pub fn list<'p>(phrases: impl IntoIterator<Item = &'p Phrase>) -> String {
    phrases.into_iter().map(text).collect::<Vec<_>>().join("; ")
}

/// `writes with osd.1 as the primary 1.79 ms ±0.06 → 1.24 ms ±0.04 (-31 % ±4 %); …; until the next: …`
pub fn cost(cost: &Cost) -> String {
    let gain = |gain: &model::Gain| format!("{} {}", text(&gain.of), numbers::gain(gain));
    let until = std::iter::once(format!("until {}", text(&cost.until)));
    cost.gains.iter().map(gain).chain(until).collect::<Vec<_>>().join("; ")
}
