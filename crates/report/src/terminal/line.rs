//! Painted text on its way to a terminal: wrapped and padded by what is seen, coloured last.

use super::style::{Paint, Style};
use crate::block::{Align, Emphasis, Text};
use crate::words;

/// Characters that are one column wide each, as everything is that Fathom itself writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line(Vec<(char, Paint)>);

impl Line {
    pub(super) fn new(text: &str, paint: Paint) -> Line {
        Line(words::tame(text).chars().map(|c| (c, paint)).collect())
    }

    pub(super) fn blank(width: usize) -> Line {
        Line(vec![(' ', Paint::Plain); width])
    }

    /// A command stands between backticks, and a value that must not be used between brackets.
    pub(super) fn of(text: &Text) -> Line {
        let mut line = Line::default();
        for span in &text.0 {
            let (before, after) = match span.emphasis {
                Emphasis::Code => ("`", "`"),
                Emphasis::Struck => ("[", "]"),
                _ => ("", ""),
            };
            line.push(Line::new(&format!("{before}{}{after}", span.text), Paint::of(span.emphasis)));
        }
        line
    }

    pub(super) fn push(&mut self, other: Line) {
        self.0.extend(other.0);
    }

    pub(super) fn width(&self) -> usize {
        self.0.len()
    }

    pub(super) fn longest_word(&self) -> usize {
        self.words().iter().map(Line::width).max().unwrap_or(0)
    }

    pub(super) fn padded(mut self, width: usize, align: Align) -> Line {
        let room = Line::blank(width.saturating_sub(self.width()));
        match align {
            Align::Left => {
                self.push(room);
                self
            }
            Align::Right => Line(room.0.into_iter().chain(self.0).collect()),
        }
    }

    /// Broken at spaces; a word that is longer than a line stays whole. Never empty. What fits stays as it is.
    pub(super) fn wrapped(self, width: usize) -> Vec<Line> {
        let words = self.words();
        self.broken(words, width)
    }

    /// The same; a command stays on one line as well, so that it can be copied.
    pub(super) fn wrapped_prose(self, width: usize) -> Vec<Line> {
        let words = commands_joined(self.words());
        self.broken(words, width)
    }

    fn broken(self, words: Vec<Line>, width: usize) -> Vec<Line> {
        if self.width() <= width {
            return vec![self];
        }
        let mut lines = Vec::new();
        let mut line = Line::default();
        for word in words {
            if line.width() > 0 && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
            }
            if line.width() > 0 {
                line.push(Line(vec![(' ', word.0[0].1)]));
            }
            line.push(word);
        }
        lines.push(line);
        lines
    }

    /// What stays on one line: a word, or a number with its percent sign.
    fn words(&self) -> Vec<Line> {
        let mut words: Vec<Line> = Vec::new();
        for word in self.0.split(|(c, _)| c.is_whitespace()).filter(|word| !word.is_empty()) {
            match words.last_mut() {
                Some(number) if word[0].0 == '%' => {
                    number.push(Line(vec![(' ', word[0].1)]));
                    number.push(Line(word.to_vec()));
                }
                _ => words.push(Line(word.to_vec())),
            }
        }
        words
    }

    /// How many characters a number has from its decimal point on; `None`: it is no number.
    pub(super) fn decimals(&self) -> Option<usize> {
        let mut chars = self.0.iter().map(|(c, _)| *c);
        let number = chars.any(|c| c.is_ascii_digit()) && !self.0.iter().any(|(c, _)| matches!(c, '%' | '['));
        number.then(|| self.0.iter().position(|(c, _)| *c == '.').map_or(0, |point| self.width() - point))
    }

    /// With a line break; spaces at the end say nothing.
    pub(super) fn text(&self, style: &Style) -> String {
        let end = self.0.iter().rposition(|(c, _)| *c != ' ').map_or(0, |last| last + 1);
        let runs = self.0[..end].chunk_by(|(_, a), (_, b)| a == b);
        let run = |run: &[(char, Paint)]| {
            style.paint(&run.iter().map(|(c, _)| *c).collect::<String>(), run.first().map_or(Paint::Plain, |one| one.1))
        };
        runs.map(run).collect::<String>() + "\n"
    }
}

/// Words between two backticks are one.
fn commands_joined(words: Vec<Line>) -> Vec<Line> {
    let backticks = |line: &Line| line.0.iter().filter(|(c, _)| *c == '`').count();
    if words.iter().map(backticks).sum::<usize>() % 2 == 1 {
        return words;
    }
    let mut joined: Vec<Line> = Vec::new();
    for word in words {
        match joined.last_mut().filter(|last| backticks(last) % 2 == 1) {
            Some(open) => {
                open.push(Line(vec![(' ', word.0[0].1)]));
                open.push(word);
            }
            None => joined.push(word),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        let lines = Line::new(text, Paint::Plain).wrapped_prose(width);
        lines.iter().map(|line| line.0.iter().map(|(c, _)| *c).collect()).collect()
    }

    #[test]
    fn a_command_is_not_broken() {
        let text = "say `ceph config set osd debug_osd 1/5` and go on";
        assert_eq!(wrapped(text, 20), ["say", "`ceph config set osd debug_osd 1/5`", "and go on"]);
        assert_eq!(wrapped("an odd ` backtick is a word", 12), ["an odd `", "backtick is", "a word"]);
        assert_eq!(wrapped("`a b`, `c d`.", 7), ["`a b`,", "`c d`."]);
    }
}
