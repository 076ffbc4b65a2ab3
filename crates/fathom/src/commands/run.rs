//! `fathom run`: sound the cluster, all layers.

use super::experiment::{experiment, refuse_senseless_scaling, with_last_run};
use super::layers::{folders, tree};
use super::place;
use crate::cli::layers::{LayersArgs, RunArgs};
use crate::cli::run_options::RunOptions;
use crate::cli::workload::OwnNumbers;
use crate::cli::{Common, Format};
use crate::live::Live;
use ::run::{Interrupt, Prepared, Setup, Sounded};
use experiments::duration::seconds_expected;
use experiments::{Request, Targets, planner};
use model::{Failure, Layer, Plan, Subscriber, shell};
use std::path::Path;

pub fn run(common: &Common, args: &RunArgs) -> Result<u8, Failure> {
    let mut layers = chosen_layers(&args.of.layers);
    refuse_without_layer(args, &layers)?;
    let (figures, rates) = (&args.experiment.figures, &args.experiment.rates);
    if rates.rate_max_where.is_some() {
        if let Some(other) = args.of.layers.iter().find(|layer| !layer.can().rate) {
            let with: Vec<&str> =
                Layer::ALL.iter().filter(|layer| layer.can().rate).map(|layer| layer.name()).collect();
            let text = format!(
                "--rate-max-where: {} can't be loaded at a given rate; these can: {}",
                other.name(),
                with.join(", ")
            );
            return Err(Failure::Usage(text));
        }
        // Of gateways, file systems and guests only those that are meant: elsewhere all of them would have to be named.
        let meant = |layer: &Layer| !args.of.layers.is_empty() || !layer.has_doors();
        layers.retain(|layer| layer.can().rate && meant(layer));
    }
    refuse_senseless_scaling(figures, rates, &args.workload, &layers, false)?;
    let (experiment, goal) = experiment(common, figures, rates, &args.workload, &layers)?;
    let own = OwnNumbers {
        sync: args.sync.sync,
        pgs: args.pgs.pgs,
        object_size: args.objects.object_size,
        tree: tree(&args.tree),
        mix: None,
        objects: None,
        buckets: None,
        placement: None,
        part: None,
        sizes: None,
        delete_at_once: None,
    };
    let request = Request {
        layers,
        all_layers: args.of.layers.is_empty(),
        targets: targets(&args.of)?,
        workload: own.onto(rates.workload(&args.workload)),
        goal,
        experiment,
        quiesce: args.of.run.quiesce,
        thorough: false,
        restarts: None,
        sets_twice: false,
    };
    sound_and_print(common, &args.of.run, &request)
}

/// Those that were named, in their order, or all.
pub fn chosen_layers(named: &[Layer]) -> Vec<Layer> {
    Layer::ALL.into_iter().filter(|layer| named.is_empty() || named.contains(layer)).collect()
}

/// # Errors
/// The gateway that is named is none.
pub fn targets(args: &LayersArgs) -> Result<Targets, Failure> {
    // Keys of the environment may be of a service that nobody means here, unless its layer is named.
    let asked = args.layers.iter().any(|layer| layer.of_buckets()) && args.run.lab.is_none();
    let gateways = args.gateway.gateways(asked)?;
    let (pool, paths) = (args.pool.clone(), args.devices.clone());
    let ((folders, exports), cephfs) = (folders(&args.folders)?, args.cephfs.clone());
    let (swift, guest_paths) = (args.gateway.swift.is_some(), args.guest_disks.clone());
    Ok(Targets { pool, paths, folders, exports, cephfs, gateways, swift, guest_paths, ..Targets::default() })
}

