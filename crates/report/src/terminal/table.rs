//! A table on a terminal. If it is too wide, texts wrap, then intervals go under their values, then columns go below each other.

use super::line::Line;
use super::style::{Paint, Style};
use crate::block::{Align, Cell, Column, Emphasis, Row, Table};
use crate::words;
use std::ops::Range;

/// Spaces between two columns; only one where that makes all columns fit.
const GAP: usize = 2;
/// Usual and least width of a bar, in characters.
const BAR: usize = 20;
const BAR_LEAST: usize = 12;
/// A spare column that would be narrower than this is left out.
const SPARE_LEAST: usize = 24;

/// One column with what its cells take.
struct Laid<'a> {
    column: &'a Column,
    cells: Vec<Parts<'a>>,
    value: usize,
    within: usize,
    mark: usize,
}

/// A cell in the pieces that stand under each other.
struct Parts<'a> {
    cell: &'a Cell,
    value: Line,
    within: Line,
    mark: Line,
}

#[derive(Clone)]
struct Layout {
    /// Headings of figures broken at their hyphens, the unit below.
    broken: bool,
    /// Intervals under their values.
    stacked: bool,
    gap: usize,
    widths: Vec<usize>,
}

pub(super) fn lines(table: &Table, style: &Style) -> Vec<Line> {
    let shown: Vec<&Row> = shown(table);
    let mut columns: Vec<Laid<'_>> =
        (0..table.columns.len()).map(|i| Laid::new(&table.columns[i], i, &shown)).collect();
    let mut layout = fit(&columns, style.room());
    let spare: Vec<usize> = (0..columns.len()).filter(|i| columns[*i].column.spare).collect();
    if spare.iter().any(|i| layout.widths[*i] < SPARE_LEAST.min(columns[*i].natural(false, false))) {
        columns.retain(|column| !column.column.spare);
        layout = fit(&columns, style.room());
    }
    let mut lines = Vec::new();
    for range in ranges(&columns, &layout, style.room()) {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(block(&columns, &range, &layout, &shown));
    }
    let more = table.rows.len() - shown.len();
    if more > 0 {
        lines.push(Line::new(&format!("and {more} more; `fathom report` shows all"), Paint::Dim));
    }
    lines
}

/// The marks that its cells carry, each with the label it stands for; `!` stands for an outlier.
pub(super) fn marks(table: &Table) -> Vec<(char, &str)> {
    let marked = shown(table).into_iter().flat_map(|row| &row.cells);
    marked.filter_map(|cell| Some((mark(cell)?, cell.label.as_str()))).collect()
}

fn mark(cell: &Cell) -> Option<char> {
    match cell.emphasis {
        Emphasis::Outlier => Some('!'),
        _ if cell.label.is_empty() => None,
        _ => words::mark(&cell.label),
    }
}

/// Of more rows than may be shown those that stand out first, then the others in their order.
fn shown(table: &Table) -> Vec<&Row> {
    let mut rows: Vec<&Row> = table.rows.iter().collect();
    if let Some(most) = table.rows_most.filter(|most| *most < rows.len()) {
        rows.sort_by_key(|row| !row.cells.iter().any(|cell| cell.emphasis == Emphasis::Outlier));
        rows.truncate(most);
    }
    rows
}

