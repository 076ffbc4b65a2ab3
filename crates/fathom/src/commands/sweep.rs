//! `fathom sweep`: one workload over lists of values; stopped, it goes on later where it was.

use super::layers::{OneLayer, of_disk, of_file, of_guest, of_object, of_osd, of_rados, of_rbd};
use super::place;
use super::restore::undo_left_by;
use super::run::{print_sounded, sound_and_print, whole};
use super::runs::prove_writable;
use crate::cli::Common;
use crate::cli::sweep::{SweepArgs, SweepCommand};
use ::run::{EventSink, Interrupt, Prepared, Sounded, again};
use archive::Archive;
use engines::clock::RealClock;
use experiments::passes::wanted;
use experiments::{Experiment, Request};
use model::{Event, Failure};
use std::path::PathBuf;
use std::sync::Arc;

pub fn run(common: &Common, args: &SweepArgs) -> Result<u8, Failure> {
    if let Some(layer) = &args.layer {
        return begin(common, layer);
    }
    args.report.as_deref().map_or(Ok(()), prove_writable)?;
    let sounded = resume(common, args, args.resume.as_deref().unwrap_or_default())?;
    print_sounded(common, args.report.as_deref(), &sounded)
}

/// Measures what is missing of a sweep that was stopped or killed: the same plan on the same cluster.
fn resume(common: &Common, args: &SweepArgs, run: &str) -> Result<Sounded, Failure> {
    let interrupt = Interrupt::listen()?;
    let path = super::archive(common);
    let archive = Archive::open_existing(&path)?;
    let record = archive.load(&archive.find_any(run)?)?;
    let run = record.head.run.clone();
    if record.plan.experiment.sweep().is_none() {
        return Err(Failure::Usage(format!("run {run} is no sweep: only a sweep can be taken up again")));
    }
    if !wanted::anything(&record.plan, &record) {
        eprintln!("fathom: run {run} has all its points; nothing was measured");
        let report = experiments::explain(&record);
        return Ok(Sounded { record, report, interrupted: false, insisted: false, lasts: true, failure: None });
    }
    let setup = place::of_earlier(common, &record, args.lab.as_deref(), &args.hosts)?;
    let mut prepared = Prepared::again(&setup, &record)?;
    undo_left_by(common, prepared.resolved.cluster.as_ref(), &run)?;
    let of_lab = setup.lab.iter().flat_map(|lab| lab.layout.guest_paths.clone());
    let destroy: Vec<PathBuf> = args.destroy_data_on.iter().cloned().chain(of_lab).collect();
    again::prove_paths(&prepared.plan, &destroy, &mut prepared.resolved)?;
    let differences = again::prove_cluster(&prepared.resolved, &record.scope, &prepared.plan)?;
    let mut sink = EventSink::again(&path, record, Arc::new(RealClock), vec![super::progress(common)])?;
    sink.tell(Event::Planned { plan: prepared.plan.clone() })?;
    differences.into_iter().try_for_each(|text| sink.tell(Event::Warned { text }))?;
    whole(common, prepared.measure(sink, &interrupt)?)
}

fn begin(common: &Common, layer: &SweepCommand) -> Result<u8, Failure> {
    let OneLayer { layer, targets, own, args } = match layer {
        SweepCommand::Disk(args) => of_disk(args)?,
        SweepCommand::Osd(args) => of_osd(args),
        SweepCommand::Rados(args) => of_rados(args),
        SweepCommand::Rbd(args) => of_rbd(args),
        SweepCommand::File(args) => of_file(args)?,
        SweepCommand::Object(args) => of_object(args)?,
        SweepCommand::Guest(args) => of_guest(args)?,
    };
    if args.workload.scales_out() {
        let text = "--clients auto: a sweep has numbers of clients: --axis clients=1,2,4";
        return Err(Failure::Usage(text.to_string()));
    }
    let request = Request {
        layers: vec![layer],
        all_layers: false,
        targets,
        workload: own.onto(args.workload.options()),
        goal: args.experiment.goal(args.workload.common.seed),
        experiment: Experiment::Sweep { axes: args.experiment.axes.clone() },
        quiesce: args.run.quiesce,
        thorough: true,
        restarts: None,
        sets_twice: false,
    };
    sound_and_print(common, &args.run, &request)
}
