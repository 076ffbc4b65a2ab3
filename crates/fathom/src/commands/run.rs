//! `fathom run`: sound the cluster, all layers.

use super::experiment::{experiment, refuse_senseless_scaling};
use crate::cli::Common;
use crate::cli::layers::RunArgs;
use crate::cli::run_options::RunOptions;
use crate::cli::workload::OwnNumbers;
use crate::run::{Outcome, Sounded, sound};
use experiments::{Request, Targets};
use model::{Failure, Layer};
use std::path::Path;

pub fn run(common: &Common, args: &RunArgs) -> Result<u8, Failure> {
    let all = if args.layers.is_empty() { Layer::ALL.to_vec() } else { args.layers.clone() };
    let mut layers: Vec<Layer> = Layer::ALL.into_iter().filter(|layer| all.contains(layer)).collect();
    layers.dedup();
    refuse_without_layer(args, &layers)?;
    if args.experiment.rate_max_where.is_some() {
        if let Some(other) = args.layers.iter().find(|layer| !layer.can().rate) {
            let text =
                format!("--rate-max-where: the {} layer knows no rate; device, osd, rados and rbd do", other.name());
            return Err(Failure::Usage(text));
        }
        layers.retain(|layer| layer.can().rate);
    }
    refuse_senseless_scaling(&args.experiment, &args.workload, &layers, false)?;
    let (experiment, goal) = experiment(common, &args.experiment, &args.workload, &layers)?;
    let own = OwnNumbers { sync: args.sync.sync, pgs: args.pgs.pgs, object_size: args.objects.object_size };
    let request = Request {
        layers,
        targets: Targets { pool: args.pool.clone(), paths: args.devices.clone(), ..Targets::default() },
        workload: own.onto(args.experiment.workload(&args.workload)),
        goal,
        experiment,
        quiesce: args.run.quiesce,
        thorough: false,
    };
    sound_and_print(common, &args.run, &request)
}

/// What only layers have that are not measured.
fn refuse_without_layer(args: &RunArgs, layers: &[Layer]) -> Result<(), Failure> {
    let having = |has: fn(Layer) -> bool| Layer::ALL.into_iter().filter(move |layer| has(*layer)).collect::<Vec<_>>();
    let (pools, paths) = (having(Layer::of_pools), having(Layer::of_paths));
    let objects = having(|layer| layer.can().objects);
    let senseless = [
        ("--pool", args.pool.is_some(), pools.clone()),
        ("--pgs", args.pgs.pgs.is_some(), pools),
        ("--object-size", args.objects.object_size.is_some(), objects),
        ("--sync", args.sync.sync.is_some(), paths.clone()),
        ("--device", !args.devices.is_empty(), paths),
    ];
    let idle = |own: &[Layer]| !own.iter().any(|layer| layers.contains(layer));
    match senseless.into_iter().find(|(_, given, own)| *given && idle(own)) {
        Some((option, _, own)) => Err(Failure::Usage(format!(
            "{option}: is of the {} layers, and this run measures none of them; leave it out, or name one in --layers",
            own.iter().map(|layer| layer.name()).collect::<Vec<_>>().join(" and ")
        ))),
        None => Ok(()),
    }
}

/// Every command that measures ends here.
pub fn sound_and_print(common: &Common, options: &RunOptions, request: &Request) -> Result<u8, Failure> {
    sound_and_print_warned(common, options, request, Vec::new())
}

/// The same, with what is to be known about the request.
pub fn sound_and_print_warned(
    common: &Common,
    options: &RunOptions,
    request: &Request,
    warnings: Vec<String>,
) -> Result<u8, Failure> {
    super::refuse_figures_of_a_plan(common, options.dry_run)?;
    options.report.as_deref().map_or(Ok(()), super::runs::prove_writable)?;
    let request = &crate::planner::ab::prepared(request)?;
    match sound(common, options, request, warnings)? {
        Outcome::Planned(plan) => {
            let seconds = experiments::duration::seconds_expected(&plan);
            super::print_plan(common, &plan, seconds)?;
            Ok(0)
        }
        Outcome::Sounded(sounded) => print_sounded(common, options.report.as_deref(), &sounded),
    }
}

pub fn print_sounded(common: &Common, report: Option<&Path>, sounded: &Sounded) -> Result<u8, Failure> {
    if sounded.interrupted && sounded.lasts && sounded.record.plan.sweep.is_some() {
        eprintln!("fathom: go on with: fathom sweep --resume {}", sounded.record.head.run);
    }
    if sounded.insisted {
        return Ok(super::exit_code(sounded));
    }
    super::print(common, &sounded.record, &sounded.report)?;
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
