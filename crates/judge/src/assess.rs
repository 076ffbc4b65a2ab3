//! From a record to a report: figures, gate, outliers, chart, ledger, in this order. Findings are made of this by who knows causes.

use crate::background::look_behind;
use crate::chart::chart;
use crate::compare::ab;
use crate::door_parts::door_parts;
use crate::doors::door_prices;
use crate::doubled::doubled;
use crate::entry::{Entry, entries};
use crate::expect::distances;
use crate::fitness::drives;
use crate::gate::strike_out;
use crate::gateways::gateway_pairs;
use crate::host_loads::host_loads;
use crate::image_states::state_costs;
use crate::latency_parts::latency_parts;
use crate::ledger::ledger;
use crate::limit::limits;
use crate::outliers::outliers;
use crate::pgs::{name_pgs, while_not_clean};
use crate::positions::positions;
use crate::slow_operations::slowest_of_steps;
use crate::stores::stores;
use crate::sustained::endurance;
use crate::sweep::swept;
use crate::untimed::untimed_gateways;
use crate::validity::limit_writes;
use crate::verdict::verdicts;
use model::{Answer, Endurance, HostLoad, Outlier, PlannedExperiment, Positions, Record, Report, Slice, StatesFound};

/// What a record says, figure by figure.
pub struct Assessment<'a> {
    pub record: &'a Record,
    /// Every figure with its step and its slices.
    pub entries: Vec<Entry<'a>>,
    /// The same of what was measured to test a suspected cause: it was chosen for being odd, and stands for nothing else.
    pub tests: Vec<Entry<'a>>,
    pub outliers: Vec<Outlier>,
    pub host_loads: Vec<HostLoad>,
    pub sustained: Vec<Endurance>,
    /// Which OSDs slow a pool; of its many short figures none stands for itself.
    pub positions: Option<Positions>,
}

/// Pure, and good for a record in the middle of a run (a provisional picture) or with nothing measured.
pub fn assess(record: &Record) -> Assessment<'_> {
    let mut entries = entries(record);
    look_behind(&mut entries, record);
    name_gaps(&mut entries, record);
    name_pgs(&mut entries, record);
    let sustained = endurance(record);
    limit_writes(&mut entries, &sustained, record);
    strike_out(&mut entries, record);
    entries.retain(|entry| !entry.step.in_turns);
    let (tests, entries): (Vec<Entry>, Vec<Entry>) =
        entries.into_iter().partition(|entry| record.plan.experiment.is_of_test(entry.step.id));
    let outliers = outliers(&entries, &record.scope);
    Assessment {
        record,
        entries,
        tests,
        outliers,
        host_loads: host_loads(record),
        sustained,
        positions: positions(record),
    }
}

/// All but the findings.
pub fn without_findings(record: &Record) -> Report {
    assess(record).report()
}

impl Assessment<'_> {
    /// All but the findings.
    pub fn report(self) -> Report {
        let Assessment { record, entries, tests, outliers, host_loads, sustained, positions } = self;
        let ledger = ledger(&entries, record);
        let in_turns = |id| record.plan.steps.iter().any(|step| step.id == id && step.in_turns);
        let beside = |slice: &&Slice| record.plan.experiment.is_of_test(slice.step) || in_turns(slice.step);
        let passes = record.slices.iter().filter(|slice| !beside(slice));
        Report {
            head: record.head.clone(),
            seconds: record.seconds,
            passes: passes.map(|slice| slice.pass).max().unwrap_or(0),
            ending: record.finished.then_some(record.ending),
            overhead: record.overhead,
            chart: chart(&entries, record.plan.goal.settle),
            latency_parts: [latency_parts(&entries, &ledger, record), door_parts(&entries, record)].concat(),
            stores: stores(&entries, record),
            ledger,
            slow_operations: slowest_of_steps(record),
            positions,
            distances: distances(&entries, record),
            doors: door_prices(&entries),
            // Both sides of a comparison are compared by it.
            gateways: if record.plan.experiment.pair().is_some() { Vec::new() } else { gateway_pairs(&entries) },
            answer: answer(record, &entries, sustained),
            findings: Vec::new(),
            host_loads,
            outliers,
            figures: entries.into_iter().chain(tests).map(|entry| entry.figure).collect(),
            changes: record.changes.clone(),
            warnings: record
                .warnings
                .iter()
                .cloned()
                .chain(while_not_clean(record))
                .chain(untimed_gateways(record))
                .collect(),
            errors: record.errors.clone(),
        }
    }
}

/// To what the run was to find out.
fn answer(record: &Record, entries: &[Entry], sustained: Vec<Endurance>) -> Answer {
    match &record.plan.experiment {
        PlannedExperiment::Survey => Answer::Survey,
        PlannedExperiment::Verdict(thresholds) => Answer::Verdicts(verdicts(entries, thresholds)),
        PlannedExperiment::PairedComparison(plan) => Answer::PairedComparison(Box::new(ab(record, plan))),
        PlannedExperiment::HighestRate { bound, searches } => {
            Answer::HighestRates(limits(record, entries, *bound, searches))
        }
        PlannedExperiment::ScaleOut { clients_most, doublings } => {
            Answer::ScaleOut(doubled(entries, doublings, *clients_most))
        }
        PlannedExperiment::Sweep(sweep) => Answer::Sweep(Box::new(swept(entries, sweep))),
        PlannedExperiment::SustainedWrites(_) => Answer::SustainedWrites(sustained),
        PlannedExperiment::Fitness { drives: judged, .. } => {
            Answer::Fitness { drives: drives(entries, judged, &sustained, record), sustained }
        }
        PlannedExperiment::ImageStates(plan) => {
            let (plan, settle) = (plan.clone(), record.plan.goal.settle);
            let object = record.image_states().next().map(|times| times.object);
            Answer::ImageStates(Box::new(StatesFound { plan, settle, object, costs: state_costs(record) }))
        }
        // Who knows causes knows which were refuted.
        PlannedExperiment::Diagnosis(_) => Answer::Diagnosis(model::Diagnosed::default()),
    }
}

/// Every figure of a slice in which a host was missing says so.
fn name_gaps(entries: &mut [Entry], record: &Record) {
    for entry in entries {
        let own = record.gaps().filter(|gap| gap.step == entry.step.id);
        entry.figure.gaps = own.map(|gap| format!("pass {}: {}", gap.pass, gap.says)).collect();
    }
}