impl<'a> Laid<'a> {
    fn new(column: &'a Column, place: usize, rows: &[&'a Row]) -> Laid<'a> {
        static EMPTY: std::sync::LazyLock<Cell> = std::sync::LazyLock::new(Cell::default);
        let cells = rows.iter().map(|row| Parts::new(row.cells.get(place).unwrap_or(&EMPTY), row.emphasis));
        let mut laid = Laid { column, cells: cells.collect(), value: 0, within: 0, mark: 0 };
        laid.within = laid.widest(|parts| &parts.within);
        laid.mark = laid.widest(|parts| &parts.mark);
        if laid.within > 0 {
            align_points(laid.cells.iter_mut().map(|parts| &mut parts.value));
        }
        laid.value = laid.widest(|parts| &parts.value);
        if laid.cells.iter().any(|parts| parts.cell.bar.is_some()) {
            laid.value = BAR;
        }
        laid
    }

    fn widest(&self, part: for<'b> fn(&'b Parts<'a>) -> &'b Line) -> usize {
        self.cells.iter().map(|parts| part(parts).width()).max().unwrap_or(0)
    }

    fn marked(&self) -> usize {
        if self.mark == 0 { 0 } else { self.mark + 1 }
    }

    fn heading(&self, broken: bool) -> Vec<String> {
        if !broken || self.within == 0 {
            return vec![self.column.heading()];
        }
        let mut lines: Vec<String> = self.column.title.split_inclusive('-').map(String::from).collect();
        if !self.column.unit.is_empty() {
            lines.push(self.column.unit.clone());
        }
        lines
    }

    /// Without wrapping, and without the mark.
    fn natural(&self, broken: bool, stacked: bool) -> usize {
        let figure = match (self.within, stacked) {
            (0, _) => self.value,
            (within, true) => self.value.max(within),
            (within, false) => self.value + 1 + within,
        };
        self.heading(broken).iter().map(|line| line.chars().count()).max().unwrap_or(0).max(figure)
    }

    /// The narrowest it may get by wrapping; figures don't wrap.
    fn least(&self, natural: usize) -> usize {
        if self.within > 0 {
            return natural;
        }
        if self.value == BAR && self.cells.iter().any(|parts| parts.cell.bar.is_some()) {
            return BAR_LEAST;
        }
        let heading = Line::new(&self.column.heading(), Paint::Dim).longest_word();
        self.cells.iter().map(|parts| parts.value.longest_word()).max().unwrap_or(0).max(heading)
    }
}

