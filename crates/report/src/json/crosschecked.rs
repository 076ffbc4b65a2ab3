//! The document `fathom.crosscheck/1`: the same loads by two programs.

use super::parts::{Interval, interval_of, value_of};
use crate::crosscheck::{middle, overall};
use model::{Agrees, Crosscheck, Crosschecked, Estimate, Layer, Pair, Pattern, Turn, Workload};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// The same loads by Fathom and by fio, in turns; json.md says what each field means.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "fathom.crosscheck/1")]
pub(super) struct CrosscheckDocument<'a> {
    schema: &'static str,
    version: &'a str,
    peer: &'a str,
    started: &'a str,
    seconds: f64,
    front_seconds: f64,
    load_seconds: f64,
    finds: Agrees,
    interrupted: bool,
    notes: &'a [String],
    rows: Vec<RowDocument<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct RowDocument<'a> {
    layer: Layer,
    target: &'a str,
    pattern: Pattern,
    workload: &'a Workload,
    engine: &'a str,
    peer_engine: &'a str,
    tolerance: f64,
    finds: Agrees,
    why: Option<&'a str>,
    iops: MeasureDocument,
    latency_mean: MeasureDocument,
    latency_p99: MeasureDocument,
    left_out: u32,
    pairs: &'a [Pair],
}

/// Medians over the pairs, and ours over theirs.
#[derive(Serialize, JsonSchema)]
struct MeasureDocument {
    ours: Option<f64>,
    theirs: Option<f64>,
    ratio: Option<f64>,
    ci95: Option<Interval>,
}

/// `fathom.crosscheck/1`.
pub fn crosscheck(found: &Crosscheck) -> Value {
    json!(CrosscheckDocument {
        schema: super::CROSSCHECK,
        version: &found.version,
        peer: &found.peer,
        started: &found.started,
        seconds: found.seconds,
        front_seconds: found.front_seconds,
        load_seconds: found.load_seconds,
        finds: overall(found),
        interrupted: found.interrupted,
        notes: &found.notes,
        rows: found.rows.iter().map(RowDocument::from).collect(),
    })
}

impl<'a> From<&'a Crosschecked> for RowDocument<'a> {
    fn from(row: &'a Crosschecked) -> Self {
        RowDocument {
            layer: row.layer,
            target: &row.target,
            pattern: row.pattern,
            workload: &row.workload,
            engine: &row.our_engine,
            peer_engine: &row.their_engine,
            tolerance: row.tolerance,
            finds: row.agreement.finds,
            why: row.why.as_deref(),
            iops: measure(row, |turn| Some(turn.iops), row.agreement.iops),
            latency_mean: measure(row, |turn| Some(turn.mean_ms), row.agreement.latency),
            latency_p99: measure(row, |turn| turn.p99_ms, None),
            left_out: row.left_out,
            pairs: &row.pairs,
        }
    }
}

fn measure(row: &Crosschecked, of: fn(&Turn) -> Option<f64>, ratio: Option<Estimate>) -> MeasureDocument {
    MeasureDocument {
        ours: middle(row, |pair| of(&pair.ours)),
        theirs: middle(row, |pair| of(&pair.theirs)),
        ratio: value_of(ratio.as_ref()),
        ci95: interval_of(ratio.as_ref()),
    }
}
