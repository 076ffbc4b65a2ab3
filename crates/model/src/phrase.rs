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

/// As `format!`, but what stands in the places of `{}` keeps its type: a subject, a quantity, a number of things, text, another phrase.
#[macro_export]
macro_rules! phrase {
    (@one $piece:expr) => { 1 };
    ($text:literal $(, $piece:expr)* $(,)?) => {{
        const { assert!($crate::Phrase::places($text) == 0 $(+ $crate::phrase!(@one $piece))*) };
        $crate::Phrase::of($text, [$($crate::Phrase::from($piece)),*])
    }};
}

impl Phrase {
    /// How many `{}` there are.
    pub const fn places(text: &str) -> usize {
        let (bytes, mut at, mut found) = (text.as_bytes(), 1, 0);
        while at < bytes.len() {
            found += (bytes[at - 1] == b'{' && bytes[at] == b'}') as usize;
            at += 1;
        }
        found
    }

    pub fn of<const N: usize>(text: &str, pieces: [Phrase; N]) -> Phrase {
        let mut pieces = pieces.into_iter();
        text.split("{}").flat_map(|text| [Some(Phrase::from(text)), pieces.next()]).flatten().collect()
    }

    /// Does it begin with the name of this?
    pub fn begins_with(&self, subject: &Subject) -> bool {
        matches!(self.0.first(), Some(Piece::Subject(first)) if first == subject)
    }

    /// `one; another`
    pub fn joined(phrases: impl IntoIterator<Item = Phrase>, with: &str) -> Phrase {
        let several =
            |(index, phrase): (usize, Phrase)| if index == 0 { phrase } else { phrase!("{}{}", with, phrase) };
        phrases.into_iter().enumerate().map(several).collect()
    }
}

impl FromIterator<Phrase> for Phrase {
    /// Texts that follow each other become one.
    fn from_iter<I: IntoIterator<Item = Phrase>>(phrases: I) -> Phrase {
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in phrases.into_iter().flat_map(|phrase| phrase.0) {
            match (pieces.last_mut(), piece) {
                (_, Piece::Text(text)) if text.is_empty() => {}
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

/// A count of things.
impl From<usize> for Phrase {
    fn from(count: usize) -> Phrase {
        Phrase::from(Quantity::Count(count as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_types_and_texts_become_one() {
        let inner = phrase!("is {}", Quantity::Share(0.2));
        let phrase = phrase!("{} {} slower{}{}", Subject::Osd(1), inner, String::from(" than "), "");
        let text = |text: &str| Piece::Text(text.to_string());
        let share = Piece::Quantity(Quantity::Share(0.2));
        assert_eq!(phrase.0, [Piece::Subject(Subject::Osd(1)), text(" is "), share, text(" slower than ")]);
        assert!(phrase.begins_with(&Subject::Osd(1)) && !phrase.begins_with(&Subject::Osd(2)));
        assert_eq!(Phrase::joined([Phrase::from("a"), Phrase::from("b")], "; "), Phrase::from("a; b"));
    }
}
