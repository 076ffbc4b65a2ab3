//! `fathom diagnose`: a short survey, then what tells suspected causes from what only looks like them.

use super::run::{chosen_layers, sound_and_print, targets};
use crate::cli::Common;
use crate::cli::diagnose::DiagnoseArgs;
use experiments::{Experiment, Request, Targets, WorkloadOptions};
use model::{Failure, Goal, Layer};

pub fn run(common: &Common, args: &DiagnoseArgs) -> Result<u8, Failure> {
    let request = Request {
        layers: layers(args)?,
        all_layers: args.of.layers.is_empty() && args.image.is_none(),
        targets: Targets { image: args.image.clone(), ..targets(&args.of)? },
        workload: WorkloadOptions { seed: args.seed, ..WorkloadOptions::default() },
        goal: Goal::quick(args.seed),
        experiment: Experiment::Diagnosis { seconds_max: args.time_max },
        quiesce: args.of.run.quiesce,
        thorough: false,
        restarts: None,
        sets_twice: false,
    };
    sound_and_print(common, &args.of.run, &request)
}

/// Those that are named; of an image that is named, its own.
fn layers(args: &DiagnoseArgs) -> Result<Vec<Layer>, Failure> {
    let of_images: Vec<Layer> = Layer::ALL.into_iter().filter(|layer| layer.can().images).collect();
    match &args.image {
        Some(_) if args.of.layers.is_empty() => Ok(of_images),
        Some(image) if !args.of.layers.iter().any(|layer| of_images.contains(layer)) => {
            let names: Vec<&str> = of_images.iter().map(|layer| layer.name()).collect();
            Err(Failure::Usage(format!(
                "--image {image}: none of the layers that are named has images; add {} to --layers",
                names.join(" or ")
            )))
        }
        _ => Ok(chosen_layers(&args.of.layers)),
    }
}
