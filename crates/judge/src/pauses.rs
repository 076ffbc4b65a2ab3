//! Short slices in which nothing ended: the target stood still meanwhile, which is a part of its mean and no reason to leave it out.

use crate::figure::void_reason;
use crate::series::Ratio;
use model::{Slice, Step};

/// After this many such slices in a row at the end, the target is gone and did not just stand still for a moment.
const GONE: usize = 3;

/// Void slices and good ones. `ordered`: all of a figure, in order of time. `short`: short slices are taken of it.
pub fn sorted_out<'s>(step: &Step, ordered: &[&'s Slice], short: bool) -> (Vec<&'s Slice>, Vec<&'s Slice>) {
    let stood: Vec<bool> = ordered.iter().map(|slice| short && stood_still(step, slice)).collect();
    let last = stood.iter().rev().take_while(|stood| **stood).count();
    let spoke = ordered.iter().any(|slice| void_reason(slice).is_none());
    let here = if last >= GONE { ordered.len() - last } else { ordered.len() };
    let good = |at: usize| void_reason(ordered[at]).is_none() || (stood[at] && spoke && at < here);
    let (good, void): (Vec<usize>, Vec<usize>) = (0..ordered.len()).partition(|at| good(*at));
    let of = |places: Vec<usize>| places.into_iter().map(|at| ordered[at]).collect();
    (of(void), of(good))
}

/// Nothing ended in it, nothing failed, and nothing is known that explains it. In an open loop what is due is done later, and where the
/// other side tells its times, windows are silent until it does.
pub fn stood_still(step: &Step, slice: &Slice) -> bool {
    let silent = slice.samples.iter().all(|sample| sample.ops == 0 && sample.errors == 0);
    let timed = slice.samples.iter().all(|sample| sample.span_ns == slice.window_ns);
    let mixed = step.workload.mix.is_mixed();
    let known = slice.void.is_some() || slice.error.is_some() || step.workload.rate.is_some() || mixed;
    silent && timed && !known && !slice.counted().is_empty()
}

/// Operations that were in flight while it stood still: slower than any that ended.
pub fn held_up(step: &Step, slices: &[&Slice]) -> u64 {
    let each = |slice: &&&Slice| {
        let targets = if slice.target.is_none() { step.targets.len() as u64 } else { 1 };
        u64::from(step.workload.depth) * targets
    };
    slices.iter().filter(|slice| stood_still(step, slice)).map(|slice| each(&slice)).sum()
}

/// As [`Ratio::of`]; of one that stood still, all that was in flight waited for all of its time, and none of it ended.
pub fn ratio(step: &Step, slice: &Slice) -> Ratio {
    let mut ratio = Ratio::of(step, slice);
    if step.metric.lower_is_better() && stood_still(step, slice) {
        let targets = if slice.target.is_none() { step.targets.len().max(1) as f64 } else { 1.0 };
        ratio.over.iter_mut().for_each(|over| *over *= targets);
    }
    ratio
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::figure;
    use crate::testing::Chance;
    use crate::unseen::Asked;
    use model::clock::SECOND;
    use model::testing;
    use model::{Goal, Label, Latencies, OpClass, Pattern, Place, Sample, StepId, Target, Workload};

    const WINDOW: u64 = SECOND / 10;

    fn step(pattern: Pattern) -> Step {
        Step::new(
            0,
            testing::pools(),
            pattern,
            vec![Target::new(testing::pools(), "pool", Place::Null)],
            Workload::canonical(pattern, 1 << 30, 1),
        )
    }

    /// 1,000 operations a second, each of `ms`; none where it stands still.
    fn slice(pass: u32, windows: u32, stands: bool, ms: f64, chance: &mut Chance) -> Slice {
        let sample = |window| {
            let ops = if stands { 0 } else { (100.0 + 3.0 * chance.normal()) as u64 };
            let mut service = Latencies::default();
            (0..ops).for_each(|_| service.record((ms * 1e6) as u64));
            Sample { window, span_ns: WINDOW, ops, bytes: ops * 4096, service: service.take(), ..Sample::default() }
        };
        Slice {
            target: Some(0),
            started_seconds: f64::from(pass) * 5.0,
            warmup: if windows < 20 { 3 } else { 0 },
            ..testing::slice(StepId(0), pass, WINDOW, (0..windows).map(sample).collect())
        }
    }

    fn slices(stands: impl Fn(u32) -> bool) -> Vec<Slice> {
        let mut chance = Chance(5);
        (1..=40).map(|pass| slice(pass, if pass == 1 { 50 } else { 9 }, stands(pass), 1.0, &mut chance)).collect()
    }

    fn told(pattern: Pattern, slices: &[Slice]) -> model::Figure {
        let goal = Goal::usual(0.10, 60.0, 1);
        figure(&step(pattern), Some(0), OpClass::Read, &slices.iter().collect::<Vec<_>>(), &Asked::alone(&goal), 40).0
    }

    /// In a tenth of the time nothing is done: left out, the mean was 11 % too high, and its interval did not reach the truth.
    #[test]
    fn a_pause_that_a_slice_lies_within_is_part_of_the_mean() {
        let paused = slices(|pass| pass % 10 == 5);
        let rate = told(Pattern::ReadParallel, &paused).estimate.unwrap();
        assert!((rate.value / 900.0 - 1.0).abs() < 0.02 && rate.low < 850.0, "{rate:?}");
        let latency = told(Pattern::ReadLatency, &paused).estimate.unwrap();
        // Of ten slices nine have 600 operations of 1 ms, and in one an operation waits for 600 ms.
        assert!((latency.value / (6000.0 / 5400.0) - 1.0).abs() < 0.02 && latency.high > 1.15, "{latency:?}");
    }

    #[test]
    fn a_target_that_is_gone_is_void_and_so_is_one_that_never_spoke() {
        let gone = told(Pattern::ReadParallel, &slices(|pass| pass > 36));
        assert!(matches!(gone.label, Label::Void(_)), "{:?}", gone.label);
        let never = told(Pattern::ReadParallel, &slices(|_| true));
        assert!(matches!(never.label, Label::Void(_)), "{:?}", never.label);
        let at_the_end = told(Pattern::ReadParallel, &slices(|pass| pass == 40));
        assert!(at_the_end.estimate.is_some(), "{:?}", at_the_end.label);
    }
}
