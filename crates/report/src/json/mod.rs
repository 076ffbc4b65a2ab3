//! The documents for programs, first of all `fathom.run/1`: all that a run says. `docs/json.md` describes every field; the schemas follow from the types.

mod asked;
mod audited;
mod causes;
mod compared;
mod crosschecked;
mod drives;
mod figures;
mod image_states;
mod parts;
mod schema;

use asked::{AbDocument, ClientsDocument, HostLoadDocument, LimitDocument, SweepDocument, VerdictDocument};
use causes::{FindingDocument, RefutedDocument, UntestedDocument};
use drives::{DriveDocument, SustainedDocument};
use figures::{
    CellDocument, DistanceDocument, DoorDocument, FigureDocument, GatewayDocument, LatencyPartsDocument,
    LedgerDocument, OutlierDocument, PositionsDocument,
};
use image_states::StatesDocument;
use model::{
    Ending, GoalFields, HostBond, Imported, Overhead, PathMtu, Record, Report, Scope, SlowestOfStep, StoreTimes, Undo,
    secrets,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

pub use audited::{audit, rules};
pub use compared::{comparison, history};
pub use crosschecked::crosscheck;
pub(crate) use parts::Keyed;
pub(crate) use schema::schema_of;
pub use schema::schemas;

const RUN: &str = "fathom.run/1";
const COMPARE: &str = "fathom.compare/1";
const HISTORY: &str = "fathom.history/1";
const CROSSCHECK: &str = "fathom.crosscheck/1";
const AUDIT: &str = "fathom.audit/1";
const RULES: &str = "fathom.rules/1";

/// A run of Fathom; json.md says what each field means. Fields may be added.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(title = "fathom.run/1")]
struct RunDocument {
    schema: &'static str,
    /// null: the command failed before there was a run.
    run: Option<String>,
    started: Option<String>,
    seconds: f64,
    version: String,
    command: Option<String>,
    imported: Option<Imported>,
    passes: u32,
    finished: bool,
    ending: Option<Ending>,
    overhead: Option<Overhead>,
    /// null: another tool was asked for nothing of the kind.
    goal: Option<GoalFields>,
    scope: Option<Scope>,
    figures: Vec<FigureDocument>,
    chart: Vec<CellDocument>,
    ledger: Vec<LedgerDocument>,
    latency_parts: Vec<LatencyPartsDocument>,
    /// Of writes: what OSDs' stores did on which of their devices.
    stores: Vec<StoreTimes>,
    slow_operations: Vec<SlowestOfStep>,
    positions: Option<PositionsDocument>,
    floor: Vec<DistanceDocument>,
    doors: Vec<DoorDocument>,
    /// Of several gateways the slowest beside the quickest.
    gateways: Vec<GatewayDocument>,
    verdicts: Vec<VerdictDocument>,
    limits: Vec<LimitDocument>,
    clients: Vec<ClientsDocument>,
    ab: Option<AbDocument>,
    sweep: Option<SweepDocument>,
    sustained: Vec<SustainedDocument>,
    drives: Vec<DriveDocument>,
    image_states: Option<StatesDocument>,
    path_mtus: Vec<PathMtu>,
    bonds: Vec<HostBond>,
    host_loads: Vec<HostLoadDocument>,
    outliers: Vec<OutlierDocument>,
    findings: Vec<FindingDocument>,
    refuted: Vec<RefutedDocument>,
    untested: Vec<UntestedDocument>,
    changes: Vec<ChangeDocument>,
    warnings: Vec<String>,
    errors: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ChangeDocument {
    what: String,
    undone: bool,
    /// Why it was not undone, if what bears its name is not, or no more, the run's.
    left_as_it_is: Option<String>,
}

impl From<&Undo> for ChangeDocument {
    fn from(undo: &Undo) -> Self {
        ChangeDocument { what: undo.change.what(), undone: undo.undone, left_as_it_is: undo.left.clone() }
    }
}

/// The whole document. A number that is not finite becomes `null`: JSON has no other word for it.
pub fn document(report: &Report, record: &Record) -> Value {
    let head = &report.head;
    json!(RunDocument {
        schema: RUN,
        run: Some(head.run.clone()),
        started: Some(head.started.clone()),
        seconds: report.seconds,
        version: head.version.clone(),
        command: Some(head.command.clone()),
        imported: head.imported.clone(),
        passes: report.passes,
        finished: report.finished(),
        ending: report.ending,
        overhead: report.overhead,
        goal: head.imported.is_none().then(|| GoalFields::from(&record.plan)),
        scope: Some(without_secrets(&record.scope)),
        figures: all(&report.figures),
        chart: all(&report.chart),
        ledger: all(&report.ledger),
        latency_parts: all(&report.latency_parts),
        stores: report.stores.clone(),
        slow_operations: report.slow_operations.clone(),
        positions: report.positions.as_ref().map(PositionsDocument::from),
        floor: all(&report.distances),
        doors: all(&report.doors),
        gateways: all(&report.gateways),
        verdicts: all(report.answer.verdicts()),
        limits: all(report.answer.limits()),
        clients: all(report.answer.doubled()),
        ab: report.answer.pair().map(AbDocument::from),
        sweep: report.answer.sweep().map(SweepDocument::from),
        sustained: all(report.answer.endurance()),
        drives: all(report.answer.drives()),
        image_states: report.answer.image_states().map(StatesDocument::from),
        path_mtus: record.path_mtus().to_vec(),
        bonds: record.bonds().to_vec(),
        host_loads: all(&report.host_loads),
        outliers: all(&report.outliers),
        findings: all(&report.findings),
        refuted: all(report.answer.refuted()),
        untested: all(report.answer.untested()),
        changes: all(&report.changes),
        warnings: report.warnings.clone(),
        errors: report.errors.clone(),
    })
}

/// The same document of a command that failed before there was a run: `error` is all that it knows.
pub fn failed(error: &str, version: &str) -> Value {
    json!(RunDocument {
        schema: RUN,
        version: version.to_string(),
        ending: Some(Ending::Failed),
        errors: vec![error.to_string()],
        ..RunDocument::default()
    })
}

/// An archive may be older than the list of what is secret.
fn without_secrets(scope: &Scope) -> Scope {
    let mut scope = scope.clone();
    for (name, value) in &mut scope.options {
        *value = secrets::value(name, value).to_string();
    }
    scope
}

fn all<'a, T, D: From<&'a T>>(items: &'a [T]) -> Vec<D> {
    items.iter().map(D::from).collect()
}
