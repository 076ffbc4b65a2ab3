//! What another tool measured, in our nouns.

use model::{Layer, Nanos, OpClass, Pattern, Sample, Workload};

/// All that a file of results tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// With its version, where it tells that: `fio-3.33`.
    pub tool: String,
    /// When it had ended; `None`: it does not tell.
    pub ended: Option<jiff::Timestamp>,
    pub measured: Vec<ImportedFigure>,
    /// What is in the file and not taken, each with its place and the reason; and what had to be assumed.
    pub notes: Vec<String>,
}

/// One workload on one target, once.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFigure {
    pub layer: Layer,
    pub target: String,
    pub workload: Workload,
    /// One for each kind of operation.
    pub told: Vec<ImportedOperations>,
}

/// What was told of the operations of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedOperations {
    pub kind: OpClass,
    pub window_ns: Nanos,
    /// A single one of the whole run's length, where only totals are told.
    pub samples: Vec<Sample>,
    /// The tool's own word that something failed.
    pub error: Option<String>,
}

impl ImportedOperations {
    pub fn seconds(&self) -> f64 {
        self.samples.len() as f64 * self.window_ns as f64 / 1e9
    }
}

/// Options by which a rate was given.
pub const RATES: [&str; 3] = ["rate", "rate_iops", "rate_process"];

/// What is told without latencies has a mean one by Little's law, which holds where operations of one kind follow each other
/// without a pause; else a figure that is a latency can't be known. What is left, and why what is not.
pub fn with_latency(
    layer: Layer,
    workload: &Workload,
    told: Vec<ImportedOperations>,
) -> (Vec<ImportedOperations>, Option<String>) {
    let why = match RATES.iter().any(|name| workload.options.contains_key(*name)) {
        true => "at a rate that was given",
        false if workload.reads() && workload.writes() => "beside those of the other kind",
        false => return (told, None),
    };
    if !Pattern::nearest(workload).metric(layer).lower_is_better() {
        return (told, None);
    }
    let timed = |told: &ImportedOperations| told.samples.iter().any(|sample| sample.service.count > 0);
    let (timed, unknown): (Vec<ImportedOperations>, Vec<ImportedOperations>) = told.into_iter().partition(timed);
    let kind = |told: &ImportedOperations| if told.kind == OpClass::Read { "reads" } else { "writes" };
    let kinds: Vec<&str> = unknown.iter().map(kind).collect();
    let text = format!(
        "{} left out: no latency of theirs is told, and none follows from how many were done {why}",
        kinds.join(" and ")
    );
    (timed, (!kinds.is_empty()).then_some(text))
}
