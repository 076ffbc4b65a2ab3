//! The commands of one layer each: `disk`, `network`, `floor`, `store`, `osd`, `rados`, `rbd`.

use super::run::sound_and_print;
use super::verdict::goal;
use crate::cli::Common;
use crate::cli::knobs::{DiskArgs, DiskCommand, Knobs, LayerArgs, OsdArgs, PoolArgs, SustainedArgs};
use crate::failure::Failure;
use crate::planner::{Sustain, Wishes};
use clap::Args;
use model::{Goal, Layer};

fn wishes<S: Args>(layer: Layer, args: &LayerArgs<S>, goal: Goal) -> Wishes {
    Wishes {
        layers: vec![layer],
        goal,
        knobs: args.knobs.clone(),
        pool: None,
        image: None,
        osds: Vec::new(),
        paths: Vec::new(),
        destroy: None,
        quiesce: args.ground.quiesce,
        thorough: true,
        alone: false,
        strict: false,
        batches: Vec::new(),
        axes: Vec::new(),
        sustained: None,
    }
}

pub fn disk_wishes<S: Args>(args: &DiskArgs<S>, goal: Goal) -> Result<Wishes, Failure> {
    if let Some(given_up) = args.destroy_data_on.as_ref().filter(|path| !args.paths.contains(path)) {
        let text = format!(
            "--destroy-data-on {}: is none of the paths to measure; name the same path twice",
            given_up.display()
        );
        return Err(Failure::Usage(text));
    }
    let wishes = wishes(Layer::Device, &args.layer, goal);
    Ok(Wishes { paths: args.paths.clone(), destroy: args.destroy_data_on.clone(), ..wishes })
}

pub fn osd_wishes<S: Args>(layer: Layer, args: &OsdArgs<S>, goal: Goal) -> Wishes {
    Wishes { osds: args.osds.clone(), alone: args.alone, ..wishes(layer, &args.layer, goal) }
}

pub fn pool_wishes<S: Args>(layer: Layer, args: &PoolArgs<S>, goal: Goal) -> Result<Wishes, Failure> {
    if args.image.is_some() && layer != Layer::Rbd {
        return Err(Failure::Usage("--image belongs to `fathom rbd`; objects have no images".to_string()));
    }
    Ok(Wishes { pool: args.pool.clone(), image: args.image.clone(), ..wishes(layer, &args.layer, goal) })
}

fn measure(
    common: &Common,
    layer: Layer,
    args: &LayerArgs,
    of: impl FnOnce(Goal) -> Result<Wishes, Failure>,
) -> Result<u8, Failure> {
    if args.knobs.open() && !Knobs::knows_rates(layer) {
        let text = format!(
            "--rate, --rate-max-where: the {} layer knows no rate; device, osd, rados and rbd do",
            layer.name()
        );
        return Err(Failure::Usage(text));
    }
    let goal = goal(common, &args.settle, &args.knobs, &[layer])?;
    let wishes = Wishes { strict: args.settle.verdict.is_some(), ..of(goal)? };
    sound_and_print(common, &args.ground, &wishes)
}

pub fn disk(common: &Common, args: &DiskCommand) -> Result<u8, Failure> {
    let sustained = sustain(&args.sustained, &args.disk.layer.knobs)?;
    measure(common, Layer::Device, &args.disk.layer, |goal| Ok(Wishes { sustained, ..disk_wishes(&args.disk, goal)? }))
}

/// The longest that it lasts, unless said otherwise.
const SUSTAINED_SECONDS: f64 = 15.0 * 60.0;

fn sustain(args: &SustainedArgs, knobs: &Knobs) -> Result<Option<Sustain>, Failure> {
    let alone = knobs.patterns.is_empty();
    let senseless = [
        ("--read-share", knobs.read_share.is_some()),
        ("--rate", knobs.rate.is_some()),
        ("--access", knobs.access.is_some()),
        ("--sync", knobs.sync.is_some()),
        ("--jobs", knobs.jobs.is_some()),
        ("--working-set", knobs.working_set.is_some()),
        ("--verify", knobs.verify),
    ];
    match senseless.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if args.sustained && alone => Err(Failure::Usage(format!(
            "{option}: --sustained writes large blocks one after the other, and nothing else; for figures beside it, name \
             their --patterns"
        ))),
        _ => {
            let seconds = args.most_time.unwrap_or(SUSTAINED_SECONDS);
            Ok(args.sustained.then_some(Sustain { seconds, volume: args.volume, alone }))
        }
    }
}

pub fn network(common: &Common, args: &LayerArgs) -> Result<u8, Failure> {
    measure(common, Layer::Network, args, |goal| Ok(wishes(Layer::Network, args, goal)))
}

pub fn floor(common: &Common, args: &DiskArgs) -> Result<u8, Failure> {
    measure(common, Layer::Floor, &args.layer, |goal| {
        Ok(Wishes { layers: vec![Layer::Floor], ..disk_wishes(args, goal)? })
    })
}

pub fn osds(common: &Common, layer: Layer, args: &OsdArgs) -> Result<u8, Failure> {
    measure(common, layer, &args.layer, |goal| Ok(osd_wishes(layer, args, goal)))
}

pub fn pool(common: &Common, layer: Layer, args: &PoolArgs) -> Result<u8, Failure> {
    measure(common, layer, &args.layer, |goal| pool_wishes(layer, args, goal))
}
