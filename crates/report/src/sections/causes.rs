//! Causes as a tree, on the page: what is confirmed with what it explains and its evidence, then hints, who was refuted, what was not tested.

use super::{findings, refuted, untested};
use crate::block::{Block, Emphasis, Fold, Item, Text};
use crate::phrase;
use model::{Explained, Finding, Phrase, Report, Scope, Standing};

/// A diagnosis was asked for them: they come right after its answer.
pub(super) fn of_diagnosis(report: &Report, _: &Scope) -> Vec<Block> {
    if findings::is_diagnosis(report) { blocks(report) } else { Vec::new() }
}

pub(super) fn of_others(report: &Report, _: &Scope) -> Vec<Block> {
    if findings::is_diagnosis(report) { Vec::new() } else { blocks(report) }
}

fn blocks(report: &Report) -> Vec<Block> {
    let of = |standing: Standing| report.findings.iter().filter(move |finding| finding.standing == standing);
    let confirmed = of(Standing::Confirmed).map(|finding| cause(finding, Emphasis::Bad));
    let hints: Vec<Block> = of(Standing::Hint).map(|finding| cause(finding, Emphasis::Warn)).collect();
    let refuted = list(report.answer.refuted().iter().map(refuted::item));
    let untested = list(report.answer.untested().iter().map(untested::item));
    let branches = [
        ("Hints, which no measurement has confirmed", hints.len(), hints),
        ("Suspected, and refuted by a measurement", report.answer.refuted().len(), refuted),
        ("Not tested, and what that would need", report.answer.untested().len(), untested),
    ];
    let branches = branches.into_iter().filter(|(_, count, _)| *count > 0);
    let branch = |(title, count, blocks)| Block::fold(format!("{title}: {count}"), blocks);
    confirmed.chain(branches.map(branch)).collect()
}

fn list(items: impl Iterator<Item = Item>) -> Vec<Block> {
    vec![Block::List(items.collect())]
}

/// A cause that is confirmed is open, with its evidence.
fn cause(finding: &Finding, emphasis: Emphasis) -> Block {
    let Item { more, .. } = findings::item(finding);
    let certain = finding.standing == Standing::Confirmed;
    let told = more.into_iter().filter(|line| !findings::is_evidence(line)).map(Block::Paragraph);
    let explained: Vec<Block> = finding.explains.iter().map(explained).collect();
    let explains = (!explained.is_empty()).then(|| {
        let title = format!("What it explains: {}", explained.len());
        Block::Fold(Fold { open: certain, ..Fold::new(title, explained) })
    });
    let blocks = told.chain(explains).chain(evidence(&finding.evidence, certain)).collect();
    Block::Fold(Fold { emphasis, open: certain, ..Fold::new(findings::title(finding), blocks) })
}

fn explained(one: &Explained) -> Block {
    let title = format!("{} ({}): {}", one.id, one.subject, phrase::text(&one.says));
    match evidence(&one.evidence, true) {
        Some(evidence) => Block::fold(title, vec![evidence]),
        None => Block::paragraph(title),
    }
}

fn evidence(lines: &[Phrase], open: bool) -> Option<Block> {
    let items: Vec<Item> = lines.iter().map(|line| Item::from(Text::from(phrase::text(line)))).collect();
    let title = format!("Evidence: {}", items.len());
    (!items.is_empty()).then(|| Block::Fold(Fold { open, ..Fold::new(title, vec![Block::List(items)]) }))
}
