//! `fathom diagnose`: a short survey, then what tells suspected causes from what only looks like them.

use super::run::{chosen_layers, sound_and_print, targets};
use crate::cli::Common;
use crate::cli::diagnose::DiagnoseArgs;
use experiments::{Experiment, Request, WorkloadOptions};
use model::{Failure, Goal};

pub fn run(common: &Common, args: &DiagnoseArgs) -> Result<u8, Failure> {
    let request = Request {
        layers: chosen_layers(&args.of.layers),
        targets: targets(&args.of),
        workload: WorkloadOptions { seed: args.seed, ..WorkloadOptions::default() },
        goal: Goal::quick(args.seed),
        experiment: Experiment::Diagnosis { seconds_max: args.time_max },
        quiesce: args.of.run.quiesce,
        thorough: false,
    };
    sound_and_print(common, &args.of.run, &request)
}
