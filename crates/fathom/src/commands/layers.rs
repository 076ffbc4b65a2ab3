//! The commands of one layer each: `disk`, `network`, `store`, `osd`, `rados`, `rbd`.

use super::run::sound_and_print;
use super::verdict::goal;
use crate::cli::Common;
use crate::cli::knobs::{DiskArgs, Knobs, LayerArgs, OsdArgs, PoolArgs};
use crate::failure::Failure;
use crate::planner::Wishes;
use model::Layer;

fn wishes(common: &Common, layer: Layer, args: &LayerArgs) -> Result<Wishes, Failure> {
    if args.knobs.open() && !Knobs::knows_rates(layer) {
        let text = format!(
            "--rate, --rate-max-where: the {} layer knows no rate; device, osd, rados and rbd do",
            layer.name()
        );
        return Err(Failure::Usage(text));
    }
    let layers = vec![layer];
    let goal = goal(common, &args.settle, &args.knobs, &layers)?;
    Ok(Wishes {
        layers,
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
        strict: args.settle.verdict.is_some(),
        batches: Vec::new(),
    })
}

pub fn disk(common: &Common, args: &DiskArgs) -> Result<u8, Failure> {
    if let Some(given_up) = args.destroy_data_on.as_ref().filter(|path| !args.paths.contains(path)) {
        let text = format!(
            "--destroy-data-on {}: is none of the paths to measure; name the same path twice",
            given_up.display()
        );
        return Err(Failure::Usage(text));
    }
    let wishes = Wishes {
        paths: args.paths.clone(),
        destroy: args.destroy_data_on.clone(),
        ..wishes(common, Layer::Device, &args.layer)?
    };
    sound_and_print(common, &args.layer.ground, &wishes)
}

pub fn network(common: &Common, args: &LayerArgs) -> Result<u8, Failure> {
    sound_and_print(common, &args.ground, &wishes(common, Layer::Network, args)?)
}

pub fn osds(common: &Common, layer: Layer, args: &OsdArgs) -> Result<u8, Failure> {
    let wishes = Wishes { osds: args.osds.clone(), alone: args.alone, ..wishes(common, layer, &args.layer)? };
    sound_and_print(common, &args.layer.ground, &wishes)
}

pub fn pool(common: &Common, layer: Layer, args: &PoolArgs) -> Result<u8, Failure> {
    if args.image.is_some() && layer != Layer::Rbd {
        return Err(Failure::Usage("--image belongs to `fathom rbd`; objects have no images".to_string()));
    }
    let wishes = Wishes { pool: args.pool.clone(), image: args.image.clone(), ..wishes(common, layer, &args.layer)? };
    sound_and_print(common, &args.layer.ground, &wishes)
}