/// What only layers have that are not measured.
fn refuse_without_layer(args: &RunArgs, layers: &[Layer]) -> Result<(), Failure> {
    let having = |has: fn(Layer) -> bool| Layer::ALL.into_iter().filter(move |layer| has(*layer)).collect::<Vec<_>>();
    let (pools, paths, buckets) = (having(Layer::of_pools), having(Layer::of_paths), having(Layer::of_buckets));
    let (objects, folders) = (having(|layer| layer.can().objects), having(Layer::of_folders));
    let guests = having(Layer::of_guests);
    let durable = [paths.clone(), folders.clone()].concat();
    let paths: Vec<Layer> = paths.into_iter().filter(|layer| !layer.of_guests()).collect();
    let senseless = [
        ("--pool", args.of.pool.is_some(), pools.clone()),
        ("--pgs", args.pgs.pgs.is_some(), pools),
        ("--object-size", args.objects.object_size.is_some(), objects),
        ("--sync", args.sync.sync.is_some(), durable),
        ("--device", !args.of.devices.is_empty(), paths),
        ("--folder", !args.of.folders.is_empty(), folders.clone()),
        ("--cephfs", args.of.cephfs.is_some(), folders.clone()),
        ("--tree", args.tree.tree.is_some(), folders.clone()),
        ("--shared-folders", args.tree.shared_folders, folders),
        ("--guest-disk", !args.of.guest_disks.is_empty(), guests),
        ("--s3-url", !args.of.gateway.s3_urls.is_empty(), buckets.clone()),
        ("--swift", args.of.gateway.swift.is_some(), buckets),
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
    sound_and_print_at(common, options, request, warnings, None)
}

/// `earlier`: where a run took place before, if that is not as the options say.
pub fn sound_and_print_at(
    common: &Common,
    options: &RunOptions,
    request: &Request,
    warnings: Vec<String>,
    earlier: Option<Setup<'static>>,
) -> Result<u8, Failure> {
    super::refuse_figures_of_a_plan(common, options.dry_run)?;
    options.report.as_deref().map_or(Ok(()), super::runs::prove_writable)?;
    let request = &planner::ab::prepared(request)?;
    match sound(common, options, request, warnings, earlier)? {
        Outcome::Planned(plan) => {
            super::print_plan(common, &plan, seconds_expected(&plan))?;
            Ok(0)
        }
        Outcome::Sounded(sounded) => print_sounded(common, options.report.as_deref(), &sounded),
    }
}

enum Outcome {
    Planned(Box<Plan>),
    Sounded(Box<Sounded>),
}

fn sound(
    common: &Common,
    options: &RunOptions,
    request: &Request,
    mut warnings: Vec<String>,
    earlier: Option<Setup<'static>>,
) -> Result<Outcome, Failure> {
    warnings.extend(place::not_loaded(options, request));
    let interrupt = Interrupt::listen()?;
    // A port that is taken is told before anything is done.
    let live = options.listen.filter(|_| !options.dry_run).map(Live::listen).transpose()?;
    let (setup, _own_lab) = match earlier {
        Some(setup) => (setup, None),
        None => place::of(common, options, Some(request))?,
    };
    let request = with_last_run(common, &setup, request)?;
    let request = request.as_ref();
    let prepared = Prepared::new(&setup, request)?;
    if options.dry_run {
        warnings.iter().chain(&prepared.warnings).for_each(|warning| eprintln!("warning: {warning}"));
        return Ok(Outcome::Planned(Box::new(prepared.plan)));
    }
    warn_of_hours(common, &prepared.plan);
    super::restore::offer(common, prepared.resolved.cluster.as_ref())?;
    let live = live.map(|live| Box::new(live) as Box<dyn Subscriber>);
    let subscribers = std::iter::once(super::progress(common)).chain(live).collect();
    let sink = prepared.begin(&super::archive(common), subscribers, warnings)?;
    Ok(Outcome::Sounded(Box::new(whole(common, prepared.measure(sink, &interrupt)?)?)))
}

/// A run that ended before its time is an error. What was measured and changed until then is told as a document where one is asked for.
pub fn whole(common: &Common, mut sounded: Sounded) -> Result<Sounded, Failure> {
    let Some(failure) = sounded.failure.take() else { return Ok(sounded) };
    if common.format != Format::Json || !matches!(failure, Failure::Failed(_)) {
        if sounded.report.figures.iter().any(|figure| figure.estimate.is_some()) && !common.quiet {
            eprintln!("what was measured until then: fathom show {}{}", sounded.record.head.run, in_archive(common));
        }
        return Err(failure);
    }
    let document = report::json::document(&sounded.report, &sounded.record);
    crate::output::say(&format!("{document:#}\n"))?;
    Err(Failure::Told(failure.to_string()))
}

/// For a command that finds the run again, where it is in another archive than the usual one.
fn in_archive(common: &Common) -> String {
    let other = common.archive.as_ref().map(|path| shell::word(&path.to_string_lossy()));
    other.map_or(String::new(), |path| format!(" --archive {path}"))
}

/// A run lasts minutes; only a sweep can be made so large without noticing.
const LONG_SECONDS: f64 = 3600.0;

fn warn_of_hours(common: &Common, plan: &Plan) {
    let seconds = seconds_expected(plan);
    if seconds > LONG_SECONDS && plan.experiment.sweep().is_some() && !common.quiet {
        eprintln!(
            "fathom: {} steps take about {}; Ctrl-C ends them in order, and what is missing can be measured later",
            plan.steps.len(),
            report::numbers::seconds(seconds)
        );
    }
}

pub fn print_sounded(common: &Common, report: Option<&Path>, sounded: &Sounded) -> Result<u8, Failure> {
    if sounded.interrupted && sounded.lasts && sounded.record.plan.experiment.sweep().is_some() {
        eprintln!("fathom: go on with: fathom sweep --resume {}{}", sounded.record.head.run, in_archive(common));
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
            let again = format!("fathom report {}{}", sounded.record.head.run, in_archive(common));
            eprintln!("fathom: {failure}; it is made again by: {again}");
            Ok(if code == 0 { failure.exit_code() } else { code })
        }
    }
}
