//! From a record to a report: figures, gate, chart, ledger, outliers, findings, in this order.

use crate::background::look_behind;
use crate::chart::chart;
use crate::compare::ab;
use crate::distance::distances;
use crate::doubled::doubled;
use crate::entry::{Entry, entries};
use crate::findings::findings;
use crate::gate::strike_out;
use crate::host_loads::{host_loads, sent_again};
use crate::ledger::ledger;
use crate::limit::limits;
use crate::outliers::outliers;
use crate::path_mtus::path_mtus;
use crate::pgs::{name_pgs, while_not_clean};
use crate::sustained::endurance;
use crate::sweep::swept;
use crate::validity::limit_writes;
use crate::verdict::verdicts;
use model::{Record, Report};

/// Pure, and good for a record in the middle of a run (a provisional picture) or with nothing measured.
pub fn explain(record: &Record) -> Report {
    let mut entries = entries(record);
    look_behind(&mut entries, record);
    name_gaps(&mut entries, record);
    name_pgs(&mut entries, record);
    let sustained = endurance(record);
    limit_writes(&mut entries, &sustained, record);
    strike_out(&mut entries, record);
    let loads = host_loads(record);
    let outliers = outliers(&entries, &record.scope);
    let mut findings = findings(&outliers, &entries, record);
    sent_again(&loads, record, &mut findings);
    findings.extend(path_mtus(record.path_mtus()));
    Report {
        head: record.head.clone(),
        seconds: record.seconds,
        passes: record.slices.iter().map(|slice| slice.pass).max().unwrap_or(0),
        ending: record.finished.then_some(record.ending),
        overhead: record.overhead,
        chart: chart(&entries),
        ledger: ledger(&entries, record),
        distances: distances(&entries, record),
        verdicts: verdicts(&entries, &record.plan.goal),
        ab: ab(record).map(Box::new),
        limits: limits(record, &entries),
        doubled: doubled(record, &entries),
        sweep: swept(&entries, record).map(Box::new),
        sustained,
        findings,
        host_loads: loads,
        outliers,
        figures: entries.into_iter().map(|entry| entry.figure).collect(),
        changes: record.changes.clone(),
        warnings: record.warnings.iter().cloned().chain(while_not_clean(record)).collect(),
        errors: record.errors.clone(),
    }
}

/// Every figure of a slice in which a host was missing says so.
fn name_gaps(entries: &mut [Entry], record: &Record) {
    for entry in entries {
        let own = record.gaps().filter(|gap| gap.step == entry.step.id);
        entry.figure.gaps = own.map(|gap| format!("pass {}: {}", gap.pass, gap.says)).collect();
    }
}
