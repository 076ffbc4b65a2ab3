//! The sections of a report: each is one function from the report to blocks, and one line in the list.

pub(crate) mod ab;
pub(crate) mod answer;
pub(crate) mod beside;
pub(crate) mod causes;
pub(crate) mod chart;
pub(crate) mod clients;
pub(crate) mod doors;
mod drive_uses;
pub(crate) mod errors;
pub(crate) mod failed;
pub(crate) mod findings;
mod first_byte;
pub(crate) mod fitness;
mod fitness_by_model;
pub(crate) mod fitness_reasons;
pub(crate) mod floor;
pub(crate) mod gateways;
pub(crate) mod host_loads;
pub(crate) mod host_steps;
pub(crate) mod image_states;
pub(crate) mod latency_parts;
pub(crate) mod ledger;
pub(crate) mod left_behind;
pub(crate) mod limits;
pub(crate) mod matrix;
pub(crate) mod measured;
pub(crate) mod metadata;
pub(crate) mod outliers;
pub(crate) mod positions;
pub(crate) mod refuted;
pub(crate) mod response;
pub(crate) mod run;
pub(crate) mod scope;
pub(crate) mod slow_operations;
mod slowest;
pub(crate) mod stores;
pub(crate) mod sustained;
pub(crate) mod sweep;
pub(crate) mod targets;
pub(crate) mod unsettled;
pub(crate) mod untested;
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
    /// What it is, on the page, where there is room to say it.
    pub lead: &'static str,
    /// On a terminal only with `--details`.
    pub detail: bool,
    /// On a terminal and in Markdown.
    pub on_text: bool,
    /// On the page, where some have a part that one can use instead.
    pub on_page: bool,
    blocks: fn(&Report, &Scope) -> Vec<Block>,
}

const CHART_LEAD: &str = "How deep each layer lies: one picture for each pattern, from the bare disk at the top down to the layer that users \
                          see. A mark is the mean over the layer's targets, the bar its 95 % interval.";
const LEDGER: &str =
    "The same as losses. Latencies are a sum of stages; a throughput is as high as the lowest ceiling above it allows.";
const PARTS: &str = "With one operation in flight, the OSDs' own timers tell where its time goes; gateways and metadata servers have timers of their own. \
                     Of files by their names any number may be in flight; what jobs wait for each other is in the client's part. Counted are all \
                     operations of the slices, warm-up included, so that a mean here is not quite the figure's.";
const STORES: &str = "By the OSDs' own timers: what a commit waits for, on the device of the data (written, flushed) and in the log of the database \
                      (written and made durable), wherever these two lie. A flush and a write of the log are of one round of the thread that commits, which may \
                      serve several commits.";
const SUSTAINED: &str = "Large blocks, one after the other, until the rate had fallen by a fifth and stayed there for 10 s, small ones at random until five \
                         rounds were alike, or until the time or the volume was used up. What is faster before the cliff is a cache; how far figures of \
                         writes hold is told by its place.";
const FITNESS: &str = "What counts is how many small writes a drive makes durable, one after the other, by the slowest of the ways that stores and \
                       databases use. Rates are of 4 KiB with one operation in flight, except the sequential ones, of large blocks.";
const USES: &str = "An estimate, and no measurement: operations of 4 KiB a second, without replication, by the drive's figures and by what the software \
                    of OSDs usually takes (docs/method.md). The least and the most.";
const SWEEP: &str = "Every combination, in shuffled order pass by pass. Bars are 95 % intervals; a ring marks the knee, the smallest depth \
                     with 95 % of the best throughput.";
const MATRIX: &str = "Rows send, columns receive. The darker, the faster; a slow link is one pale cell, a slow host a pale row, column or both.";
const CAUSES: &str = "What is confirmed first, that which costs most at the top, with what it explains and the evidence; then what is not certain.";
const CLIENTS: &str =
    "Clients were doubled until that brought less than a tenth more: was it they, or the cluster, that was the limit?";
