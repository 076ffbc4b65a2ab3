//! `fathom prove`: what a change would bring, in turns with how it is now, and then put back.

use super::run::{sound_and_print, targets};
use crate::cli::Common;
use crate::cli::prove::ProveArgs;
use experiments::{Experiment, Request, WorkloadOptions};
use model::{Failure, Goal, Layer, Pattern};

/// Where a change of OSDs shows, with one in flight and with many.
const PATTERNS: [Pattern; 4] =
    [Pattern::WriteLatency, Pattern::ReadLatency, Pattern::WriteParallel, Pattern::ReadParallel];

pub fn run(common: &Common, args: &ProveArgs) -> Result<u8, Failure> {
    let patterns = if args.patterns.is_empty() { PATTERNS.to_vec() } else { args.patterns.clone() };
    let request = Request {
        layers: layers(&args.of.layers),
        targets: targets(&args.of),
        workload: WorkloadOptions {
            patterns,
            working_set: args.working_set,
            seed: args.seed,
            ..WorkloadOptions::default()
        },
        goal: goal(args),
        experiment: Experiment::PairedComparison(args.change.clone()),
        quiesce: args.of.run.quiesce,
        thorough: false,
        restarts: Some(args.restart.clone()),
    };
    sound_and_print(common, &args.of.run, &request)
}

fn goal(args: &ProveArgs) -> Goal {
    let usual = Goal::beside(args.seed);
    Goal {
        settle: args.settle,
        passes_min: usual.passes_min.min(args.passes),
        passes_max: args.passes,
        read_slice_seconds: args.duration.unwrap_or(usual.read_slice_seconds),
        write_slice_seconds: args.duration.unwrap_or(usual.write_slice_seconds),
        fixed: args.duration.is_some(),
        window_ms: if args.duration.is_some_and(|seconds| seconds < 6.4) { 50 } else { usual.window_ms },
        ..usual
    }
}

/// Those that were named, else the lowest that is a pool's.
fn layers(named: &[Layer]) -> Vec<Layer> {
    if named.is_empty() {
        Layer::ALL.into_iter().find(|layer| layer.of_pools()).into_iter().collect()
    } else {
        named.to_vec()
    }
}
