//! What was read back and checked, and every flaw whose place is known.

use crate::block::{self, Block, Column, Emphasis, Row, Table};
use crate::{numbers, words};
use model::{Checked, Figure, Flaw, FlawKind, Report, Scope};

const NUMBERS: [&str; 5] = ["checked", "wrong", "stale", "torn", "misplaced"];

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let Some(summary) = summary(report) else { return Vec::new() };
    let columns = ["target", "pattern"].map(Column::left).into_iter().chain(NUMBERS.map(Column::right));
    let table = Table::new(columns, figures(report).into_iter().map(row));
    let mut blocks = vec![Block::paragraph(format!("{summary}.")), table.into()];
    blocks.extend(notes(report).into_iter().map(Block::note));
    blocks.extend(block::list(flaws(report), Emphasis::Bad));
    blocks
}

/// Figures that were verified; of several targets at once, each of them.
fn figures(report: &Report) -> Vec<(&Figure, &Checked)> {
    let own = report.figures.iter().filter_map(|figure| figure.checked.as_ref().map(|checked| (figure, checked)));
    own.filter(|(figure, _)| figure.at_once <= 1 || !figure.target.ends_with(".*")).collect()
}

/// `1.2 GiB read back, 2 blocks are not as they were written: 1 wrong, 1 torn`; `None`: nothing was verified.
pub(crate) fn summary(report: &Report) -> Option<String> {
    let all = figures(report);
    let mut sum = Checked::default();
    all.iter().for_each(|(_, checked)| sum.add(checked));
    let read = format!("{} checked", numbers::bytes(sum.bytes));
    let found = match sum.flawed() {
        0 => "all as it was written".to_string(),
        1 => format!("1 block is not as it was written: {}", sum.counts()),
        n => format!("{n} blocks are not as they were written: {}", sum.counts()),
    };
    (!all.is_empty()).then(|| format!("{read}, {found}"))
}

fn row((figure, checked): (&Figure, &Checked)) -> Row {
    let counts = FlawKind::ALL.map(|kind| numbers::count(checked.count(kind)));
    let place = words::place(figure.layer, &figure.target);
    let cells = [place, figure.pattern.name().to_string(), extent(checked)].into_iter().chain(counts);
    Row::new(cells).with(if checked.flawed() > 0 { Emphasis::Bad } else { Emphasis::Plain })
}

/// How much was checked, and of how much.
fn extent(checked: &Checked) -> String {
    let mut text = numbers::bytes(checked.bytes);
    if let Some(back) = checked.read_back.filter(|back| back.of > 0) {
        text += &format!(" ({})", numbers::share(back.bytes as f64 / back.of as f64));
    }
    text
}

/// What the columns leave unsaid.
fn notes(report: &Report) -> Vec<String> {
    let all = figures(report);
    let unknown: u64 = all.iter().map(|(_, checked)| checked.unknown).fold(0, u64::saturating_add);
    let read_back = all.iter().any(|(_, checked)| checked.read_back.is_some());
    let share = "In brackets: how much of what was written was read back afterwards.".to_string();
    let silent = format!(
        "{} more were read and say nothing: their last write was not acknowledged, and may be there or not.",
        numbers::bytes(unknown)
    );
    [(read_back, share), (unknown > 0, silent)].into_iter().filter(|(is, _)| *is).map(|(_, note)| note).collect()
}

/// The flaws whose places are known, in words, and how many more there are.
fn flaws(report: &Report) -> Vec<String> {
    let all = figures(report);
    let mut said: Vec<String> =
        all.iter().flat_map(|(_, checked)| &checked.flaws).take(Checked::SHOWN).map(flaw).collect();
    let flawed = all.iter().fold(0u64, |sum, (_, checked)| sum.saturating_add(checked.flawed()));
    let more = flawed.saturating_sub(said.len() as u64);
    if more > 0 {
        said.push(format!("and {} more", numbers::count(more)));
    }
    said
}

fn flaw(flaw: &Flaw) -> String {
    let Flaw { kind, place, offset, bytes, seconds, says } = flaw;
    format!(
        "{}: {place} at {offset}, {} ({} into the run): {says}",
        kind.name(),
        numbers::bytes(*bytes),
        numbers::seconds(*seconds)
    )
}
