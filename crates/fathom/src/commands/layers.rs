//! The commands of one layer each: `disk`, `network`, `floor`, `store`, `osd`, `rados`, `rbd`.

use super::experiment::{experiment, refuse_senseless_scaling};
use super::run::sound_and_print;
use crate::cli::Common;
use crate::cli::layers::{
    DiskArgs, DiskCommand, LayerArgs, OsdArgs, PoolArgs, RadosArgs, RbdArgs, StoreArgs, SustainedArgs,
};
use crate::cli::workload::{OwnNumbers, WorkloadArgs};
use clap::Args;
use experiments::{Experiment, Request, Sustained, Targets};
use model::{Failure, Layer};

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

pub fn osd_targets<E: Args>(args: &StoreArgs<E>) -> Targets {
    Targets { osds: args.osds.clone(), each_alone: args.alone, ..Targets::default() }
}

pub fn pool_targets<E: Args>(args: &PoolArgs<E>, image: Option<&String>) -> Targets {
    Targets { pool: args.pool.clone(), image: image.cloned(), ..Targets::default() }
}

pub fn disk_numbers<E: Args>(args: &DiskArgs<E>) -> OwnNumbers {
    OwnNumbers { sync: args.sync.sync, ..OwnNumbers::default() }
}

pub fn osd_numbers<E: Args>(args: &OsdArgs<E>) -> OwnNumbers {
    OwnNumbers { object_size: args.objects.object_size, ..OwnNumbers::default() }
}

pub fn rados_numbers<E: Args>(args: &RadosArgs<E>) -> OwnNumbers {
    OwnNumbers { pgs: args.of.pgs.pgs, object_size: args.objects.object_size, ..OwnNumbers::default() }
}

pub fn rbd_numbers<E: Args>(args: &RbdArgs<E>) -> OwnNumbers {
    OwnNumbers { pgs: args.of.pgs.pgs, ..OwnNumbers::default() }
}

/// One layer, by any experiment but a sweep.
fn request(
    common: &Common,
    layer: Layer,
    args: &LayerArgs,
    targets: Targets,
    own: OwnNumbers,
) -> Result<Request, Failure> {
    if args.experiment.open_loop() && !layer.can().rate {
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
        workload: own.onto(args.experiment.workload(&args.workload)),
        goal,
        experiment,
        quiesce: args.run.quiesce,
        thorough: true,
    })
}

fn measure(common: &Common, layer: Layer, args: &LayerArgs, targets: Targets, own: OwnNumbers) -> Result<u8, Failure> {
    sound_and_print(common, &args.run, &request(common, layer, args, targets, own)?)
}

pub fn disk(common: &Common, args: &DiskCommand) -> Result<u8, Failure> {
    let layer = &args.disk.layer;
    let own = disk_numbers(&args.disk);
    let mut request = request(common, Layer::Device, layer, disk_targets(&args.disk)?, own)?;
    if args.sustained.sustained {
        refuse_beside_sustained(layer, own)?;
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
fn refuse_beside_sustained(args: &LayerArgs, own: OwnNumbers) -> Result<(), Failure> {
    let workload = &args.workload;
    let senseless = [
        ("--read-share", workload.read_share.is_some()),
        ("--rate", args.experiment.rate.is_some()),
        ("--access", workload.access.is_some()),
        ("--sync", own.sync.is_some()),
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
    measure(common, Layer::Network, args, Targets::default(), OwnNumbers::default())
}

pub fn floor(common: &Common, args: &DiskArgs) -> Result<u8, Failure> {
    measure(common, Layer::Floor, &args.layer, disk_targets(args)?, disk_numbers(args))
}

pub fn store(common: &Common, args: &StoreArgs) -> Result<u8, Failure> {
    measure(common, Layer::Store, &args.layer, osd_targets(args), OwnNumbers::default())
}

pub fn osd(common: &Common, args: &OsdArgs) -> Result<u8, Failure> {
    measure(common, Layer::Osd, &args.osds.layer, osd_targets(&args.osds), osd_numbers(args))
}

pub fn rados(common: &Common, args: &RadosArgs) -> Result<u8, Failure> {
    measure(common, Layer::Rados, &args.of.layer, pool_targets(&args.of, None), rados_numbers(args))
}

pub fn rbd(common: &Common, args: &RbdArgs) -> Result<u8, Failure> {
    measure(common, Layer::Rbd, &args.of.layer, pool_targets(&args.of, args.image.as_ref()), rbd_numbers(args))
}
