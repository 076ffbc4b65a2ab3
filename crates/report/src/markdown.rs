//! Blocks as Markdown, to paste into a ticket.

use crate::block::{Align, Block, Cell, Chart, Column, Emphasis, Item, Row, Table, Text};
use crate::sections::SECTIONS;
use crate::{terminal, words};
use model::{Record, Report};

/// The whole run. Texts from the cluster are escaped: a name can make no markup.
pub fn page(report: &Report, record: &Record) -> String {
    let shown = SECTIONS.iter().filter(|section| section.on_text);
    text(&shown.map(|section| section.filled(report, &record.scope)).collect::<Vec<_>>())
}

pub fn text(parts: &[Vec<Block>]) -> String {
    let mut texts = Vec::new();
    parts.iter().for_each(|blocks| written(blocks, &mut texts));
    texts.join("\n")
}

fn written(blocks: &[Block], texts: &mut Vec<String>) {
    for block in blocks {
        let text = match block {
            Block::Headline(title) => format!("# {}\n", escaped(title)),
            Block::Title(title) => format!("## {}\n", escaped(title)),
            Block::Paragraph(text) => format!("{}\n", inline(text)),
            Block::Table(table) => rows(table),
            Block::List(items) => items.iter().map(item).collect(),
            Block::Chart(chart) => picture(chart),
            Block::Fold(fold) => {
                written(&fold.blocks, texts);
                String::new()
            }
        };
        texts.extend((!text.is_empty()).then_some(text));
    }
}

/// The numbers of most stand in a table.
fn picture(chart: &Chart) -> String {
    let Chart::Volume(volume) = chart else { return String::new() };
    let lines: String = terminal::characters(volume).iter().map(|line| words::tame(line) + "\n").collect();
    if lines.is_empty() { lines } else { format!("```\n{lines}```\n") }
}

fn inline(text: &Text) -> String {
    text.0.iter().map(|span| emphasised(&span.text, span.emphasis)).collect()
}

fn emphasised(text: &str, emphasis: Emphasis) -> String {
    match emphasis {
        _ if text.trim().is_empty() => escaped(text),
        Emphasis::Strong => format!("**{}**", escaped(text)),
        Emphasis::Outlier => format!("**{}** (outlier)", escaped(text)),
        Emphasis::Struck => format!("~~{}~~", escaped(text)),
        Emphasis::Code => format!("`{}`", words::tame(text)),
        Emphasis::Plain | Emphasis::Quiet | Emphasis::Good | Emphasis::Warn | Emphasis::Bad => escaped(text),
    }
}

fn item(item: &Item) -> String {
    let lead = item.number.map_or("- ".to_string(), |number| format!("{number}. "));
    let more: String = item.more.iter().map(|text| format!("{}- {}\n", " ".repeat(lead.len()), inline(text))).collect();
    format!("{lead}{}\n{more}", inline(&item.text))
}

/// Without the columns of bars: the shares that they show stand beside them.
fn rows(table: &Table) -> String {
    let is_bar = |i: &usize| table.rows.iter().any(|row| row.cells.get(*i).is_some_and(|cell| cell.bar.is_some()));
    let shown: Vec<usize> = (0..table.columns.len()).filter(|i| !is_bar(i)).collect();
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let align = |column: &Column| if column.align == Align::Right { "---:" } else { "---" }.to_string();
    let row = |row: &Row| line(shown.iter().map(|i| row.cells.get(*i).map_or(String::new(), cell)).collect());
    let columns = || shown.iter().map(|i| &table.columns[*i]);
    line(columns().map(|column| escaped(&column.heading())).collect())
        + &line(columns().map(align).collect())
        + &table.rows.iter().map(row).collect::<String>()
}

fn cell(cell: &Cell) -> String {
    let value = if cell.within.is_empty() { cell.text.clone() } else { format!("{} {}", cell.text, cell.within) };
    let label = if cell.label.is_empty() { String::new() } else { format!(" ({})", escaped(&cell.label)) };
    let note = cell.note.map_or(String::new(), |number| format!(" \\[{number}\\]"));
    emphasised(&value, cell.emphasis) + &label + &note
}

/// Text that stays text: in a table's cell, in a list, in a paragraph.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in words::tame(text).chars() {
        match c {
            '\\' | '`' | '*' | '_' | '|' | '<' | '>' | '[' | ']' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
