//! A thread for each lane, and the caller's thread that collects their windows.

use super::effort::of_this_thread;
use super::overseer::{LaneEnd, Overseer};
use super::{DRAIN, LEAVE, Seat};
use crate::api::EngineError;
use crate::worker::{Cut, Lane};
use model::{Clock, Effort, Nanos, SliceEnd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Windows of one lane that may wait to be collected: a minute of them at the shortest useful length.
const BACKLOG: usize = 1200;

enum News {
    Windows { lane: usize, cuts: Vec<Cut>, first_error: Option<String> },
    Ended { lane: usize, end: LaneEnd },
}

pub fn run(
    seats: Vec<Seat>,
    clock: &Arc<dyn Clock>,
    start: Nanos,
    window_ns: Nanos,
    mut overseer: Overseer,
) -> Result<SliceEnd, EngineError> {
    let lanes = seats.len();
    let stop = Arc::new(AtomicBool::new(false));
    let (tell, news) = sync_channel(BACKLOG * lanes);
    for (index, seat) in seats.into_iter().enumerate() {
        let thread = Thread { index, clock: clock.clone(), start, stop: stop.clone(), tell: tell.clone() };
        let spawned =
            std::thread::Builder::new().name(format!("fathom-lane-{index}")).spawn(move || thread.live(seat.lane));
        if let Err(error) = spawned {
            stop.store(true, Ordering::Relaxed);
            let what = format!("thread {} of {lanes} could not be started: {error}; use fewer jobs", index + 1);
            return Err(EngineError::Broken(what));
        }
    }
    drop(tell);
    let left = watch(&news, &**clock, window_ns, lanes, &mut overseer);
    stop.store(true, Ordering::Relaxed);
    farewell(&news, &**clock, left, &mut overseer);
    Ok(overseer.end())
}

/// Collects windows until the slice has to end; returns how many threads live on.
fn watch(news: &Receiver<News>, clock: &dyn Clock, window_ns: Nanos, lanes: usize, overseer: &mut Overseer) -> usize {
    let mut left = lanes;
    while !overseer.stop() && left > 0 {
        match news.recv_timeout(Duration::from_nanos(window_ns)) {
            Ok(first) => {
                left -= std::iter::once(first).chain(news.try_iter()).map(|one| heard(one, overseer)).sum::<usize>()
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return 0,
        }
        overseer.look_for_stall(clock.now());
        overseer.ask(clock.now());
    }
    left
}

fn farewell(news: &Receiver<News>, clock: &dyn Clock, mut left: usize, overseer: &mut Overseer) {
    let deadline = clock.now() + LEAVE;
    while left > 0 {
        let timeout = Duration::from_nanos(deadline.saturating_sub(clock.now()));
        match news.recv_timeout(timeout) {
            Ok(one) => left -= heard(one, overseer),
            Err(_) => return,
        }
    }
}

/// 1 if a thread ended.
fn heard(news: News, overseer: &mut Overseer) -> usize {
    match news {
        News::Windows { lane, cuts, first_error } => {
            overseer.take(lane, cuts, first_error);
            0
        }
        News::Ended { lane, end } => {
            overseer.lane_ended(lane, end);
            1
        }
    }
}

struct Thread {
    index: usize,
    clock: Arc<dyn Clock>,
    start: Nanos,
    stop: Arc<AtomicBool>,
    tell: SyncSender<News>,
}

impl Thread {
    fn live(self, mut lane: Lane) {
        if lane.open_loop() {
            // What is due shall start then, not within the 50 µs by which the kernel bundles wake-ups.
            let _ = nix::sys::prctl::set_timerslack(1);
        }
        self.clock.wait_until(self.start);
        let began = of_this_thread();
        let broken = self.load(&mut lane);
        let (seconds, now) = (self.clock.now().saturating_sub(self.start) as f64 / 1e9, of_this_thread());
        if broken.is_none() {
            let deadline = self.clock.now() + DRAIN;
            while lane.drain(&*self.clock, deadline) {}
            if let Some(text) = lane.unanswered(self.clock.now()) {
                let _ = self.tell.send(News::Windows { lane: self.index, cuts: Vec::new(), first_error: Some(text) });
            }
        }
        let (longest, pages) = (lane.longest(), lane.empty_pages());
        // The session is closed before the slice ends: the next step may want the same device.
        drop(lane);
        let effort = Effort {
            seconds,
            cpu_seconds: now.cpu_seconds - began.cpu_seconds,
            queued_seconds: now.queued_seconds - began.queued_seconds,
            ..Effort::default()
        };
        // Nobody listens any more if this took too long.
        let _ = self.tell.send(News::Ended { lane: self.index, end: LaneEnd { broken, longest, effort, pages } });
    }

    /// Until it is to stop; why it broke off.
    fn load(&self, lane: &mut Lane) -> Option<EngineError> {
        while !self.stop.load(Ordering::Relaxed) {
            if let Err(error) = lane.turn(&*self.clock) {
                return Some(error);
            }
            if let Some(until) = lane.idle_until() {
                self.clock.wait_until(until);
            }
            if !lane.cuts.is_empty() {
                let (cuts, first_error) = (std::mem::take(&mut lane.cuts), lane.first_error.take());
                if self.tell.send(News::Windows { lane: self.index, cuts, first_error }).is_err() {
                    return None;
                }
            }
        }
        None
    }
}
