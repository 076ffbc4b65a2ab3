//! The highest rate of an open loop that keeps a bound on its response times: what is asked for, and what was found.

use crate::figure::Percentile;
use crate::layer::Layer;
use crate::pattern::Pattern;
use crate::step_id::StepId;
use crate::workload::Arrivals;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `p99<10ms`: at least `percent` percent of the operations respond in less than `ms`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Bound")]
pub struct ResponseBound {
    /// Above 0, below 100.
    pub percent: f64,
    pub ms: f64,
    /// How operations arrive while it is tried.
    pub arrivals: Arrivals,
}

impl ResponseBound {
    /// The share of operations that may take longer.
    pub fn allowed(&self) -> f64 {
        1.0 - self.percent / 100.0
    }
}

/// A search, as far as it has come: steps of the plan that belong to it. The workloads of the probes have the rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// A closed loop: how much there is to search through.
    pub capacity: StepId,
    /// Each ends as soon as it is known whether the bound is kept.
    pub probes: Vec<StepId>,
    /// In passes, for as long as was wished.
    pub confirmations: Vec<StepId>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    pub layer: Layer,
    pub target: String,
    pub pattern: Pattern,
    pub bound: ResponseBound,
    /// Operations per second, of all targets together, that kept the bound when it was confirmed; `None`: see `why`.
    pub rate: Option<f64>,
    /// Operations per second of the closed loop, of all targets together.
    pub capacity: Option<f64>,
    /// For how long the rate was confirmed.
    pub seconds: f64,
    /// In the order in which they were tried.
    pub probes: Vec<TriedRate>,
    /// Why there is no rate.
    pub why: Option<String>,
}

/// One rate that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedRate {
    /// Operations per second of all targets together.
    pub rate: f64,
    pub confirms: bool,
    pub kept: bool,
    pub seconds: f64,
    /// The share of operations that took longer than the bound, what was due and not done included; with its 90 % interval.
    pub over: f64,
    pub over_low: f64,
    pub over_high: f64,
    /// Of response time: 50, and that of the bound.
    pub median: Option<Percentile>,
    pub bounded: Option<Percentile>,
}
