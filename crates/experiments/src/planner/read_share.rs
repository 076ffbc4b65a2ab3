//! A pattern that is named keeps to its name, whatever share of reads is asked for.

use crate::Request;
use model::{Failure, OpClass, Pattern, Step};

/// Who names a pattern of reads expects that nothing is written, or less than is read; and figures carry its name.
pub fn refuse_another(request: &Request, steps: &[Step]) -> Result<(), Failure> {
    let named = |step: &&Step| request.workload.patterns.contains(&step.pattern) && step.pattern.kind().of_bytes();
    let contradicts = |step: &&Step| step.workload.mix.percent(step.pattern.kind()) < 50;
    let Some(step) = steps.iter().filter(named).find(contradicts) else { return Ok(()) };
    let other = match step.pattern.kind() {
        OpClass::Write => OpClass::Read,
        _ => OpClass::Write,
    };
    if request.workload.read_share.is_none() {
        return Err(Failure::Usage(format!(
            "--axis read-share: with {} % of reads it is not {}; leave --patterns out",
            step.workload.mix.percent(OpClass::Read),
            step.pattern.name()
        )));
    }
    Err(Failure::Usage(format!(
        "--read-share: with {} % of reads it is not {}; leave one of the two out, or name {}",
        step.workload.mix.percent(OpClass::Read),
        step.pattern.name(),
        Pattern::of(step.pattern.family(), other).name()
    )))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, axis};
    use super::*;
    use crate::{Experiment, WorkloadOptions};
    use model::{Layer, SweepAxis};

    fn planned(layer: Layer, pattern: Pattern, share: Option<u8>, axes: &[SweepAxis]) -> Result<(), String> {
        let mut inventory = testing::inventory(3);
        inventory.folders = vec![testing::folder("/mnt")];
        let mut request = testing::request(&[layer]);
        request.targets.folders = vec!["/mnt".into()];
        request.workload = WorkloadOptions { patterns: vec![pattern], read_share: share, ..WorkloadOptions::default() };
        if !axes.is_empty() {
            request.experiment = Experiment::Sweep { axes: axes.to_vec() };
        }
        crate::planner::plan(&inventory, &request).map(drop).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_pattern_is_refused_where_the_share_of_reads_contradicts_its_name() {
        for layer in [testing::pools(), testing::images(), testing::folders()] {
            let why = planned(layer, Pattern::ReadLatency, Some(0), &[]).unwrap_err();
            assert_eq!(
                why,
                "--read-share: with 0 % of reads it is not read-latency; leave one of the two out, or name write-latency"
            );
            assert!(planned(layer, Pattern::WriteLatency, Some(100), &[]).unwrap_err().contains("not write-latency"));
            for (pattern, share) in
                [(Pattern::ReadLatency, 50), (Pattern::WriteLinear, 50), (Pattern::ReadParallel, 70)]
            {
                assert_eq!(planned(layer, pattern, Some(share), &[]), Ok(()));
            }
        }
    }

    #[test]
    fn so_is_a_point_of_a_sweep() {
        let swept = |values: &str| planned(testing::pools(), Pattern::ReadLatency, None, &[axis(values)]);
        assert_eq!(
            swept("read-share=0,50").unwrap_err(),
            "--axis read-share: with 0 % of reads it is not read-latency; leave --patterns out"
        );
        assert_eq!(swept("read-share=50,100"), Ok(()));
    }
}