const STEPS: &str = "Means over each step's slices, counted by the hosts' kernels: how busy processors and the OSDs' threads were, the busiest \
                     disk, the busiest interface, TCP segments that were sent again, and the share of the time in which something waited.";
const SCOPE: &str = "What was there, as Fathom saw it before the first step.";

/// In the order of reading.
pub const SECTIONS: &[Section] = &[
    section("run", "", run::blocks),
    section("answer", "", answer::blocks),
    section("findings", "Findings", findings::of_diagnosis).not_on_page(),
    section("refuted", "Suspected, and refuted by a measurement", refuted::blocks).not_on_page(),
    section("untested", "Not tested, and what that would need", untested::blocks).not_on_page(),
    section("causes", "Causes", causes::of_diagnosis).lead(CAUSES).only_on_page(),
    section("verdicts", "Verdicts", verdicts::blocks),
    section("verified", "Verified", verified::blocks),
    section("fitness", "Fit for Ceph?", fitness::blocks).lead(FITNESS),
    section("fitness-drives", "The drives", fitness::about),
    section("fitness-loads", "Each load", fitness::loads),
    section("drive-uses", "What one OSD could do (an estimate)", drive_uses::blocks).lead(USES),
    section("sustained", "Sustained writes", sustained::blocks).lead(SUSTAINED),
    section("image-states", "States of an image", image_states::blocks),
    section("sweep", "Sweep", sweep::blocks).lead(SWEEP),
    CHART,
    section("gateways", "Gateways beside each other", gateways::blocks),
    section("metadata", "Files and objects by their names", metadata::blocks),
    section("ledger", "Ledger", ledger::blocks).lead(LEDGER),
    section("doors", "Price of each door", doors::blocks),
    section("latency-parts", "Where the time goes", latency_parts::blocks).lead(PARTS).detail(),
    section("stores", "Data and database", stores::blocks).lead(STORES).detail(),
    section("slow-operations", "Slowest operations", slow_operations::blocks).detail(),
    section("positions", "By position", positions::blocks).detail(),
    section("floor", "Distance from the floor", floor::blocks),
    section("targets", "Each target", targets::blocks).detail().not_on_page(),
    section("matrix", "Between hosts", matrix::blocks).lead(MATRIX),
    section("ab", "A against B", ab::blocks),
    section("limits", "Highest rate", limits::blocks),
    section("clients", "Enough clients?", clients::blocks).lead(CLIENTS),
    section("response", "Response times", response::blocks),
    section("first-byte", "Time to the first byte", first_byte::blocks),
    section("beside", "Beside the chart", beside::blocks).not_on_page(),
    section("measured", "How it was measured", measured::blocks).detail(),
    section("host-loads", "Hosts under load", host_loads::blocks).detail(),
    section("host-steps", "Hosts, step by step", host_steps::blocks).lead(STEPS).only_on_page(),
    section("outliers", "Outliers", outliers::blocks),
    section("findings", "Findings", findings::of_others).not_on_page(),
    section("causes", "Findings", causes::of_others).lead(CAUSES).only_on_page(),
    section("unsettled", "Not usable", unsettled::blocks).not_on_page(),
    section("failed", "Operations that failed", failed::blocks),
    section("warnings", "Warnings", warnings::blocks),
    section("errors", "Errors", errors::blocks),
    section("left-behind", "Still there", left_behind::blocks),
    section("scope", "Scope", scope::blocks).lead(SCOPE).only_on_page(),
];

/// It is shown after each pass as well.
pub(crate) const CHART: Section = section("chart", "Depth chart", chart::blocks).lead(CHART_LEAD);

const fn section(id: &'static str, title: &'static str, blocks: fn(&Report, &Scope) -> Vec<Block>) -> Section {
    Section { id, title, lead: "", detail: false, on_text: true, on_page: true, blocks }
}

impl Section {
    const fn detail(self) -> Section {
        Section { detail: true, ..self }
    }

    const fn only_on_page(self) -> Section {
        Section { on_text: false, ..self }
    }

    const fn lead(self, lead: &'static str) -> Section {
        Section { lead, ..self }
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
