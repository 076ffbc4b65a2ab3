//! A phrase as text: subjects by their names, quantities as `numbers.rs` has them.

use crate::numbers;
use model::{Phrase, Piece};

pub fn text(phrase: &Phrase) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Subject(subject) => subject.to_string(),
        Piece::Quantity(quantity) => numbers::quantity(quantity),
    };
    phrase.0.iter().map(piece).collect()
}

/// `one; another`
pub fn list(phrases: &[Phrase]) -> String {
    phrases.iter().map(text).collect::<Vec<_>>().join("; ")
}
