//! A sweep that was stopped or killed goes on: the same plan on the same inventory, for what is missing.

use super::event_sink::EventSink;
use super::interrupt::Interrupt;
use super::{Resolved, Sounded, carry_out};
use crate::cli::Common;
use crate::commands::restore;
use crate::dirs;
use agents::holding::Held;
use archive::Archive;
use cluster::devices::look_at;
use cluster::journal::pending::{self, Pending};
use engines::clock::RealClock;
use experiments::passes::wanted;
use model::{Change, Event, Failure, Found, Place, Plan};
use std::path::Path;
use std::sync::Arc;

pub struct Again<'a> {
    /// Id of the run, its beginning, or `last`.
    pub run: &'a str,
    pub lab: Option<&'a str>,
    /// A device that may be written to although it is not empty any more.
    pub destroy: Option<&'a Path>,
}

pub fn again(common: &Common, wish: &Again) -> Result<Sounded, Failure> {
    let interrupt = Interrupt::listen()?;
    let path = common.archive.clone().unwrap_or_else(archive::default_path);
    let archive = Archive::open_existing(&path)?;
    let record = archive.load(&archive.find_any(wish.run)?)?;
    let run = record.head.run.clone();
    if record.plan.sweep.is_none() {
        return Err(Failure::Usage(format!("run {run} is no sweep: only a sweep can be taken up again")));
    }
    if !wanted::anything(&record.plan, &record) {
        eprintln!("fathom: run {run} has all its points; nothing was measured");
        let report = judge::explain(&record);
        return Ok(Sounded { record, report, interrupted: false, insisted: false, lasts: true });
    }
    let resolved = Resolved::again(common, &record, wish.lab)?;
    undo_what_is_left(common, &resolved, &run)?;
    prove_paths(&record.plan, wish.destroy, &resolved.inventory.held)?;
    let plan = record.plan.clone();
    let mut sink = EventSink::again(common, record, Arc::new(RealClock))?;
    sink.tell(Event::Planned { plan: plan.clone() })?;
    carry_out(common, &resolved, &plan, sink, &interrupt)
}

/// After a kill the run's pools, images and files are still there; they are made anew, so that the plan's names are free.
fn undo_what_is_left(common: &Common, resolved: &Resolved, run: &str) -> Result<(), Failure> {
    let folder = dirs::journals();
    let found = pending::find(&folder, resolved.cluster.as_ref());
    let left: Vec<Pending> = found.left.iter().filter(|pending| pending.head.run == run).cloned().collect();
    restore::undo(common, resolved.cluster.as_ref(), &found, &left, false)?;
    match folder.join(format!("{run}.journal")).exists() {
        true => Err(Failure::Usage(format!("run {run} is still going on; it ends with Ctrl-C where it runs"))),
        false => Ok(()),
    }
}

/// Every path is looked at again: minutes or months lie between.
fn prove_paths(plan: &Plan, destroy: Option<&Path>, held: &Held) -> Result<(), Failure> {
    let made =
        |path: &Path| plan.changes.iter().any(|change| matches!(change, Change::File { path: own, .. } if own == path));
    for step in &plan.steps {
        for target in &step.targets {
            let Place::Path { path, writable } = &target.place else { continue };
            if made(path) {
                continue;
            }
            let least = step.workload.span.max(step.workload.spread.unwrap_or(0));
            match look_at(path)? {
                Found::Device(bytes) | Found::File(bytes) if bytes >= least => {}
                _ => return Err(Failure::Failed(format!("{}: is not there any more, or smaller", path.display()))),
            }
            if *writable {
                held.take(path, destroy == Some(path))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_looked_at_again_before_it_is_written_to() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7u8; 1 << 20]).unwrap();
        let place = |writable| Place::Path { path: file.path().to_path_buf(), writable };
        let plan = |writable, span| {
            let workload = model::Workload::canonical(model::Pattern::ReadParallel, span, 1);
            let target = model::Target::new(model::Layer::Device, "x", place(writable));
            let step = model::Step {
                id: model::StepId(0),
                layer: model::Layer::Device,
                pattern: model::Pattern::ReadParallel,
                targets: vec![target],
                workload,
                metric: model::Metric::Iops,
                chart: false,
                apart: false,
            };
            Plan { steps: vec![step], ..Plan::default() }
        };
        assert!(prove_paths(&plan(false, 1 << 20), None, &Held::default()).is_ok());
        assert!(prove_paths(&plan(true, 1 << 20), Some(file.path()), &Held::default()).is_ok());
        assert!(matches!(prove_paths(&plan(true, 1 << 20), None, &Held::default()), Err(Failure::Refused(_))));
        assert!(matches!(prove_paths(&plan(false, 2 << 20), None, &Held::default()), Err(Failure::Failed(_))));
    }
}
