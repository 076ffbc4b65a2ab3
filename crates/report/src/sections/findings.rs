//! What was found about the cluster, with the evidence, and how to fix it.

use crate::block::{Block, Emphasis, Item, Text};
use crate::phrase;
use model::{Finding, Report, Scope, Standing};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let items: Vec<Item> = report.findings.iter().map(item).collect();
    if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
}

fn item(finding: &Finding) -> Item {
    let standing = match finding.standing {
        Standing::Confirmed => "confirmed",
        Standing::Hint => "hint",
    };
    let says = format!(" ({standing}, {}): {}", finding.subject, phrase::text(&finding.says));
    let more =
        [("evidence", phrase::list(&finding.evidence)), ("fix", finding.fix.clone()), ("risk", finding.risk.clone())];
    let more = more.into_iter().filter(|(_, what)| !what.is_empty());
    Item {
        number: None,
        text: Text::new(&finding.id, Emphasis::Strong).and(says, Emphasis::Plain),
        more: more.map(|(name, what)| Text::new(format!("{name}: {what}"), Emphasis::Quiet)).collect(),
    }
}
