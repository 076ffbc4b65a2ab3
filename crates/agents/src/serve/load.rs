//! One slice of an agent: its sessions are opened, it starts at the agreed instant, and it tells each window as it ends.

use crate::host::{LocalHost, Start};
use crate::loader::{Checks, Loader};
use crate::{AgentEvent, Preparation};
use engines::EngineError;
use engines::crew::Flow;
use model::clock::SECOND;
use model::{Bytes, Nanos, SliceEnd, Step, WindowSet};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub struct Loading {
    pub slice: u64,
    stop: Arc<AtomicBool>,
    starts: Sender<Nanos>,
    thread: Option<JoinHandle<()>>,
}

/// The least time between two reports of how much is filled.
const TOLD: Duration = Duration::from_millis(200);

impl Loading {
    /// Opens the step's sessions in a thread of its own, so that commands are read meanwhile.
    /// `most`: at most this many bytes are written to each target.
    pub fn open(load: Load, most: Option<Bytes>) -> Loading {
        Loading::spawn(load, move |load, start| load.live(start, most))
    }

    /// Makes its targets ready.
    pub fn prepare(load: Load, how: Preparation) -> Loading {
        Loading::spawn(load, move |load, _| load.prepare(how))
    }

    /// Reads back what the slice wrote, and tells what was verified. `run_started`: as this host's clock shows it.
    pub fn verify(load: Load, limit: Duration, run_started: Nanos) -> Loading {
        Loading::spawn(load, move |load, _| load.verify(limit, run_started))
    }

    fn spawn(load: Load, work: impl FnOnce(&Load, &Receiver<Nanos>) + Send + 'static) -> Loading {
        let (slice, stop) = (load.slice, load.stop.clone());
        let (starts, start) = channel();
        let thread = std::thread::Builder::new().name("fathom-slice".into()).spawn(move || work(&load, &start)).ok();
        Loading { slice, stop, starts, thread }
    }

    pub fn start(&self, at: Nanos) {
        let _ = self.starts.send(at);
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the thread if it still waits for the start.
        let _ = self.starts.send(0);
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub struct Load {
    pub slice: u64,
    pub step: Step,
    pub window_ns: Nanos,
    pub host: LocalHost<'static>,
    pub tell: SyncSender<AgentEvent>,
    pub stop: Arc<AtomicBool>,
}

impl Load {
    fn live(&self, starts: &Receiver<Nanos>, most: Option<Bytes>) {
        let (slice, opened) = (self.slice, Cell::new(false));
        let mut start = || {
            opened.set(true);
            let _ = self.tell.send(AgentEvent::Ready { slice, error: None });
            match starts.recv() {
                Ok(at) if !self.stopped() => Start::At(at),
                _ => Start::Never,
            }
        };
        let mut on_window = |set: &WindowSet| {
            // Without samples it only asks whether to go on.
            let told = set.samples.is_empty() || self.tell.send(AgentEvent::Window { slice, set: set.clone() }).is_ok();
            if told && !self.stopped() { Flow::GoOn } else { Flow::Stop }
        };
        match self.host.slice((&self.step, most), self.window_ns, &mut start, &mut on_window) {
            Err(error) if !opened.get() => {
                let _ = self.tell.send(AgentEvent::Ready { slice, error: Some(error.to_string()) });
            }
            ended => self.tell_end(ended),
        }
    }

    fn verify(&self, limit: Duration, run_started: Nanos) {
        let Checks { mut checked, error } = self.host.verified(&self.step, limit, &|| !self.stopped());
        let later = (self.host.context.verify.started() as f64 - run_started as f64) / SECOND as f64;
        for flaw in checked.iter_mut().flat_map(|(_, checked)| &mut checked.flaws) {
            flaw.seconds += later;
        }
        let _ = self.tell.send(AgentEvent::Verified { slice: self.slice, checked, error });
    }

    fn prepare(&self, how: Preparation) {
        let mut told = Instant::now();
        let mut progress = |bytes: Bytes| {
            if told.elapsed() > TOLD {
                told = Instant::now();
                let _ = self.tell.send(AgentEvent::Filling { slice: self.slice, bytes });
            }
            !self.stopped()
        };
        let mut prepare = |target| match how {
            Preparation::Fill => self.host.fill(&self.step, target, &mut progress),
            Preparation::Discard => self.host.discard(target, &mut progress),
        };
        let prepared = self.step.targets.iter().try_for_each(&mut prepare);
        self.tell_end(prepared.map(|()| SliceEnd::default()));
    }

    fn tell_end(&self, ended: Result<SliceEnd, EngineError>) {
        let broken = |error: EngineError| SliceEnd { broken: Some(error.to_string()), ..SliceEnd::default() };
        let _ = self.tell.send(AgentEvent::Ended { slice: self.slice, end: ended.unwrap_or_else(broken) });
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
