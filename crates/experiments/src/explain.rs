//! From a record to its report: what the judge makes of it, and the findings.

use crate::diagnose::{Case, findings};
use judge::assess;
use model::{Answer, PlannedExperiment, Record, Report};

/// Pure, and good for a record in the middle of a run (a provisional picture) or with nothing measured.
pub fn explain(record: &Record) -> Report {
    let assessed = assess(record);
    let (findings, diagnosed) = findings(&Case::of(&assessed));
    let report = Report { findings, ..assessed.report() };
    match record.plan.experiment {
        PlannedExperiment::Diagnosis(_) => Report { answer: Answer::Diagnosis(diagnosed), ..report },
        _ => report,
    }
}
