//! `fathom sweep`: one workload over lists of values; stopped, it goes on later where it was.

use super::layers::{disk_wishes, osd_wishes, pool_wishes};
use super::run::{print_sounded, sound_and_print};
use super::runs::prove_writable;
use crate::cli::Common;
use crate::cli::knobs::LayerArgs;
use crate::cli::sweep::{PaceArgs, SweepArgs, SweepLayer};
use crate::failure::Failure;
use crate::planner::Wishes;
use crate::sounding::{Again, again};
use model::Layer;

pub fn run(common: &Common, args: &SweepArgs) -> Result<u8, Failure> {
    match (&args.layer, &args.resume) {
        (Some(_), Some(run)) => Err(Failure::Usage(format!(
            "--resume {run}: the sweep is known already; leave out what stands behind it, or --resume for a new sweep"
        ))),
        (None, None) => Err(Failure::Usage(
            "say what to sweep (disk, osd, rados, rbd), or --resume RUN; see fathom sweep --help".to_string(),
        )),
        (Some(layer), None) => begin(common, layer),
        (None, Some(run)) => {
            args.report.as_deref().map_or(Ok(()), prove_writable)?;
            let wanted = Again { run, lab: args.lab.as_deref(), destroy: args.destroy_data_on.as_deref() };
            let sounded = again(common, &wanted)?;
            print_sounded(common, args.report.as_deref(), &sounded)
        }
    }
}

fn begin(common: &Common, layer: &SweepLayer) -> Result<u8, Failure> {
    match layer {
        SweepLayer::Disk(args) => measure(common, &args.layer, disk_wishes(args, goal(&args.layer))?),
        SweepLayer::Osd(args) => measure(common, &args.layer, osd_wishes(Layer::Osd, args, goal(&args.layer))),
        SweepLayer::Rados(args) => measure(common, &args.layer, pool_wishes(Layer::Rados, args, goal(&args.layer))?),
        SweepLayer::Rbd(args) => measure(common, &args.layer, pool_wishes(Layer::Rbd, args, goal(&args.layer))?),
    }
}

fn goal(args: &LayerArgs<PaceArgs>) -> model::Goal {
    args.settle.goal(args.knobs.seed)
}

fn measure(common: &Common, args: &LayerArgs<PaceArgs>, wishes: Wishes) -> Result<u8, Failure> {
    let wishes = Wishes { axes: args.settle.axes.clone(), ..wishes };
    sound_and_print(common, &args.ground, &wishes)
}
