//! A plan as the document `fathom.plan/1`: what `--dry-run` shows, for programs.

use crate::terminal;
use model::{HostFile, Plan, Step, SustainedTest};
use serde_json::{Value, json};

pub const SCHEMA: &str = "fathom.plan/1";

/// `seconds`: expected for the whole run.
pub fn document(plan: &Plan, seconds: f64) -> Value {
    json!({
        "schema": SCHEMA,
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
        "sustained": plan.sustained.iter().map(sustained).collect::<Vec<_>>(),
        "changes": plan.changes.iter().map(|change| change.what()).collect::<Vec<_>>(),
        "host_files": plan.host_files.iter().map(host_file).collect::<Vec<_>>(),
        "seconds_expected": seconds,
        "seconds_most": seconds_most(plan, seconds),
    })
}

fn step(step: &Step) -> Value {
    json!({
        "step": step.id.0,
        "layer": step.layer.name(),
        "pattern": step.pattern.name(),
        "targets": step.targets.iter().map(|target| &target.name).collect::<Vec<_>>(),
        "workload": step.workload,
        "says": terminal::workload(step),
    })
}

fn sustained(test: &SustainedTest) -> Value {
    json!({"target": test.step.together(), "also": test.also, "workload": test.step.workload, "seconds": test.seconds})
}

fn host_file(file: &HostFile) -> Value {
    json!({"host": file.host, "path": file.path, "bytes": file.bytes})
}

/// Where figures may take longer than if all settle as soon as they may: the most that the run takes.
pub(crate) fn seconds_most(plan: &Plan, expected: f64) -> Option<f64> {
    let sustained: f64 = plan.sustained.iter().map(|test| test.seconds).sum();
    let most = plan.goal.run_seconds.filter(|_| plan.goal.short.is_some())? + sustained;
    (most > expected).then_some(most)
}
