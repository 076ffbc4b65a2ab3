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

use crate::{EventSink, Interrupt, Ready, Resolved, Rollback, Setup, changed, prove};
use contest::Contest;
use engines::clock::RealClock;
use experiments::planner;
use fio::Fio;
use model::units::seconds as shown;
use model::{Crosscheck, Crosschecked, Ending, Event, Failure, Plan, Subscriber};
use paired_loads::PairedLoads;
use std::sync::Arc;

/// What will be loaded, by both. Nothing was changed yet.
pub struct PreparedCheck<'a> {
    check: &'a Check,
    fio: Fio,
    pub resolved: Resolved,
    pub plan: Plan,
    pairs: Vec<PairedLoads>,
}

impl<'a> PreparedCheck<'a> {
    /// What needs neither cluster nor lab to be known.
    ///
    /// # Errors
    /// There is no time for one pair of loads, or this host's fio can't do its part.
    pub fn prove(check: &Check) -> Result<(), Failure> {
        refuse_haste(check)?;
        let fio = Fio::find()?;
        check.peer_engines().iter().try_for_each(|engine| fio.needs(engine))
    }

    pub fn new(setup: &Setup, check: &'a Check) -> Result<PreparedCheck<'a>, Failure> {
        let fio = Fio::find()?;
        let resolved = Resolved::prepare(setup, &check.request)?;
        let mut plan = planner::plan(&resolved.inventory, &check.request)?;
        prove::engines(&plan)?;
        let pairs = paired_loads::set_up(&mut plan, check)?;
        // With what fio needs of its own.
        planner::refuse_in_pools(&resolved.inventory, &plan)?;
        pairs.iter().try_for_each(|pair| fio.needs(&pair.their_engine))?;
        Ok(PreparedCheck { check, fio, resolved, plan, pairs })
    }

    pub fn seconds_least(&self) -> f64 {
        contest::seconds_least(self.check, self.pairs.len())
    }

    /// `None`: nothing is wanted any more (a second Ctrl-C).
    pub fn hold(&self, progress: Box<dyn Subscriber>, interrupt: &Interrupt) -> Result<Option<Crosscheck>, Failure> {
        let PreparedCheck { check, fio, resolved, plan, pairs } = self;
        let mut sink = EventSink::shown(progress, Arc::new(RealClock));
        let mut rows = Vec::new();
        let outcome = changed(
            resolved,
            plan,
            &mut sink,
            interrupt,
            &mut |ready: &Ready, _: &mut Rollback, sink: &mut EventSink| {
                if !ready.health.asked_to_end() {
                    paired_loads::without_cache(pairs, ready)?;
                }
                let access = resolved.cluster.as_ref().map(|cluster| &cluster.access);
                rows = Contest { check, fio, access, ready }.hold(pairs, sink)?;
                Ok(())
            },
        );
        let seconds = sink.seconds();
        sink.tell(Event::RunFinished { seconds, ending: Ending::Done })?;
        outcome?;
        if interrupt.insisted() {
            return Ok(None);
        }
        refuse_nothing(&rows)?;
        let (started, interrupted) = (resolved.head().started.clone(), interrupt.asked());
        Ok(Some(Crosscheck { started, seconds, rows, interrupted, ..head(check, fio) }))
    }
}

/// Without a pair nothing is known.
fn refuse_haste(check: &Check) -> Result<(), Failure> {
    let least = contest::pair_seconds(check);
    if check.time_max >= least {
        return Ok(());
    }
    let (most, least) = (shown(check.time_max), shown(least));
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
    let can = check.layer.can();
    let note = match (can.images, can.objects) {
        (true, _) => {
            "Each program has images of its own, of the same size in the same pool, filled beforehand; librbd's cache is off on both \
             sides."
        }
        (_, true) => {
            "Each program has objects of its own, of the same number and size in the same pool; where fio \
             deletes its objects at its end, those of both are written anew."
        }
        _ => "Both load the same bytes of the same target, filled beforehand if it may be written to.",
    };
    vec![note.to_string()]
}
