//! The sections of a report: each is one function from the report to blocks, and one line in the list.

pub(crate) mod ab;
pub(crate) mod answer;
pub(crate) mod beside;
pub(crate) mod chart;
pub(crate) mod clients;
pub(crate) mod errors;
pub(crate) mod findings;
pub(crate) mod floor;
pub(crate) mod host_loads;
pub(crate) mod ledger;
pub(crate) mod left_behind;
pub(crate) mod limits;
pub(crate) mod matrix;
pub(crate) mod measured;
pub(crate) mod outliers;
pub(crate) mod response;
pub(crate) mod run;
pub(crate) mod sustained;
pub(crate) mod sweep;
pub(crate) mod targets;
pub(crate) mod unsettled;
pub(crate) mod verdicts;
pub(crate) mod verified;
pub(crate) mod warnings;

use crate::block::Block;
use model::{Report, Scope};

/// One section, and where it is shown.
pub struct Section {
    /// In an address of the page.
    pub id: &'static str,
    /// Over the section, and in lists of sections. Empty: it needs none.
    pub title: &'static str,
    /// On a terminal only with `--details`.
    pub detail: bool,
    /// On a terminal and in Markdown.
    pub on_text: bool,
    /// On the page, where some have a part that one can use instead.
    pub on_page: bool,
    blocks: fn(&Report, &Scope) -> Vec<Block>,
}

/// In the order of reading.
pub const SECTIONS: [Section; 24] = [
    section("run", "", run::blocks).not_on_page(),
    section("answer", "", answer::blocks),
    section("verdicts", "Verdicts", verdicts::blocks),
    section("verified", "Verified", verified::blocks),
    section("sustained", "Sustained writes", sustained::blocks),
    section("sweep", "Sweep", sweep::blocks),
    CHART,
    section("ledger", "Ledger", ledger::blocks),
    section("floor", "Distance from the floor", floor::blocks),
    section("targets", "Each target", targets::blocks).detail().not_on_page(),
    section("matrix", "Between hosts", matrix::blocks),
    section("ab", "A against B", ab::blocks),
    section("limits", "Highest rate", limits::blocks),
    section("clients", "Enough clients?", clients::blocks),
    section("response", "Response times", response::blocks),
    section("beside", "Beside the chart", beside::blocks).not_on_page(),
    section("measured", "How it was measured", measured::blocks).detail(),
    section("host-loads", "Hosts under load", host_loads::blocks).detail(),
    section("outliers", "Outliers", outliers::blocks),
    section("findings", "Findings", findings::blocks),
    section("unsettled", "Not usable", unsettled::blocks),
    section("warnings", "Warnings", warnings::blocks),
    section("errors", "Errors", errors::blocks),
    section("left-behind", "Still there", left_behind::blocks),
];

/// It is shown after each pass as well.
pub(crate) const CHART: Section = section("chart", "Depth chart", chart::blocks);

const fn section(id: &'static str, title: &'static str, blocks: fn(&Report, &Scope) -> Vec<Block>) -> Section {
    Section { id, title, detail: false, on_text: true, on_page: true, blocks }
}

impl Section {
    const fn detail(self) -> Section {
        Section { detail: true, ..self }
    }

    const fn not_on_page(self) -> Section {
        Section { on_page: false, ..self }
    }

    /// What the report says of it; empty: nothing.
    pub fn blocks(&self, report: &Report, scope: &Scope) -> Vec<Block> {
        (self.blocks)(report, scope)
    }

    /// With its title, unless its blocks begin with one; of a detail as a fold.
    pub fn filled(&self, report: &Report, scope: &Scope) -> Vec<Block> {
        let mut blocks = self.blocks(report, scope);
        let titled = matches!(blocks.first(), None | Some(Block::Headline(_) | Block::Title(_) | Block::Fold(_)));
        if !titled && !self.title.is_empty() {
            blocks.insert(0, Block::title(self.title));
        }
        if self.detail && !blocks.is_empty() {
            return vec![Block::fold(self.title.to_lowercase(), blocks)];
        }
        blocks
    }
}
