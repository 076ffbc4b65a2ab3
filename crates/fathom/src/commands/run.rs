//! `fathom run`: sound the cluster, all layers.

use crate::cli::Common;
use crate::cli::knobs::{GroundArgs, Knobs, RunArgs};
use crate::failure::Failure;
use crate::planner::Wishes;
use crate::sounding::{Outcome, Sounded, sound};
use model::Layer;
use std::path::Path;

pub fn run(common: &Common, args: &RunArgs) -> Result<u8, Failure> {
    let all = if args.layers.is_empty() { Layer::ALL.to_vec() } else { args.layers.clone() };
    let mut layers: Vec<Layer> = Layer::ALL.into_iter().filter(|layer| all.contains(layer)).collect();
    layers.dedup();
    if args.knobs.rate_max_where.is_some() {
        if let Some(other) = args.layers.iter().find(|layer| !Knobs::knows_rates(**layer)) {
            let text =
                format!("--rate-max-where: the {} layer knows no rate; device, osd, rados and rbd do", other.name());
            return Err(Failure::Usage(text));
        }
        layers.retain(|layer| Knobs::knows_rates(*layer));
    }
    let goal = super::verdict::goal(common, &args.settle, &args.knobs, &layers)?;
    let wishes = Wishes {
        layers,
        goal,
        knobs: args.knobs.clone(),
        pool: args.pool.clone(),
        image: None,
        osds: Vec::new(),
        paths: args.devices.clone(),
        destroy: None,
        quiesce: args.ground.quiesce,
        thorough: false,
        alone: false,
        strict: args.settle.verdict.is_some(),
        batches: Vec::new(),
        axes: Vec::new(),
        sustained: None,
    };
    sound_and_print(common, &args.ground, &wishes)
}

/// Every command that measures ends here.
pub fn sound_and_print(common: &Common, ground: &GroundArgs, wishes: &Wishes) -> Result<u8, Failure> {
    sound_and_print_warned(common, ground, wishes, Vec::new())
}

/// The same, with what is to be known about the wishes.
pub fn sound_and_print_warned(
    common: &Common,
    ground: &GroundArgs,
    wishes: &Wishes,
    warnings: Vec<String>,
) -> Result<u8, Failure> {
    ground.report.as_deref().map_or(Ok(()), super::runs::prove_writable)?;
    let wishes = &crate::planner::ab::prepared(wishes)?;
    match sound(common, ground, wishes, warnings)? {
        Outcome::Planned(plan) => {
            let seconds = crate::planner::seconds_expected(&plan);
            crate::output::say(&faces::terminal::plan(&plan, seconds, &super::style()))?;
            Ok(0)
        }
        Outcome::Sounded(sounded) => print_sounded(common, ground.report.as_deref(), &sounded),
    }
}

pub fn print_sounded(common: &Common, report: Option<&Path>, sounded: &Sounded) -> Result<u8, Failure> {
    if sounded.interrupted && sounded.lasts && sounded.record.plan.sweep.is_some() {
        eprintln!("fathom: go on with: fathom sweep --resume {}", sounded.record.head.run);
    }
    if sounded.insisted {
        return Ok(super::exit_code(sounded));
    }
    super::print(common.format, &sounded.record, &sounded.report)?;
    let code = super::exit_code(sounded);
    let Some(path) = report else { return Ok(code) };
    match super::runs::write_report(path, &sounded.record, &sounded.report) {
        Ok(()) => {
            eprintln!("report: {}", path.display());
            Ok(code)
        }
        // The run is in the archive and has been told: what it found counts for more than this.
        Err(failure) => {
            eprintln!("fathom: {failure}; it is made again by: fathom report {}", sounded.record.head.run);
            Ok(if code == 0 { failure.exit_code() } else { code })
        }
    }
}
