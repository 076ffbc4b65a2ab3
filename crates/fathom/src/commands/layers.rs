//! The commands of one layer each: `disk`, `network`, `floor`, `store`, `osd`, `rados`, `rbd`.

use super::experiment::{experiment, refuse_senseless_scaling};
use super::run::sound_and_print;
use crate::cli::Common;
use crate::cli::layers::{DiskArgs, DiskCommand, LayerArgs, OsdArgs, PoolArgs, SustainedArgs};
use crate::cli::workload::WorkloadArgs;
use crate::failure::Failure;
use clap::Args;
use experiments::{Experiment, Request, Sustained, Targets, WorkloadOptions};
use model::Layer;

pub fn disk_targets<E: Args>(args: &DiskArgs<E>) -> Result<Targets, Failure> {
    if let Some(given_up) = args.destroy_data_on.as_ref().filter(|path| !args.paths.contains(path)) {
        let text = format!(
            "--destroy-data-on {}: is none of the paths to measure; name the same path twice",
            given_up.display()
        );
        return Err(Failure::Usage(text));
    }
    Ok(Targets { paths: args.paths.clone(), destroy_data_on: args.destroy_data_on.clone(), ..Targets::default() })
}

pub fn osd_targets<E: Args>(args: &OsdArgs<E>) -> Targets {
    Targets { osds: args.osds.clone(), each_alone: args.alone, ..Targets::default() }
}

pub fn pool_targets<E: Args>(layer: Layer, args: &PoolArgs<E>) -> Result<Targets, Failure> {
    if args.image.is_some() && layer != Layer::Rbd {
        return Err(Failure::Usage("--image belongs to `fathom rbd`; objects have no images".to_string()));
    }
    Ok(Targets { pool: args.pool.clone(), image: args.image.clone(), ..Targets::default() })
}

/// One layer, by any experiment but a sweep.
fn request(common: &Common, layer: Layer, args: &LayerArgs, targets: Targets) -> Result<Request, Failure> {
    if args.experiment.open_loop() && !WorkloadOptions::layer_has_rates(layer) {
        let text = format!(
            "--rate, --rate-max-where: the {} layer knows no rate; device, osd, rados and rbd do",
            layer.name()
        );
        return Err(Failure::Usage(text));
    }
    refuse_senseless_scaling(&args.experiment, &args.workload, &[layer], targets.image.is_some())?;
    let (experiment, goal) = experiment(common, &args.experiment, &args.workload, &[layer])?;
    Ok(Request {
        layers: vec![layer],
        targets,
        workload: args.experiment.workload(&args.workload),
        goal,
        experiment,
        quiesce: args.run.quiesce,
        thorough: true,
    })
}

fn measure(common: &Common, layer: Layer, args: &LayerArgs, targets: Targets) -> Result<u8, Failure> {
    sound_and_print(common, &args.run, &request(common, layer, args, targets)?)
}

pub fn disk(common: &Common, args: &DiskCommand) -> Result<u8, Failure> {
    let layer = &args.disk.layer;
    let mut request = request(common, Layer::Device, layer, disk_targets(&args.disk)?)?;
    if args.sustained.sustained {
        refuse_beside_sustained(layer)?;
        request.experiment = Experiment::SustainedWrites(sustained(&args.sustained, &layer.workload));
    }
    sound_and_print(common, &layer.run, &request)
}

/// The longest that it lasts, unless said otherwise.
const SUSTAINED_SECONDS: f64 = 15.0 * 60.0;

fn sustained(args: &SustainedArgs, workload: &WorkloadArgs) -> Sustained {
    let seconds = args.most_time.unwrap_or(SUSTAINED_SECONDS);
    Sustained { seconds, volume: args.volume, alone: workload.patterns.is_empty() }
}

/// Without patterns there is no survey that could have these.
fn refuse_beside_sustained(args: &LayerArgs) -> Result<(), Failure> {
    let workload = &args.workload;
    let senseless = [
        ("--read-share", workload.read_share.is_some()),
        ("--rate", args.experiment.rate.is_some()),
        ("--access", workload.access.is_some()),
        ("--sync", workload.sync.is_some()),
        ("--jobs", workload.jobs.is_some()),
        ("--working-set", workload.working_set.is_some()),
        ("--verify", args.experiment.verify),
    ];
    match senseless.into_iter().find(|(_, given)| *given && workload.patterns.is_empty()) {
        Some((option, _)) => Err(Failure::Usage(format!(
            "{option}: --sustained writes large blocks one after the other, and nothing else; for figures beside it, name \
             their --patterns"
        ))),
        None => Ok(()),
    }
}

pub fn network(common: &Common, args: &LayerArgs) -> Result<u8, Failure> {
    measure(common, Layer::Network, args, Targets::default())
}

pub fn floor(common: &Common, args: &DiskArgs) -> Result<u8, Failure> {
    measure(common, Layer::Floor, &args.layer, disk_targets(args)?)
}

pub fn osds(common: &Common, layer: Layer, args: &OsdArgs) -> Result<u8, Failure> {
    measure(common, layer, &args.layer, osd_targets(args))
}

pub fn pool(common: &Common, layer: Layer, args: &PoolArgs) -> Result<u8, Failure> {
    measure(common, layer, &args.layer, pool_targets(layer, args)?)
}
