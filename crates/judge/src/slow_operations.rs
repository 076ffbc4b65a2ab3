//! Of each step the slowest operation that an OSD remembered of one of its slices.

use model::{Record, SlowOperation, SlowestOfStep, Step};

/// In the order of the steps.
pub fn slowest_of_steps(record: &Record) -> Vec<SlowestOfStep> {
    record.plan.steps.iter().filter_map(|step| of_step(step, record)).collect()
}

fn of_step(step: &Step, record: &Record) -> Option<SlowestOfStep> {
    let own = record.slow_operations().filter(|seen| seen.step == step.id).flat_map(|seen| &seen.operations);
    let slowest: &SlowOperation = own.max_by(|a, b| a.ms.total_cmp(&b.ms))?;
    Some(SlowestOfStep {
        layer: step.layer,
        pattern: step.pattern,
        target: step.together(),
        operation: slowest.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use model::{Observation, Pattern, Plan, SlowOperations, Workload};

    #[test]
    fn the_slowest_of_all_slices_of_a_step_is_told() {
        let operation = |osd: u32, ms: f64| SlowOperation {
            osd,
            ms,
            longest_ms: ms / 2.0,
            after: "started".into(),
            until: "op_commit".into(),
        };
        let pattern = Pattern::WriteLatency;
        let steps =
            [0, 1].map(|id| Step::new(id, testing::osds(), pattern, vec![], Workload::canonical(pattern, 1 << 20, 1)));
        let mut record = Record { plan: Plan { steps: steps.to_vec(), ..Plan::default() }, ..Record::default() };
        for (pass, ms) in [(1, [3.0, 9.0]), (2, [7.0, 4.0])] {
            let operations = vec![operation(0, ms[0]), operation(1, ms[1])];
            record = record.with(Observation::SlowOperations(SlowOperations { step: steps[0].id, pass, operations }));
        }
        let told = slowest_of_steps(&record);
        assert_eq!(told.len(), 1, "the other step has none: {told:?}");
        assert_eq!((told[0].operation.osd, told[0].operation.ms), (1, 9.0));
    }
}
