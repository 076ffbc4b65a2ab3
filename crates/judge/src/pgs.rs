//! Figures that were measured while placement groups recovered, were trimmed, peered: they say so.

use crate::entry::Entry;
use crate::words::count;
use model::{PgStates, PgsSeen, Record, Step};

/// At most this many steps are named; the others are counted.
const NAMED: usize = 4;

/// Every figure has the states that were seen during its passes.
pub fn name_pgs(entries: &mut [Entry], record: &Record) {
    for entry in entries {
        let own = record.pgs_seen().filter(|seen| seen.step == entry.step.id);
        entry.figure.pgs_seen = own.cloned().collect();
    }
}

/// One sentence for all of them.
pub fn while_not_clean(record: &Record) -> Option<String> {
    let of = |step: &&Step| record.pgs_seen().any(|seen| seen.step == step.id);
    let steps: Vec<&Step> = record.plan.steps.iter().filter(of).collect();
    let more = match steps.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and of {} more", count(more, "step", "steps")),
    };
    let named: Vec<String> = steps.iter().take(NAMED).map(|step| says(step, record)).collect();
    (!steps.is_empty()).then(|| {
        format!(
            "not all placement groups of the cluster were active and clean during slices of {}{more}: what went on in them is part of \
             these figures",
            named.join("; ")
        )
    })
}

/// `rados pool write-latency (pass 2: 12 active+recovering)`
fn says(step: &Step, record: &Record) -> String {
    let passes = record.pgs_seen().filter(|seen| seen.step == step.id);
    let passes: Vec<String> =
        passes.map(|seen: &PgsSeen| format!("pass {}: {}", seen.pass, listed(&seen.states))).collect();
    format!("{} {} {} ({})", step.layer.name(), step.together(), step.pattern.name(), passes.join(", "))
}

fn listed(states: &PgStates) -> String {
    states.iter().map(|(state, number)| format!("{number} {state}")).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use model::{Pattern, Place, Plan, StepId, Target, Workload};

    fn step(id: u32) -> Step {
        Step::new(
            id,
            testing::pools(),
            Pattern::ReadLatency,
            vec![Target::new(testing::pools(), format!("pool{id}"), Place::Null)],
            Workload::canonical(Pattern::ReadLatency, 1 << 30, 1),
        )
    }

    #[test]
    fn figures_of_a_busy_cluster_are_marked_and_others_are_not() {
        let plan = Plan { steps: (0..9).map(step).collect(), ..Plan::default() };
        let seen = |step, pass, state: &str| {
            model::Observation::PgsSeen(PgsSeen { step: StepId(step), pass, states: [(state.to_string(), 3)].into() })
        };
        let mut record = Record { plan, finished: true, ..Record::default() };
        let report = crate::without_findings(&record);
        assert!(report.warnings.is_empty() && report.figures.iter().all(|figure| figure.pgs_seen.is_empty()));
        record.observations = vec![seen(1, 1, "peering"), seen(1, 2, "active+clean+snaptrim"), seen(4, 1, "peering")];
        let report = crate::without_findings(&record);
        let marked: Vec<usize> = report.figures.iter().map(|figure| figure.pgs_seen.len()).collect();
        assert_eq!(marked, [0, 2, 0, 0, 1, 0, 0, 0, 0]);
        let all = "rados pool1 read-latency (pass 1: 3 peering, pass 2: 3 active+clean+snaptrim); rados pool4 read-latency (pass 1: 3 peering)";
        assert!(report.warnings[0].contains(all), "{:?}", report.warnings);
        record.observations = (0..9).map(|step| seen(step, 1, "peering")).collect();
        assert!(crate::without_findings(&record).warnings[0].contains("; and of 5 steps more"));
    }
}
