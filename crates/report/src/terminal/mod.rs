//! Blocks on a terminal: plain text that fits the width.

mod line;
mod style;
mod table;
mod volume;

pub(crate) use volume::plain as characters;

pub use style::Style;

use crate::answer;
use crate::block::{Block, Chart, Emphasis, Item, Table, Text};
use crate::sections::SECTIONS;
use crate::words;
use line::Line;
use model::{Report, Scope};
use style::Paint;

/// How much of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The answer, the chart, the ledger, and all that is wrong.
    Short,
    /// The long lists as well.
    Full,
}

/// The whole run, section by section, and at the end what is not shown.
pub fn summary(report: &Report, scope: &Scope, length: Detail, style: &Style) -> String {
    let mut text = Writer::new(length, style);
    let shown = SECTIONS.iter().filter(|section| section.on_text);
    shown.for_each(|section| text.part(&section.filled(report, scope)));
    let hidden = std::mem::take(&mut text.hidden);
    if !hidden.is_empty() {
        let names: Vec<&str> = hidden.iter().map(|(name, _)| name.as_str()).collect();
        let lines: usize = hidden.iter().map(|(_, lines)| lines).sum();
        let command = format!("{} --details", answer::archived(report));
        let says = format!("Not shown, {lines} lines: {}. See `{command}`.", names.join(", "));
        text.part(&[Block::note(says)]);
    }
    text.text
}

/// Parts with an empty line between them.
pub fn text(parts: &[Vec<Block>], style: &Style) -> String {
    let mut text = Writer::new(Detail::Full, style);
    parts.iter().for_each(|part| text.part(part));
    text.text
}

struct Writer<'a> {
    length: Detail,
    style: &'a Style,
    text: String,
    /// Marks whose meaning stands above already.
    explained: Vec<char>,
    /// Names of what is not shown, and its lines.
    hidden: Vec<(String, usize)>,
}

impl<'a> Writer<'a> {
    fn new(length: Detail, style: &'a Style) -> Writer<'a> {
        Writer { length, style, text: String::new(), explained: Vec::new(), hidden: Vec::new() }
    }

    fn part(&mut self, blocks: &[Block]) {
        let before = std::mem::take(&mut self.text);
        self.blocks(blocks);
        let own = std::mem::replace(&mut self.text, before);
        if !own.is_empty() && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &own;
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Headline(title) => self.paragraph(&Text::new(title, Emphasis::Strong)),
                Block::Title(title) => {
                    if !self.text.is_empty() {
                        self.text.push('\n');
                    }
                    self.paragraph(&Text::new(title, Emphasis::Strong));
                }
                Block::Paragraph(text) => self.paragraph(text),
                Block::Table(table) => self.table(table),
                Block::List(items) => items.iter().for_each(|item| self.item(item)),
                Block::Chart(chart) => self.chart(chart),
                Block::Fold(fold) if self.length == Detail::Full => self.blocks(&fold.blocks),
                Block::Fold(fold) => {
                    let lines = text(std::slice::from_ref(&fold.blocks), self.style).lines().count();
                    self.hidden.push((fold.title.clone(), lines));
                }
            }
        }
    }

    fn lines(&mut self, lines: impl IntoIterator<Item = Line>) {
        lines.into_iter().for_each(|line| self.text += &line.text(self.style));
    }

    fn paragraph(&mut self, text: &Text) {
        self.lines(Line::of(text).wrapped_prose(self.style.room()));
    }

    /// The numbers of most stand in a table.
    fn chart(&mut self, chart: &Chart) {
        if let Chart::Volume(volume) = chart {
            self.lines(volume::picture(volume, self.style.room()));
        }
    }

    fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        self.lines(table::lines(table, self.style));
        for (mark, label) in table::marks(table) {
            if !self.explained.contains(&mark) {
                self.explained.push(mark);
                let means = match mark {
                    '!' => "slower than its peers beyond the noise".to_string(),
                    _ => format!("{label}: {}", words::meaning(label)),
                };
                self.lines([Line::new(&format!("{mark}  {means}"), Paint::Dim)]);
            }
        }
    }

    /// All but the first line are indented.
    fn item(&mut self, item: &Item) {
        let lead = item.number.map_or("- ".to_string(), |number| format!("[{number}] "));
        let indent = lead.chars().count();
        self.hanging(&lead, indent, &item.text);
        item.more.iter().for_each(|text| self.hanging(&" ".repeat(indent), indent, text));
    }

    fn hanging(&mut self, lead: &str, indent: usize, text: &Text) {
        let paint = Paint::of(text.0.first().map_or(Emphasis::Plain, |span| span.emphasis));
        let paint = if text.0.len() == 1 { paint } else { Paint::Plain };
        for (i, piece) in Line::of(text).wrapped_prose(self.style.room().saturating_sub(indent)).into_iter().enumerate()
        {
            let mut line = if i == 0 { Line::new(lead, paint) } else { Line::blank(indent) };
            line.push(piece);
            self.lines([line]);
        }
    }
}
