//! What was found about the cluster, with the evidence, and how to fix it.

use crate::block::{Block, Emphasis, Item, Text};
use crate::phrase;
use model::{Answer, Finding, Report, Scope, Standing};

/// A diagnosis was asked for them: they come right after its answer.
pub(super) fn of_diagnosis(report: &Report, _: &Scope) -> Vec<Block> {
    if is_diagnosis(report) { blocks(report) } else { Vec::new() }
}

pub(super) fn of_others(report: &Report, _: &Scope) -> Vec<Block> {
    if is_diagnosis(report) { Vec::new() } else { blocks(report) }
}

pub(super) fn is_diagnosis(report: &Report) -> bool {
    matches!(report.answer, Answer::Diagnosis(_))
}

fn blocks(report: &Report) -> Vec<Block> {
    let items: Vec<Item> = report.findings.iter().map(item).collect();
    if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
}

/// What mending it would bring; of a hint that costs something unknown nothing.
fn gain(finding: &Finding) -> String {
    match &finding.cost {
        Some(cost) => phrase::cost(cost),
        None if finding.standing == Standing::Confirmed => "not measured".to_string(),
        None => String::new(),
    }
}

pub(super) fn item(finding: &Finding) -> Item {
    let more = [
        ("gain", gain(finding)),
        (EVIDENCE, phrase::list(finding.all_evidence())),
        ("to be certain", finding.confirm.clone()),
        ("fix", finding.fix.clone()),
        ("risk", finding.risk.clone()),
    ];
    let more = more.into_iter().filter(|(_, what)| !what.is_empty());
    let says = title(finding);
    let says = says.strip_prefix(&finding.id).unwrap_or_default().to_string();
    Item {
        number: None,
        text: Text::new(&finding.id, Emphasis::Strong).and(says, Emphasis::Plain),
        more: more.map(|(name, what)| Text::new(format!("{name}: {what}"), Emphasis::Quiet)).collect(),
    }
}

const EVIDENCE: &str = "evidence";

/// Is it the line that has the evidence, of those of an item?
pub(super) fn is_evidence(line: &Text) -> bool {
    line.0.first().is_some_and(|span| span.text.strip_prefix(EVIDENCE).is_some_and(|rest| rest.starts_with(':')))
}

/// `osd-slow (hint, osd.2): osd.2 is slower than its peers`
pub(super) fn title(finding: &Finding) -> String {
    let standing = match finding.standing {
        Standing::Confirmed => "confirmed",
        Standing::Hint => "hint",
    };
    format!("{} ({standing}, {}): {}", finding.id, finding.subject, phrase::text(&finding.says))
}
