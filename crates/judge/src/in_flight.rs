//! Slices that end before what was in flight at their beginning: how many operations ended says little of how many do.

use crate::pooled::Pooled;
use crate::series::told;
use crate::words::{count, seconds};
use model::{Metric, Slice, Step};

/// Fewer operations ended in these slices than were in flight in a closed loop. They all began at once and end late and close
/// together: the target may have done next to nothing of the others, or nearly all.
pub struct InFlight {
    ended: u64,
    in_flight: u64,
    /// The length of all slices.
    seconds: f64,
    slices: usize,
}

/// Times of fewer operations than this have no interval: what windows without any are off by is nothing.
const TIMES_LEAST: u64 = 5;

/// `None`: every place was taken more than once and there are enough times, or the loop is open, or the target gives times of its own.
pub fn in_flight(step: &Step, slices: &[&Slice]) -> Option<InFlight> {
    let workload = &step.workload;
    let mixed = workload.mix.is_mixed();
    if mixed || workload.rate.is_some() || slices.iter().any(|slice| told(slice)) {
        return None;
    }
    let targets = |slice: &Slice| if slice.target.is_none() { step.targets.len() as u64 } else { 1 };
    let found = InFlight {
        ended: slices.iter().flat_map(|slice| &slice.samples).map(|sample| sample.ops + sample.errors).sum(),
        in_flight: slices.iter().map(|slice| u64::from(workload.depth) * targets(slice)).sum(),
        seconds: slices.iter().map(|slice| slice.seconds()).sum(),
        slices: slices.len(),
    };
    let few = step.metric.lower_is_better() && found.ended < TIMES_LEAST;
    (few || found.ended < found.in_flight).then_some(found)
}

impl InFlight {
    /// From what the windows say up to what would be if all in flight had just been about to end.
    pub fn widen(&self, step: &Step, pooled: Pooled) -> Pooled {
        let operations = (self.ended + self.in_flight) as f64 / self.seconds;
        let most = match step.metric {
            Metric::Bandwidth => operations * step.workload.mean_bytes() / 1e6,
            Metric::Iops => operations,
            // Of times it is only known that those still to come are longer.
            _ => return pooled,
        };
        let low = (pooled.value - pooled.half_width).max(0.0);
        let high = most.max(pooled.value + pooled.half_width);
        Pooled { value: (low + high) / 2.0, half_width: (high - low) / 2.0, ..pooled }
    }

    pub fn says(&self) -> String {
        if self.ended >= self.in_flight {
            let (ended, slices) =
                (count(self.ended as usize, "operation", "operations"), count(self.slices, "slice", "slices"));
            return format!(
                "only {ended} in {slices} of {}: too few times; measure longer",
                seconds(self.seconds / self.slices as f64)
            );
        }
        format!(
            "only {} operations ended in {} of {}, with {} in flight: what those would have taken is not known; measure \
             longer, or with fewer at once",
            self.ended,
            count(self.slices, "slice", "slices"),
            seconds(self.seconds / self.slices as f64),
            self.in_flight / self.slices as u64
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::figure::figure;
    use crate::unseen::Asked;
    use model::clock::SECOND;
    use model::testing;
    use model::{
        Figure, Goal, Label, Latencies, OpClass, Pattern, Place, Sample, Slice, Step, StepId, Target, Workload,
    };

    const WINDOW: u64 = SECOND / 10;

    fn linear(targets: u32) -> Step {
        let place = || Place::Pool { pool: "p".into(), prefix: "x".into() };
        Step::new(
            0,
            testing::pools(),
            Pattern::WriteLinear,
            (0..targets).map(|n| Target::new(testing::pools(), format!("t{n}"), place())).collect(),
            Workload::canonical(Pattern::WriteLinear, 1 << 30, 1),
        )
    }

    /// 9.8 s in which `ended` operations of 4 MiB ended, one in each of the last windows.
    fn slice(target: Option<u32>, pass: u32, ended: u32) -> Slice {
        let sample = |window: u32| {
            let ops = u64::from(window >= 98 - ended);
            let mut times = Latencies::default();
            (0..ops).for_each(|_| times.record(8 * SECOND));
            let service = times.take();
            let first_byte = Some(service.clone());
            Sample { window, span_ns: WINDOW, ops, bytes: ops << 22, service, first_byte, ..Sample::default() }
        };
        Slice {
            target,
            kind: OpClass::Write,
            started_seconds: f64::from(pass),
            ..testing::slice(StepId(0), pass, WINDOW, (0..98).map(sample).collect())
        }
    }

    fn of(step: &Step, target: Option<u32>, ended: u32) -> Figure {
        let slices = [slice(target, 1, ended), slice(target, 2, ended)];
        figure(step, target, OpClass::Write, &slices.each_ref(), &Asked::alone(&Goal::default()), 2).0
    }

    /// A disk held to 8 MB/s: 64 MiB are in flight and end after 8.4 s, so that of 9.8 s little more than one round is seen.
    #[test]
    fn what_is_still_in_flight_may_be_nearly_done() {
        let few = of(&linear(1), Some(0), 2);
        let estimate = few.estimate.unwrap();
        assert!((estimate.high - 18.0 * 4.194304 / 9.8).abs() < 1e-9 && estimate.low < 0.86, "{estimate:?}");
        let Label::Unsettled(why) = few.label else { panic!("{:?}", few.label) };
        assert!(why.starts_with("only 4 operations ended in 2 slices of 9.8 s, with 16 in flight"), "{why}");
        assert!(few.percentiles.is_empty() && few.first_byte.is_empty());
        let enough = of(&linear(1), Some(0), 40);
        assert!(!enough.percentiles.is_empty() && enough.first_byte == enough.percentiles);
    }

    /// A disk that took 7 s for each write was told to take 7.02 ms ±9 %, of one write.
    #[test]
    fn the_time_of_a_few_operations_has_no_interval() {
        let load = Workload::canonical(Pattern::WriteLatency, 1 << 30, 1);
        let disk = Target::new(testing::disks(), "d", Place::Null);
        let step = Step::new(0, testing::disks(), Pattern::WriteLatency, vec![disk], load);
        let timed = |ended: u32| {
            let mut slice = slice(Some(0), 1, ended);
            for sample in slice.samples.iter_mut().filter(|sample| sample.ops > 0) {
                (sample.service.count, sample.service.sum_ns) = (1, SECOND / 10);
            }
            figure(&step, Some(0), OpClass::Write, &[&slice], &Asked::alone(&Goal::default()), 1).0
        };
        let Label::Unsettled(why) = timed(1).label else { panic!("{:?}", timed(1).label) };
        assert_eq!(why, "only 1 operation in 1 slice of 9.8 s: too few times; measure longer");
        assert!(matches!(timed(4).label, Label::Unsettled(why) if why.contains("too few times")));
        assert!(!matches!(timed(5).label, Label::Unsettled(why) if why.contains("too few times")));
    }

    #[test]
    fn each_target_has_as_many_in_flight() {
        let open = |figure: Figure| matches!(figure.label, Label::Unsettled(why) if why.contains("in flight:"));
        assert!(open(of(&linear(1), Some(0), 15)) && !open(of(&linear(1), Some(0), 16)));
        assert!(open(of(&linear(3), None, 47)) && !open(of(&linear(3), None, 48)));
    }
}
