//! The kinds of charts a report has, each with all that is drawn and how it is written: who draws one knows its kind and no section.

use crate::numbers;
use model::{Bytes, Estimate, Metric};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Chart {
    Points(Points),
    Waterfall(Waterfall),
    Bars(Bars),
    Stacks(Stacks),
    Lines(Lines),
    Heat(Heat),
    Volume(Volume),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Caption {
    pub title: String,
    /// Of what it is, in small letters.
    pub what: String,
    pub unit: String,
}

/// A value where it lies, and as it is written. All numbers are finite.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Mark {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub text: String,
}

/// Values below each other on a logarithmic axis, joined by a line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Points {
    pub caption: Caption,
    pub rows: Vec<PointRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PointRow {
    pub name: String,
    /// The line passes by it.
    pub aside: bool,
    pub mark: Option<Mark>,
    /// Values that must not be used.
    pub struck: Vec<Mark>,
    /// Written at the side.
    pub text: String,
    pub label: String,
    pub why: String,
    /// The number of the item that says why there is no value.
    pub note: Option<usize>,
    pub figure: Option<usize>,
}

/// A sum of stages: each begins where the one before it ended.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Waterfall {
    pub caption: Caption,
    pub stages: Vec<Stage>,
    pub total: Option<Mark>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Stage {
    pub name: String,
    pub adds: Mark,
    pub expected: Option<f64>,
    /// What is expected, and why.
    pub why: String,
}

/// Shares of a whole, each with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bars {
    pub caption: Caption,
    pub rows: Vec<Bar>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bar {
    pub name: String,
    /// `None`: it is not known.
    pub share: Option<Mark>,
    pub text: String,
    pub why: String,
}

/// Wholes in parts, each a bar of segments from zero.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Stacks {
    pub caption: Caption,
    /// Every name that a segment of such a chart may have, in their order: those in use get a colour each.
    pub names: Vec<String>,
    pub rows: Vec<StackedBar>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StackedBar {
    pub name: String,
    pub segments: Vec<Segment>,
    /// Where the whole ends, as it was measured.
    pub whole: f64,
    /// The whole, as it is written.
    pub text: String,
    /// Why segments reach beyond the whole; empty: they do not, but for rounding.
    pub beyond: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Segment {
    pub name: String,
    pub value: f64,
    pub text: String,
}

/// Series of points with their intervals.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lines {
    pub caption: Caption,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    pub bounds: Vec<Bound>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Axis {
    pub title: String,
    pub log: bool,
    /// Where something stands on it, and how it is written; none: as it fits.
    pub ticks: Vec<Tick>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Tick {
    pub at: f64,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    pub name: String,
    pub points: Vec<Point>,
    /// Between its points there are others.
    pub joined: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    pub x: f64,
    pub y: Mark,
    /// A ring around it.
    pub ring: bool,
    /// The label of its figure.
    pub label: String,
    pub figure: Option<usize>,
}

/// A line that is to be kept, across the picture.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bound {
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub text: String,
}

/// Two axes as a surface of coloured cells. Where there is none, nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Heat {
    pub caption: Caption,
    pub columns: Vec<String>,
    pub rows: Vec<String>,
    /// What the columns are; empty: they say it.
    pub across: String,
    /// Neighbouring rows, and columns, that belong together.
    pub groups: Vec<HeatGroup>,
    /// A full cell is a bad one.
    pub full_is_bad: bool,
    /// What some colours mean; empty: the caption says it.
    pub scale: Vec<HeatMark>,
    pub cells: Vec<HeatCell>,
    /// Which of these numbers stand in a table below, for those who hear the page.
    pub table: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HeatGroup {
    pub name: String,
    pub first: usize,
    pub count: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HeatMark {
    pub share: f64,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HeatCell {
    pub column: usize,
    pub row: usize,
    /// How full its colour is.
    pub share: f64,
    /// In the cell, if there is room.
    pub short: String,
    pub text: String,
    pub ring: bool,
    pub figure: Option<usize>,
}

/// A rate over the volume that was written.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Volume {
    pub caption: Caption,
    pub each_second: Vec<Bytes>,
    pub seconds: f64,
    #[serde(skip)]
    pub written: Bytes,
    /// Was enough written for a picture of characters?
    #[serde(skip)]
    pub worth_drawing: bool,
    pub cliff: Option<CliffAt>,
}

/// Where the rate fell, and the levels in MB/s before and after.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CliffAt {
    pub at: Bytes,
    pub low: Bytes,
    pub high: Bytes,
    pub text: String,
    pub from: Option<Mark>,
    pub to: Option<Mark>,
}

impl Mark {
    /// With its interval in words, in a picture that names the unit.
    pub fn of(estimate: &Estimate, metric: Metric) -> Option<Mark> {
        Mark::written(estimate, numbers::figure(estimate, metric).plain())
    }

    /// `None`: it is no number.
    pub fn written(estimate: &Estimate, text: impl Into<String>) -> Option<Mark> {
        let finite = |edge: f64| edge.is_finite().then_some(edge);
        let Estimate { value, low, high } = *estimate;
        value.is_finite().then(|| Mark { value, low: finite(low), high: finite(high), text: text.into() })
    }
}

impl Caption {
    pub fn new(title: impl Into<String>, what: impl Into<String>, unit: impl Into<String>) -> Caption {
        Caption { title: title.into(), what: what.into(), unit: unit.into() }
    }
}

impl Axis {
    pub fn linear(title: impl Into<String>) -> Axis {
        Axis { title: title.into(), ..Axis::default() }
    }

    pub fn log(title: impl Into<String>) -> Axis {
        Axis { log: true, ..Axis::linear(title) }
    }
}

impl From<Chart> for crate::block::Block {
    fn from(chart: Chart) -> Self {
        crate::block::Block::Chart(Box::new(chart))
    }
}
