//! A sentence as pieces: words, subjects, and quantities as they were found. Who shows it makes words of the quantities.

use crate::figure::Estimate;
use crate::pattern::Metric;
use crate::subject::Subject;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phrase(pub Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Piece {
    Text(String),
    Subject(Subject),
    Quantity(Quantity),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// With its 95 % interval.
    Measured {
        estimate: Estimate,
        metric: Metric,
    },
    /// Without one: a median of several figures, a sum of bounds.
    Value {
        value: f64,
        metric: Metric,
    },
    /// 0.2 is 20 %.
    Share(f64),
    /// How likely something is.
    Chance(f64),
    /// One value over another.
    Times(f64),
    Count(u64),
    /// How fast a link was negotiated.
    Megabits(u32),
    /// The size of a packet, bytes.
    Packet(u32),
}

/// A phrase of these pieces, one after the other: text, subjects, quantities, other phrases.
#[macro_export]
macro_rules! phrase {
    ($($piece:expr),* $(,)?) => {
        [$($crate::Phrase::from($piece)),*].into_iter().collect::<$crate::Phrase>()
    };
}

impl Phrase {
    /// Does it begin with the name of this?
    pub fn begins_with(&self, subject: &Subject) -> bool {
        matches!(self.0.first(), Some(Piece::Subject(first)) if first == subject)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, Piece::Text(text) if text.is_empty()))
    }

    /// `one; another`
    pub fn joined(phrases: impl IntoIterator<Item = Phrase>, with: &str) -> Phrase {
        let several = |(index, phrase): (usize, Phrase)| if index == 0 { phrase } else { phrase![with, phrase] };
        phrases.into_iter().enumerate().map(several).collect()
    }
}

impl FromIterator<Phrase> for Phrase {
    /// Texts that follow each other become one.
    fn from_iter<I: IntoIterator<Item = Phrase>>(phrases: I) -> Phrase {
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in phrases.into_iter().flat_map(|phrase| phrase.0) {
            match (pieces.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
                (_, piece) => pieces.push(piece),
            }
        }
        Phrase(pieces)
    }
}

impl From<&str> for Phrase {
    fn from(text: &str) -> Phrase {
        Phrase(vec![Piece::Text(text.to_string())])
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Phrase {
        Phrase(vec![Piece::Text(text)])
    }
}

impl From<Subject> for Phrase {
    fn from(subject: Subject) -> Phrase {
        Phrase(vec![Piece::Subject(subject)])
    }
}

impl From<Quantity> for Phrase {
    fn from(quantity: Quantity) -> Phrase {
        Phrase(vec![Piece::Quantity(quantity)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_types_and_texts_become_one() {
        let inner = phrase!["is ", Quantity::Share(0.2)];
        let phrase = phrase![Subject::Osd(1), " ", inner, " slower", String::from(" than ")];
        let text = |text: &str| Piece::Text(text.to_string());
        let share = Piece::Quantity(Quantity::Share(0.2));
        assert_eq!(phrase.0, [Piece::Subject(Subject::Osd(1)), text(" is "), share, text(" slower than ")]);
        assert!(phrase.begins_with(&Subject::Osd(1)) && !phrase.begins_with(&Subject::Osd(2)));
        assert_eq!(Phrase::joined([Phrase::from("a"), Phrase::from("b")], "; "), Phrase::from("a; b"));
    }
}
