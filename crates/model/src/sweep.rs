//! A sweep: one workload with lists instead of numbers, and what came of each combination.

use crate::figure::Estimate;
use crate::pattern::Metric;
use crate::step_id::StepId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A list of values that a sweep goes through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepAxis {
    /// As on the command line: `depth`, `block-size`, `option:osd/osd_op_queue`.
    pub name: String,
    /// Each once; numbers ascending, words as they were given.
    pub values: Vec<Setting>,
}

impl SweepAxis {
    /// `WHO/NAME` of the cluster's option that this axis is; `None`: it is something else.
    pub fn option(&self) -> Option<&str> {
        self.name.strip_prefix(OPTION)
    }

    /// As it is called where there is little room: an option without the word that says that it is one.
    pub fn called(&self) -> &str {
        self.option().unwrap_or(&self.name)
    }

    fn numbers(&self) -> bool {
        self.values.iter().all(|value| value.number().is_some())
    }
}

/// Axes that are qualities of a pool.
const OF_POOLS: [&str; 2] = ["pgs", "osds"];

/// How the name of an axis begins that is an option of the cluster.
pub const OPTION: &str = "option:";

/// The one axis along which load grows, and on which a knee can lie.
pub const DEPTH: &str = "depth";

/// One value of an axis. Sizes are bytes, shares percent.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Setting {
    Number(u64),
    Text(String),
}

impl Setting {
    pub fn number(&self) -> Option<u64> {
        match self {
            Setting::Number(number) => Some(*number),
            Setting::Text(_) => None,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Number(number) => write!(f, "{number}"),
            Setting::Text(text) => write!(f, "{text}"),
        }
    }
}

/// What a plan varies from step to step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    pub axes: Vec<SweepAxis>,
    /// One for each step of the plan. Several targets make several steps of one combination.
    pub points: Vec<SweepPoint>,
    /// Combinations that can't be (more jobs than operations in flight).
    pub left_out: u32,
}

/// Which value a step has on each axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    pub step: StepId,
    /// An index into the axis's values, for each axis.
    pub at: Vec<u32>,
}

impl Sweep {
    pub fn at(&self, step: StepId) -> Option<&[u32]> {
        self.points.iter().find(|point| point.step == step).map(|point| point.at.as_slice())
    }

    /// Has each point a pool of its own, made for it? Then their names differ, and are one target all the same.
    pub fn pool_each(&self) -> bool {
        self.axes.iter().any(|axis| OF_POOLS.contains(&axis.name.as_str()))
    }

    /// Along which axis lines are drawn and rows follow each other: the depth, else the first of numbers, else the first.
    pub fn along(&self) -> usize {
        let depth = self.axes.iter().position(|axis| axis.name == DEPTH);
        depth.or_else(|| self.axes.iter().position(SweepAxis::numbers)).unwrap_or(0)
    }
}

/// What a sweep found: both sides of each point, and where it bends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swept {
    pub sweep: Sweep,
    pub readings: Vec<Reading>,
    pub knees: Vec<Knee>,
}

/// One figure of a sweep, from both sides: what it does in a second, and how long one operation takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Index into the report's figures.
    pub figure: usize,
    /// As in [`SweepPoint`].
    pub at: Vec<u32>,
    /// In the unit of `metric`; `None`: the figure is void or implausible.
    pub throughput: Option<Estimate>,
    pub metric: Metric,
    /// Mean, ms.
    pub latency: Option<Estimate>,
}

/// Where more depth brings little more throughput, on one curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    /// The curve, by depth: indices into the readings.
    pub curve: Vec<usize>,
    /// The smallest depth with 95 % of the best throughput.
    pub knee: Choice,
    /// Its share of the best.
    pub reaches: f64,
    /// The depth with the best throughput.
    pub best: u32,
    /// The depth with the best throughput for its latency (X/R).
    pub balance: Choice,
    pub beyond: Beyond,
    pub says: String,
}

/// A depth, and between which depths it lies as far as the intervals decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub depth: u32,
    pub from: u32,
    pub to: u32,
}

impl Choice {
    pub fn decided(&self) -> bool {
        self.from == self.to
    }
}

/// What more depth than the knee's brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Beyond {
    /// The knee is at the largest depth, or beyond it.
    Rises,
    Flat,
    /// Less throughput.
    Falls,
}

impl Beyond {
    pub fn name(self) -> &'static str {
        match self {
            Beyond::Rises => "rises",
            Beyond::Flat => "flat",
            Beyond::Falls => "falls",
        }
    }
}
