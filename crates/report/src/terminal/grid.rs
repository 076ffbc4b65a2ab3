//! Figures in a grid: on one line if they fit the width, else the interval under the value, else fewer columns at a time.

use super::style::{Paint, Style, columns};
use super::table::{Align, padded};

/// One figure in a grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    pub value: String,
    pub within: String,
    /// One character or nothing.
    pub mark: String,
    pub paint: Option<Paint>,
}

pub(crate) struct Column {
    /// Lines of the heading.
    pub heading: Vec<String>,
    /// One for each row.
    pub cells: Vec<Cell>,
}

pub(crate) struct Grid {
    /// Heading and texts of the columns in front, left-aligned.
    pub labels: Vec<(String, Vec<String>)>,
    pub columns: Vec<Column>,
}

/// Between two columns; one where that makes all columns fit.
const GAP: usize = 2;

#[derive(Clone, Copy)]
struct Layout {
    /// The interval under the value.
    stacked: bool,
    gap: usize,
}

/// Widths of one column of figures.
struct Measure {
    value: usize,
    within: usize,
    mark: usize,
    heading: usize,
}

impl Measure {
    fn of(column: &Column) -> Measure {
        let widest = |part: fn(&Cell) -> &str| column.cells.iter().map(|cell| columns(part(cell))).max().unwrap_or(0);
        Measure {
            value: widest(|cell| &cell.value),
            within: widest(|cell| &cell.within),
            mark: widest(|cell| &cell.mark),
            heading: column.heading.iter().map(|line| columns(line)).max().unwrap_or(0),
        }
    }

    fn marked(&self) -> usize {
        if self.mark == 0 { 0 } else { self.mark + 1 }
    }

    fn width(&self, stacked: bool) -> usize {
        let figure = if stacked { self.value.max(self.within) } else { self.value + 1 + self.within };
        self.heading.max(figure + self.marked())
    }
}

impl Grid {
    pub(crate) fn text(mut self, style: &Style) -> String {
        self.columns.iter_mut().for_each(|column| align_points(column, |cell| &mut cell.value));
        let front: usize = self.label_widths().iter().map(|width| width + GAP).sum();
        let room = style.room().saturating_sub(front);
        let measures: Vec<Measure> = self.columns.iter().map(Measure::of).collect();
        let total = |stacked: bool, gap: usize| -> usize {
            measures.iter().map(|measure| measure.width(stacked) + gap).sum::<usize>().saturating_sub(gap)
        };
        let stacked = total(false, GAP) > room;
        if stacked {
            self.columns.iter_mut().for_each(|column| align_points(column, |cell| &mut cell.within));
        }
        let gap = if stacked && total(true, GAP) > room { 1 } else { GAP };
        let layout = Layout { stacked, gap };
        let mut text = String::new();
        let mut from = 0;
        while from < self.columns.len() {
            let to = fitting(&measures, from, room, layout);
            if from > 0 {
                text.push('\n');
            }
            text += &self.block(from..to, &measures, layout, style);
            from = to;
        }
        text
    }

    fn label_widths(&self) -> Vec<usize> {
        let width = |(heading, texts): &(String, Vec<String>)| {
            texts.iter().chain([heading]).map(|text| columns(text)).max().unwrap_or(0)
        };
        self.labels.iter().map(width).collect()
    }

    fn block(&self, range: std::ops::Range<usize>, measures: &[Measure], layout: Layout, style: &Style) -> String {
        let (shown, measures) = (&self.columns[range.clone()], &measures[range]);
        let height = shown.iter().map(|column| column.heading.len()).max().unwrap_or(0);
        let mut text = String::new();
        for line in 0..height {
            let mut out = self.front(None, line + 1 == height);
            for (column, measure) in shown.iter().zip(measures) {
                let title = column.heading.get(line).map_or("", String::as_str);
                // Above the values, not above the marks.
                let width = measure.width(layout.stacked) - measure.marked();
                out += &padded(title, width, Align::Right);
                out += &" ".repeat(measure.marked() + layout.gap);
            }
            text += &style.paint(out.trim_end(), Paint::Dim);
            text.push('\n');
        }
        let rows = shown.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        for row in 0..rows {
            text += &self.row(row, shown, measures, layout, style);
        }
        text
    }

    fn row(&self, row: usize, shown: &[Column], measures: &[Measure], layout: Layout, style: &Style) -> String {
        let mut first = style.paint(&self.front(Some(row), true), Paint::Plain);
        let mut second = " ".repeat(columns(&first));
        for (column, measure) in shown.iter().zip(measures) {
            let Some(cell) = column.cells.get(row) else { continue };
            let paint = cell.paint.unwrap_or(Paint::Plain);
            let width = measure.width(layout.stacked) - measure.marked();
            let mark = if measure.mark == 0 { String::new() } else { format!(" {:1$}", cell.mark, measure.mark) };
            let mark = style.paint(&mark, if paint == Paint::Plain { Paint::Warn } else { paint });
            if layout.stacked {
                first += &style.paint(&padded(&cell.value, width, Align::Right), paint);
                first += &" ".repeat(measure.marked());
                second += &(style.paint(&padded(&cell.within, width, Align::Right), quiet(paint)) + &mark);
            } else {
                let within = padded(&cell.within, measure.within, Align::Left);
                let value = padded(&cell.value, width.saturating_sub(measure.within + 1), Align::Right);
                first += &format!("{} ", style.paint(&value, paint));
                first += &(style.paint(&within, quiet(paint)) + &mark);
            }
            first += &" ".repeat(layout.gap);
            second += &" ".repeat(layout.gap);
        }
        if layout.stacked {
            format!("{}\n{}\n", first.trim_end(), second.trim_end())
        } else {
            format!("{}\n", first.trim_end())
        }
    }

    /// The columns in front: their headings (only on the `last` line of a heading), or their texts of a row.
    fn front(&self, row: Option<usize>, last: bool) -> String {
        let mut out = String::new();
        for ((heading, texts), width) in self.labels.iter().zip(self.label_widths()) {
            let text = match row {
                Some(row) => texts.get(row).map_or("", String::as_str),
                None if last => heading,
                None => "",
            };
            out += &padded(text, width, Align::Left);
            out += &" ".repeat(GAP);
        }
        out
    }
}

/// Decimal points under each other; shares and dashes stay as they are.
fn align_points(column: &mut Column, part: fn(&mut Cell) -> &mut String) {
    let tail = |text: &str| text.find('.').map_or(0, |point| text.len() - point);
    let number = |text: &str| text.contains(|c: char| c.is_ascii_digit()) && !text.contains(['%', '[']);
    let mut texts: Vec<&mut String> = column.cells.iter_mut().map(part).filter(|text| number(text)).collect();
    let longest = texts.iter().map(|text| tail(text)).max().unwrap_or(0);
    for text in &mut texts {
        let room = " ".repeat(longest - tail(text));
        text.push_str(&room);
    }
}

fn quiet(paint: Paint) -> Paint {
    if paint == Paint::Plain { Paint::Dim } else { paint }
}

/// How far the columns from `from` on fit into the room; at least one.
fn fitting(measures: &[Measure], from: usize, room: usize, layout: Layout) -> usize {
    let mut used = 0;
    for (i, measure) in measures.iter().enumerate().skip(from) {
        used += measure.width(layout.stacked);
        if used > room && i > from {
            return i;
        }
        used += layout.gap;
    }
    measures.len()
}
