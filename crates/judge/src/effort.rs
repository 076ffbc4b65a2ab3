//! Was the load generator the limit? What its threads took of the processors, and what its own work is of what it measured.

use crate::series::told;
use crate::words::{number, percent};
use model::{Effort, Label, Shares, Slice, Sparse, Step};

/// Fathom's own part of a figure may be this share.
const OVERHEAD_MOST: f64 = 0.02;
/// With one operation in flight in a lane, each wait for a processor is part of a latency: twice the ±5 % that a figure is to
/// have. On a quiet machine lanes wait 1 to 3 % of their time (docs/method.md, "Cost of measuring").
pub const QUEUED_MOST: f64 = 0.10;
/// With many, the others go on meanwhile.
pub const QUEUED_MOST_DEEP: f64 = 0.20;

/// The lanes waited for a processor, or their own work is too much of what they measured.
pub fn limited(step: &Step, slices: &[&Slice]) -> Option<Label> {
    let found = shares(step, slices)?;
    let single = step.workload.lane_depth(0) <= 1;
    let most = if single { QUEUED_MOST } else { QUEUED_MOST_DEEP };
    let starved = (found.queued > most).then(|| {
        format!(
            "the threads that put on the load waited for a processor {} of the time (run queue); more than {} changes \
             what is measured",
            beyond(found.queued, most),
            percent(most)
        )
    });
    let own = found.overhead.filter(|share| *share > OVERHEAD_MOST).map(|share| {
        let cost = slices.iter().filter_map(|slice| slice.effort).map(|effort| effort.operation_ns).fold(0.0, f64::max);
        format!(
            "measuring costs {} ns an operation, {} of {}; more than {} is too much",
            number(cost),
            beyond(share, OVERHEAD_MOST),
            if single { "its latency" } else { "the CPU of the threads that put on the load" },
            percent(OVERHEAD_MOST)
        )
    });
    starved.or(own).map(Label::GeneratorLimited)
}

/// A share above a bound; where both are rounded to the same, in words.
fn beyond(share: f64, bound: f64) -> String {
    let told = percent(share);
    if told == percent(bound) { format!("a little over {told}") } else { told }
}

/// `None`: nobody kept account.
pub fn shares(step: &Step, slices: &[&Slice]) -> Option<Shares> {
    let mut all = Effort::default();
    slices.iter().filter_map(|slice| slice.effort).for_each(|effort| all += effort);
    (all.seconds > 0.0).then(|| Shares {
        busy: all.busy(),
        queued: all.queued(),
        overhead: overhead(step, slices, &all),
    })
}

/// With one operation in flight in a lane, what is added to its latency; else, of the lanes' CPU, since operations overlap.
fn overhead(step: &Step, slices: &[&Slice], all: &Effort) -> Option<f64> {
    // Where the other side reports the times, they have nothing of ours in them.
    if all.operation_ns <= 0.0 || slices.iter().any(|slice| told(slice)) {
        return None;
    }
    let share = if step.workload.lane_depth(0) <= 1 {
        let service = slices.iter().flat_map(|slice| slice.counted()).map(|sample| &sample.service);
        all.operation_ns / Sparse::merged(service).mean_ns()?
    } else {
        all.operation_ns * all.operations as f64 / (all.cpu_seconds * 1e9)
    };
    share.is_finite().then(|| share.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use model::{Latencies, Pattern, Sample, StepId, Workload};

    fn step(pattern: Pattern) -> Step {
        Step::new(0, testing::images(), pattern, Vec::new(), Workload::canonical(pattern, 1 << 30, 1))
    }

    /// Ten seconds of two lanes, operations of 0.1 ms.
    fn slice(queued_seconds: f64, operation_ns: f64) -> Slice {
        let mut seen = Latencies::default();
        seen.record_times(100_000, 1000);
        let sample = Sample { span_ns: 100_000_000, ops: 1000, service: seen.take(), ..Sample::default() };
        Slice {
            target: Some(0),
            effort: Some(Effort { seconds: 20.0, cpu_seconds: 1.0, queued_seconds, operations: 100_000, operation_ns }),
            ..testing::slice(StepId(0), 1, 100_000_000, vec![sample; 100])
        }
    }

    fn why(pattern: Pattern, slices: &[Slice]) -> Option<String> {
        let slices: Vec<&Slice> = slices.iter().collect();
        limited(&step(pattern), &slices).map(|label| label.why().unwrap_or_default().to_string())
    }

    #[test]
    fn a_starved_generator_is_told_by_how_much_it_waited() {
        let (one, many) = (Pattern::ReadLatency, Pattern::ReadParallel);
        assert_eq!((why(one, &[slice(1.9, 59.0)]), why(many, &[slice(3.9, 59.0)])), (None, None));
        assert!(why(one, &[slice(2.1, 59.0)]).unwrap().contains("waited for a processor 11 % of the time"));
        assert!(why(many, &[slice(4.1, 59.0)]).unwrap().contains("more than 20 %"));
        assert!(why(one, &[slice(2.001, 59.0)]).unwrap().contains("a little over 10 % of the time"));
        // One pass in three.
        assert_eq!(why(one, &[slice(0.1, 59.0), slice(0.1, 59.0), slice(5.0, 59.0)]), None);
    }

    #[test]
    fn its_own_work_is_told_if_it_is_more_than_a_fiftieth() {
        assert_eq!(why(Pattern::ReadLatency, &[slice(0.0, 1990.0)]), None);
        let why_one = why(Pattern::ReadLatency, &[slice(0.0, 2100.0)]).unwrap();
        assert_eq!(why_one, "measuring costs 2,100 ns an operation, 2.1 % of its latency; more than 2.0 % is too much");
        // A second of CPU for 100,000 operations: 10,000 ns each.
        assert_eq!(why(Pattern::ReadParallel, &[slice(0.0, 199.0)]), None);
        assert!(why(Pattern::ReadParallel, &[slice(0.0, 210.0)]).unwrap().contains("2.1 % of the CPU"));
    }

    #[test]
    fn nobody_is_blamed_without_an_account() {
        assert_eq!(why(Pattern::ReadLatency, &[Slice { effort: None, ..slice(9.0, 9e9) }]), None);
        assert_eq!(why(Pattern::ReadLatency, &[slice(0.0, 0.0)]), None);
    }
}