impl<'a> Parts<'a> {
    fn new(cell: &'a Cell, row: Emphasis) -> Parts<'a> {
        let emphasis = if cell.emphasis == Emphasis::Plain { row } else { cell.emphasis };
        let paint = Paint::of(emphasis);
        let (before, after) = if emphasis == Emphasis::Struck { ("[", "]") } else { ("", "") };
        let within = match cell.note {
            Some(number) => format!("[{number}]"),
            None => cell.within.clone(),
        };
        let (value, within) = match within.is_empty() {
            true => (format!("{before}{}{after}", cell.text), within),
            false => (format!("{before}{}", cell.text), within + after),
        };
        let or = |instead| if paint == Paint::Plain { instead } else { paint };
        Parts {
            cell,
            value: Line::new(&value, paint),
            within: Line::new(&within, or(Paint::Dim)),
            mark: mark(cell).map_or(Line::default(), |mark| Line::new(&mark.to_string(), or(Paint::Warn))),
        }
    }

    /// The cell in lines of `width` columns, its mark beside the last line of a figure.
    fn lines(&self, laid: &Laid<'a>, width: usize, stacked: bool) -> Vec<Line> {
        let with_mark = |mut line: Line, marked: bool| {
            if laid.mark > 0 {
                line.push(Line::blank(1));
                line.push(if marked { self.mark.clone() } else { Line::default() }.padded(laid.mark, Align::Left));
            }
            line
        };
        if let Some([from, to]) = self.cell.bar {
            return vec![with_mark(Line::new(&bar(width, from, to), Paint::Plain), true)];
        }
        if laid.within == 0 {
            let pieces = self.value.clone().wrapped(width).into_iter().enumerate();
            return pieces.map(|(i, piece)| with_mark(piece.padded(width, laid.column.align), i == 0)).collect();
        }
        if stacked {
            let [value, within] = [&self.value, &self.within].map(|part| part.clone().padded(width, Align::Right));
            return vec![with_mark(value, false), with_mark(within, true)];
        }
        let mut line = self.value.clone().padded(width - laid.within - 1, Align::Right);
        line.push(Line::blank(1));
        line.push(self.within.clone().padded(laid.within, Align::Left));
        vec![with_mark(line, true)]
    }
}

/// The first way to lay the columns out that fits; else the narrowest.
fn fit(columns: &[Laid<'_>], room: usize) -> Layout {
    const WAYS: [(bool, bool, usize); 4] =
        [(false, false, GAP), (true, false, GAP), (true, true, GAP), (true, true, 1)];
    let mut narrowest = None;
    for (way, (broken, stacked, gap)) in WAYS.into_iter().enumerate() {
        let mut widths: Vec<usize> = columns.iter().map(|column| column.natural(broken, stacked)).collect();
        let marked: usize = columns.iter().map(Laid::marked).sum();
        let room = room.saturating_sub(gap * columns.len().saturating_sub(1) + marked);
        let least: Vec<usize> = columns.iter().zip(&widths).map(|(column, width)| column.least(*width)).collect();
        // Headings are broken before texts get narrow.
        let least: Vec<usize> = match way {
            0 => least.iter().zip(&widths).map(|(least, width)| SPARE_LEAST.min(*width).max(*least)).collect(),
            _ => least,
        };
        while widths.iter().sum::<usize>() > room {
            let widest = (0..widths.len()).filter(|i| widths[*i] > least[*i]).max_by_key(|i| widths[*i]);
            let Some(widest) = widest else { break };
            widths[widest] -= 1;
        }
        let fits = widths.iter().sum::<usize>() <= room;
        narrowest = Some(Layout { broken, stacked, gap, widths });
        if fits {
            break;
        }
    }
    narrowest.unwrap_or(Layout { broken: false, stacked: false, gap: GAP, widths: Vec::new() })
}

/// Which columns stand beside each other: all, or, where they do not fit, as many at a time as do, each time with those before the
/// first figure.
fn ranges(columns: &[Laid<'_>], layout: &Layout, room: usize) -> Vec<Range<usize>> {
    let front = columns.iter().position(|column| column.within > 0).unwrap_or(columns.len());
    let width = |i: usize| layout.widths[i] + columns[i].marked() + layout.gap;
    let lead: usize = (0..front).map(width).sum();
    let mut ranges = Vec::new();
    let (mut from, mut used) = (front, lead);
    for i in front..columns.len() {
        used += width(i);
        if used > room + layout.gap && i > from {
            ranges.push(from..i);
            (from, used) = (i, lead + width(i));
        }
    }
    ranges.push(from..columns.len());
    ranges
}

fn block(columns: &[Laid<'_>], range: &Range<usize>, layout: &Layout, rows: &[&Row]) -> Vec<Line> {
    let front = columns.iter().position(|column| column.within > 0).unwrap_or(columns.len());
    let places: Vec<usize> = (0..front).chain(range.clone().filter(|i| *i >= front)).collect();
    let heading = |i: &usize| {
        let (column, width) = (&columns[*i], layout.widths[*i]);
        let lines =
            column.heading(layout.broken).into_iter().flat_map(|line| Line::new(&line, Paint::Dim).wrapped(width));
        // Above the values, not above the marks.
        lines.map(|line| with_blanks(line.padded(width, column.column.align), column.marked())).collect::<Vec<_>>()
    };
    let heading: Vec<Vec<Line>> = places.iter().map(heading).collect();
    let height = heading.iter().map(Vec::len).max().unwrap_or(0);
    // The last line of each heading stands right above the values.
    let lowered = heading
        .into_iter()
        .map(|lines| vec![None; height - lines.len()].into_iter().chain(lines.into_iter().map(Some)));
    let mut all = joined(lowered.map(Iterator::collect).collect(), &places, columns, layout);
    for row in 0..rows.len() {
        let cells =
            places.iter().map(|i| columns[*i].cells[row].lines(&columns[*i], layout.widths[*i], layout.stacked));
        let cells = cells.map(|lines| lines.into_iter().map(Some).collect()).collect();
        all.extend(joined(cells, &places, columns, layout));
    }
    all
}

/// Columns of lines beside each other.
fn joined(cells: Vec<Vec<Option<Line>>>, places: &[usize], columns: &[Laid<'_>], layout: &Layout) -> Vec<Line> {
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let mut line = Line::default();
        for (lines, place) in cells.iter().zip(places) {
            let blank = || Line::blank(layout.widths[*place] + columns[*place].marked());
            line.push(lines.get(number).cloned().flatten().unwrap_or_else(blank));
            line.push(Line::blank(layout.gap));
        }
        line
    };
    (0..height).map(line).collect()
}

fn with_blanks(mut line: Line, blanks: usize) -> Line {
    line.push(Line::blank(blanks));
    line
}

/// Decimal points under each other; shares and dashes stay as they are.
fn align_points<'a>(values: impl Iterator<Item = &'a mut Line>) {
    let mut numbers: Vec<(&mut Line, usize)> =
        values.filter_map(|line| line.decimals().map(|tail| (line, tail))).collect();
    let longest = numbers.iter().map(|(_, tail)| *tail).max().unwrap_or(0);
    for (line, tail) in &mut numbers {
        line.push(Line::blank(longest - *tail));
    }
}

/// A bar of `width` columns from one share of the whole to another; anything beyond the whole is cut off.
fn bar(width: usize, from: f64, to: f64) -> String {
    let column = |share: f64| (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    let (low, high) = (column(from.min(to)), column(from.max(to)));
    let drawn = if to < from { "-" } else { "█" };
    format!("{}{}{}", "·".repeat(low), drawn.repeat(high.saturating_sub(low)), "·".repeat(width - high.max(low)))
}
