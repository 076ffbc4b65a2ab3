//! The same load by Fathom and by another program, in turns: what each of them said, and whether they agree.

use crate::figure::Estimate;
use crate::layer::Layer;
use crate::pattern::Pattern;
use crate::workload::Workload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one program said of one load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// Operations per second.
    pub iops: f64,
    /// Mean service time, ms.
    pub mean_ms: f64,
    /// Of service time, ms; `None`: it was not told.
    pub p99_ms: Option<f64>,
}

/// Two loads, one right after the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    pub ours: Turn,
    pub theirs: Turn,
    pub ours_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Agrees {
    /// Every interval lies within the tolerance.
    Agrees,
    /// An interval lies outside of it.
    Differs,
    /// Neither is certain.
    Open,
}

impl Agrees {
    pub fn name(self) -> &'static str {
        match self {
            Agrees::Agrees => "agrees",
            Agrees::Differs => "differs",
            Agrees::Open => "open",
        }
    }
}

/// What pairs say together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Operations per second, ours over theirs; `None`: fewer than two pairs.
    pub iops: Option<Estimate>,
    /// Mean service time, ours over theirs.
    pub latency: Option<Estimate>,
    pub finds: Agrees,
}

/// One load of one target, by both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crosschecked {
    pub layer: Layer,
    pub target: String,
    pub pattern: Pattern,
    pub workload: Workload,
    pub our_engine: String,
    pub their_engine: String,
    /// How far the ratios may be off 1.
    pub tolerance: f64,
    pub pairs: Vec<Pair>,
    /// Pairs of which one load ended no operation at all, so that it has no rate to compare.
    pub left_out: u32,
    pub agreement: Agreement,
    /// Why there are no more pairs, where something went wrong.
    pub why: Option<String>,
}

/// A whole crosscheck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crosscheck {
    /// Fathom's version, and that of the other program: `fio 3.33`.
    pub version: String,
    pub peer: String,
    /// RFC 3339, UTC.
    pub started: String,
    pub seconds: f64,
    /// Of each load: the front that is not counted, and what is.
    pub front_seconds: f64,
    pub load_seconds: f64,
    pub rows: Vec<Crosschecked>,
    /// What is to be known about how the two were set up.
    pub notes: Vec<String>,
    /// Ended by the user before its end.
    pub interrupted: bool,
}
