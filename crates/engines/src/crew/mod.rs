//! A crew loads all targets of a step at once for one slice: a lane per target and job, with a common start.

mod board;
mod effort;
mod held_up;
mod overseer;
mod rota;
mod threads;
mod turns;

use crate::api::{Context, Engine, EngineError};
use crate::schedule::Schedule;
use crate::tally::CountedTime;
use crate::worker::Lane;
use model::clock::{MILLISECOND, SECOND};
use model::{Clock, Nanos, SliceEnd, Step, WindowSet, Workload};
use overseer::Overseer;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    GoOn,
    Stop,
}

/// Operations that take long hold windows back: the receiver of the windows is then asked this often whether to go on, with
/// [`no_window`].
pub const ASK_EVERY: Nanos = SECOND;
/// After this time without a completion, with operations in flight, no more is expected.
const STALL: Nanos = 10 * SECOND;
/// The same where a completion is a whole bench of the other side.
const STALL_TOLD: Nanos = 60 * SECOND;
/// How long lanes wait for their operations in flight when a slice ends.
const DRAIN: Nanos = 3 * SECOND;
/// How long a slice waits for its threads at the end: for their drain, and for closing what they opened. A thread that
/// takes longer (its disk is gone) is left behind; it ends by itself when the kernel lets go of it.
pub const LEAVE: Nanos = DRAIN + 7 * SECOND;

/// A window set without samples, which only asks whether to go on. Its number is that of the last window that has ended by now.
pub fn no_window(start: Nanos, window_ns: Nanos, now: Nanos) -> WindowSet {
    let ended = now.saturating_sub(start) / window_ns.max(1);
    WindowSet { window: u32::try_from(ended.saturating_sub(1)).unwrap_or(u32::MAX), samples: Vec::new() }
}

/// A lane, and whose.
struct Seat {
    target: u32,
    lane: Lane,
}

/// Runs one slice of `step` until `on_window` says stop, the engine breaks, or nothing completes any more. Windows come
/// in order, each once all lanes have finished it; while they wait, sets without samples (see [`ASK_EVERY`]).
///
/// # Errors
/// A session could not be opened: nothing was loaded.
pub fn run_slice(
    engine: &dyn Engine,
    context: &Context,
    clock: &Arc<dyn Clock>,
    step: &Step,
    window_ns: Nanos,
    on_window: &mut dyn FnMut(&WindowSet) -> Flow,
) -> Result<SliceEnd, EngineError> {
    Opened::open(engine, context, step)?.run(clock, window_ns, None, on_window)
}

/// A slice whose sessions are open, so that it can start at an instant that was agreed upon.
pub struct Opened<'a> {
    engine: &'a dyn Engine,
    step: &'a Step,
    sessions: Vec<(u32, u32, Box<dyn crate::api::Session>)>,
}

impl<'a> Opened<'a> {
    /// # Errors
    /// A session could not be opened, or there is nothing to load.
    pub fn open(engine: &'a dyn Engine, context: &Context, step: &'a Step) -> Result<Opened<'a>, EngineError> {
        // What is open already is closed in order if a further one can't be opened.
        let mut opened = Opened { engine, step, sessions: Vec::new() };
        for (index, target) in step.targets.iter().enumerate() {
            let workload = step.workload.of_target(&target.name);
            for lane in (0..workload.jobs.max(1)).filter(|lane| workload.lane_depth(*lane) > 0) {
                opened.sessions.push((index as u32, lane, engine.open(context, target, &workload, lane)?));
            }
        }
        if opened.sessions.is_empty() {
            return Err(EngineError::Refused("there is nothing to load: no target, or a depth of 0".into()));
        }
        Ok(opened)
    }

    /// `start`: when the first window begins; `None`: as soon as all threads are up. If it is past already, the windows are counted
    /// from there all the same, and the first ones are empty: others count from there, too.
    ///
    /// # Errors
    /// A thread could not be started.
    pub fn run(
        mut self,
        clock: &Arc<dyn Clock>,
        window_ns: Nanos,
        start: Option<Nanos>,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let (engine, step, sessions) = (self.engine, self.step, std::mem::take(&mut self.sessions));
        let window_ns = window_ns.max(MILLISECOND);
        // Time for all threads to come up; simulated lanes need none.
        let lead = if engine.simulated() { 0 } else { MILLISECOND + 100_000 * sessions.len() as Nanos };
        let start = start.unwrap_or_else(|| clock.now() + lead);
        let span = if engine.times_itself() { CountedTime::Told } else { CountedTime::Window(window_ns) };
        let own: Vec<Workload> = step.targets.iter().map(|target| step.workload.of_target(&target.name)).collect();
        let schedules: Vec<Schedule> = own.iter().map(|load| Schedule::new(load, start)).collect();
        let seat = |(target, lane, session)| {
            let (load, due) = (&own[target as usize], schedules[target as usize].of_lane(lane));
            Seat { target, lane: Lane::new(session, (load, lane), due, span, window_ns, start) }
        };
        let seats: Vec<Seat> = sessions.into_iter().map(seat).collect();
        let targets = seats.iter().map(|seat| seat.target).collect();
        let stall = if engine.times_itself() { STALL_TOLD } else { STALL };
        let overseer = Overseer::new(targets, start, window_ns, stall, on_window);
        if engine.simulated() {
            return Ok(turns::run(seats, &**clock, overseer));
        }
        if step.in_turns {
            return Ok(rota::run(seats, &**clock, start, step.workload.seed, overseer));
        }
        threads::run(seats, clock, start, window_ns, overseer)
    }
}

/// Sessions that are not run, since another could not be opened, are closed by a thread of their own: a session may delete files as
/// it closes, and is left behind if its file system does not answer.
impl Drop for Opened<'_> {
    fn drop(&mut self) {
        let sessions = std::mem::take(&mut self.sessions);
        if sessions.is_empty() {
            return;
        }
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let close = move || {
            drop(sessions);
            // Nobody waits any more if it took too long.
            let _ = tell.send(());
        };
        if std::thread::Builder::new().name("fathom-close".to_string()).spawn(close).is_ok() {
            let _ = told.recv_timeout(std::time::Duration::from_nanos(STALL));
        }
    }
}

#[cfg(test)]
mod tests;
