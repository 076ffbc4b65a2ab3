//! Text in columns: padded by what is seen, painted after padding; the last column may wrap.

use super::style::{Paint, Style, columns};

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Align {
    Left,
    Right,
}

pub(crate) struct Table {
    aligns: Vec<Align>,
    /// A wrapping last column begins where this one ends.
    rows: Vec<(Vec<String>, Paint)>,
}

/// Between two columns.
const GAP: usize = 2;
/// A wrapped last column is at least this wide, even if the line gets too long.
const WRAP_MIN: usize = 24;

impl Table {
    /// A heading and the alignment of every column.
    pub(crate) fn new(heading: &[(&str, Align)]) -> Table {
        let titles = heading.iter().map(|(title, _)| title.to_string()).collect();
        let aligns = heading.iter().map(|(_, align)| *align).collect();
        Table { aligns, rows: vec![(titles, Paint::Dim)] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>, paint: Paint) {
        self.rows.push((cells, paint));
    }

    /// Lines that begin with `indent` spaces; the last column wraps at the style's width.
    pub(crate) fn text(&self, indent: usize, style: &Style) -> String {
        let last = self.aligns.len().saturating_sub(1);
        let widths: Vec<usize> = (0..last).map(|i| self.width(i)).collect();
        let start = indent + widths.iter().map(|width| width + GAP).sum::<usize>();
        let room = style.room().saturating_sub(start).max(WRAP_MIN);
        let mut text = String::new();
        for (cells, paint) in &self.rows {
            let mut line = " ".repeat(indent);
            for (i, width) in widths.iter().enumerate() {
                line += &padded(cells.get(i).map_or("", String::as_str), *width, self.aligns[i]);
                line += &" ".repeat(GAP);
            }
            let tail = cells.get(last).map_or("", String::as_str);
            let tail = match self.aligns.get(last) {
                Some(Align::Right) => padded(tail, self.width(last), Align::Right),
                _ => tail.to_string(),
            };
            for (i, piece) in pieces(&tail, room).iter().enumerate() {
                let lead = if i == 0 { line.clone() } else { " ".repeat(start) };
                text += &style.paint((lead + piece).trim_end(), *paint);
                text.push('\n');
            }
        }
        text
    }

    /// As narrow as the style's width wants it: the widest column wraps first, and no word is broken.
    pub(crate) fn fitted(&self, style: &Style) -> String {
        let columns = self.aligns.len();
        let mut widths: Vec<usize> = (0..columns).map(|i| self.width(i)).collect();
        let least: Vec<usize> = (0..columns).map(|i| self.longest_word(i)).collect();
        let room = style.room().saturating_sub(GAP * columns.saturating_sub(1));
        while widths.iter().sum::<usize>() > room {
            let widest = (0..columns).filter(|i| widths[*i] > least[*i]).max_by_key(|i| widths[*i]);
            let Some(widest) = widest else { break };
            widths[widest] -= 1;
        }
        let mut text = String::new();
        for (cells, paint) in &self.rows {
            let cell = |i: usize| pieces(cells.get(i).map_or("", String::as_str), widths[i]);
            let cells: Vec<Vec<String>> = (0..columns).map(cell).collect();
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let piece = |i: usize| cells[i].get(line).map_or("", String::as_str);
                let row: Vec<String> = (0..columns).map(|i| padded(piece(i), widths[i], self.aligns[i])).collect();
                text += &(style.paint(row.join(&" ".repeat(GAP)).trim_end(), *paint) + "\n");
            }
        }
        text
    }

    fn longest_word(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|(cells, _)| cells.get(column));
        cells.flat_map(|cell| words(cell)).map(|word| columns(&word)).max().unwrap_or(0)
    }

    fn width(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|(cells, _)| cells.get(column)).map(|cell| columns(cell)).max().unwrap_or(0)
    }
}

pub(crate) fn padded(text: &str, width: usize, align: Align) -> String {
    let room = " ".repeat(width.saturating_sub(columns(text)));
    match align {
        Align::Left => format!("{text}{room}"),
        Align::Right => format!("{room}{text}"),
    }
}

/// The text in lines of at most `width` columns, all but the first indented by `hang`; the first keeps the indent that
/// the text has. Ends with a line break.
pub(crate) fn wrapped(text: &str, width: usize, hang: usize) -> String {
    let indent = " ".repeat(text.len() - text.trim_start_matches(' ').len());
    let room = width.saturating_sub(hang.max(indent.len())).max(WRAP_MIN);
    let mut lines = String::new();
    for (i, piece) in pieces(text.trim_start_matches(' '), room).iter().enumerate() {
        let lead = if i == 0 { indent.clone() } else { " ".repeat(hang) };
        lines += &format!("{lead}{piece}\n");
    }
    lines
}

/// What stays on one line: a word, or a number with its percent sign.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(number) if word.starts_with('%') => *number += &format!(" {word}"),
            _ => words.push(word.to_string()),
        }
    }
    words
}

/// Broken at spaces; a word that is longer than a line stays whole. Never empty.
fn pieces(text: &str, width: usize) -> Vec<String> {
    // What is laid out already (right-aligned cells, bars) keeps its spaces if it fits.
    if columns(text) <= width && !text.contains('\n') {
        return vec![text.to_string()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words(text) {
        if !line.is_empty() && columns(&line) + 1 + columns(&word) > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines.push(line);
    lines
}
