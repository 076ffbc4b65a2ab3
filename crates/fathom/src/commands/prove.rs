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
        workload: WorkloadOptions { patterns, seed: args.seed, ..WorkloadOptions::default() },
        goal: Goal {
            settle: args.settle,
            passes_min: Goal::beside(args.seed).passes_min.min(args.passes),
            passes_max: args.passes,
            ..Goal::beside(args.seed)
        },
        experiment: Experiment::PairedComparison(args.change.clone()),
        quiesce: args.of.run.quiesce,
        thorough: false,
    };
    sound_and_print(common, &args.of.run, &request)
}

/// Those that were named, else the lowest that is a pool's.
fn layers(named: &[Layer]) -> Vec<Layer> {
    if named.is_empty() {
        Layer::ALL.into_iter().find(|layer| layer.of_pools()).into_iter().collect()
    } else {
        named.to_vec()
    }
}
