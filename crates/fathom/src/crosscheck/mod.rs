//! Fathom against fio: the same load by both, in turns, until it is known whether they agree.

mod child;
mod contest;
mod fio;
mod job;
mod paired_loads;
mod placed;
mod request;
mod unusable;

pub use request::Check;

use crate::cli::Common;
use crate::cli::run_options::RunOptions;
use crate::planner;
use crate::run::{EventSink, Interrupt, Ready, Resolved, Rollback, changed, offer_restore};
use contest::Contest;
use engines::clock::RealClock;
use fio::Fio;
use model::{Crosscheck, Crosschecked, Ending, Event, Failure, Layer, Plan};
use std::sync::Arc;

/// What came of it.
pub enum Done {
    /// Nothing was loaded: the plan, and the seconds that it takes at least.
    Planned(Box<Plan>, f64),
    Checked(Box<Crosscheck>),
    /// A second Ctrl-C: nothing is wanted any more.
    Insisted,
}

pub fn run(common: &Common, check: &Check) -> Result<Done, Failure> {
    let interrupt = Interrupt::listen()?;
    refuse_haste(check)?;
    // Before anything is started or made.
    let fio = Fio::find()?;
    check.peer_engines().iter().try_for_each(|engine| fio.needs(engine))?;
    let options = RunOptions { lab: check.lab.clone(), dry_run: check.dry_run, ..RunOptions::default() };
    let resolved = Resolved::prepare(common, &options, &check.request)?;
    let mut plan = planner::plan(&resolved.inventory, &check.request)?;
    let pairs = paired_loads::set_up(&mut plan, check)?;
    // With what fio needs of its own.
    planner::refuse_in_pools(&resolved.inventory, &plan)?;
    pairs.iter().try_for_each(|pair| fio.needs(&pair.their_engine))?;
    if check.dry_run {
        return Ok(Done::Planned(Box::new(plan), contest::seconds_least(check, pairs.len())));
    }
    offer_restore(common, &resolved)?;
    let mut sink = EventSink::shown(common, Arc::new(RealClock));
    let mut rows = Vec::new();
    let outcome = changed(
        &resolved,
        &plan,
        &mut sink,
        &interrupt,
        &mut |ready: &Ready, _: &mut Rollback, sink: &mut EventSink| {
            if !ready.health.asked_to_end() {
                paired_loads::without_cache(&pairs, ready)?;
            }
            let access = resolved.cluster.as_ref().map(|cluster| &cluster.access);
            rows = Contest { check, fio: &fio, access, ready }.hold(&pairs, sink)?;
            Ok(())
        },
    );
    let seconds = sink.seconds();
    sink.tell(Event::RunFinished { seconds, ending: Ending::Done })?;
    outcome?;
    if interrupt.insisted() {
        return Ok(Done::Insisted);
    }
    refuse_nothing(&rows)?;
    let found = Crosscheck {
        started: resolved.head().started.clone(),
        seconds,
        rows,
        interrupted: interrupt.asked(),
        ..head(check, &fio)
    };
    Ok(Done::Checked(Box::new(found)))
}

/// Without a pair nothing is known.
fn refuse_haste(check: &Check) -> Result<(), Failure> {
    let least = contest::pair_seconds(check);
    if check.time_max >= least {
        return Ok(());
    }
    let (most, least) = (report::numbers::seconds(check.time_max), report::numbers::seconds(least));
    Err(Failure::Usage(format!(
        "--time-max: one pair of loads takes about {least}, more than {most}; give it more time, or shorten --front and --duration"
    )))
}

/// What is known before anything is loaded.
fn head(check: &Check, fio: &Fio) -> Crosscheck {
    Crosscheck {
        version: env!("CARGO_PKG_VERSION").to_string(),
        peer: fio.version.clone(),
        started: String::new(),
        seconds: 0.0,
        front_seconds: check.front,
        load_seconds: check.seconds,
        rows: Vec::new(),
        notes: notes(check),
        interrupted: false,
    }
}

/// Where not even one pair came about, the first reason is the error.
fn refuse_nothing(rows: &[Crosschecked]) -> Result<(), Failure> {
    let nothing = rows.iter().all(|row| row.pairs.is_empty());
    match rows.iter().find_map(|row| row.why.clone()).filter(|_| nothing) {
        Some(why) => Err(Failure::Failed(why)),
        None => Ok(()),
    }
}

fn notes(check: &Check) -> Vec<String> {
    let note = match check.layer() {
        Layer::Rbd => {
            "Each program has images of its own, of the same size in the same pool, filled beforehand; librbd's cache is off on both \
             sides."
        }
        Layer::Rados => {
            "Each program has objects of its own, of the same number and size in the same pool; where fio \
             deletes its objects at its end, those of both are written anew."
        }
        _ => "Both load the same bytes of the same target, filled beforehand if it may be written to.",
    };
    vec![note.to_string()]
}
