//! One slice of an agent: its sessions are opened, it starts at the agreed instant, and it tells each window as it ends.

use crate::AgentEvent;
use crate::loader::{self, Checks};
use crate::own_files::Names;
use engines::bounded::Bounded;
use engines::clock::RealClock;
use engines::crew::{Flow, Opened};
use engines::{Context, Engine, EngineError};
use model::clock::SECOND;
use model::{Bytes, Clock, Nanos, SliceEnd, Step, WindowSet};
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

/// Filling is told at most so often.
const TOLD: Duration = Duration::from_millis(200);

impl Loading {
    /// Opens the step's sessions in a thread of its own: orders are heard meanwhile.
    /// `most`: so many bytes are written to each target, and no more.
    pub fn open(load: Load, most: Option<Bytes>) -> Loading {
        Loading::spawn(load, move |load, start| load.live(start, most))
    }

    /// Fills what its targets read later.
    pub fn fill(load: Load) -> Loading {
        Loading::spawn(load, |load, _| load.fill())
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
        // Who waits for the start waits no more.
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
    pub context: Context,
    pub names: Names,
    pub tell: SyncSender<AgentEvent>,
    pub stop: Arc<AtomicBool>,
}

impl Load {
    fn live(&self, start: &Receiver<Nanos>, most: Option<Bytes>) {
        let slice = self.slice;
        let engine = engines::engine_for(&self.step);
        let bounded = engine.as_ref().ok().zip(most).map(|(engine, most)| Bounded { engine: *engine, most });
        let opened = match &bounded {
            // A file gets its blocks before, as on the host where Fathom runs.
            Some(bounded) => self.make_room(bounded.most).and_then(|()| self.opened(bounded)),
            None => engine.and_then(|engine| self.opened(engine)),
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let _ = self.tell.send(AgentEvent::Ready { slice, error: Some(self.names.named(&error.to_string())) });
                return;
            }
        };
        let _ = self.tell.send(AgentEvent::Ready { slice, error: None });
        let Ok(at) = start.recv() else { return };
        if self.stopped() {
            drop(opened);
            let _ = self.tell.send(AgentEvent::Ended { slice, end: SliceEnd::default() });
            return;
        }
        let end = self
            .run(opened, at)
            .unwrap_or_else(|error| SliceEnd { broken: Some(error.to_string()), ..SliceEnd::default() });
        self.tell_end(end);
    }

    fn make_room(&self, most: Bytes) -> Result<(), EngineError> {
        self.step.targets.iter().try_for_each(|target| engines::disk::make_room(&target.place, most))
    }

    fn opened<'a>(&'a self, engine: &'a dyn Engine) -> Result<Opened<'a>, EngineError> {
        Opened::open(engine, &self.context, &self.step)
    }

    fn verify(&self, limit: Duration, run_started: Nanos) {
        let found = engines::engine_for(&self.step)
            .map(|engine| loader::found(engine, &self.context, &self.step, limit, &|| !self.stopped()));
        let mut found = found.unwrap_or_else(|error| Checks { error: Some(error.to_string()), ..Checks::default() });
        let later = (self.context.verify.started() as f64 - run_started as f64) / SECOND as f64;
        for flaw in found.checked.iter_mut().flat_map(|(_, checked)| &mut checked.flaws) {
            flaw.seconds += later;
        }
        let Checks { checked, error } = found.named(&self.names);
        let _ = self.tell.send(AgentEvent::Verified { slice: self.slice, checked, error });
    }

    fn run(&self, opened: Opened, at: Nanos) -> Result<SliceEnd, EngineError> {
        let clock: Arc<dyn Clock> = Arc::new(RealClock);
        let mut on_window = |set: &WindowSet| {
            if set.samples.is_empty() {
                // It only asks whether to go on.
                return if self.stopped() { Flow::Stop } else { Flow::GoOn };
            }
            let told = self.tell.send(AgentEvent::Window { slice: self.slice, set: set.clone() });
            if told.is_err() || self.stopped() { Flow::Stop } else { Flow::GoOn }
        };
        opened.run(&clock, self.window_ns, Some(at), &mut on_window)
    }

    fn fill(&self) {
        let mut told = Instant::now();
        let mut progress = |bytes: Bytes| {
            if told.elapsed() > TOLD {
                told = Instant::now();
                let _ = self.tell.send(AgentEvent::Filling { slice: self.slice, bytes });
            }
            !self.stopped()
        };
        let mut fill = |target| {
            engines::engine_for(&self.step)?.prepare(&self.context, target, &self.step.workload, &mut progress)
        };
        let broken = self.step.targets.iter().find_map(|target| fill(target).err());
        self.tell_end(SliceEnd { broken: broken.map(|error| error.to_string()), ..SliceEnd::default() });
    }

    fn tell_end(&self, mut end: SliceEnd) {
        end.broken = end.broken.map(|text| self.names.named(&text));
        end.first_error = end.first_error.map(|(target, text)| (target, self.names.named(&text)));
        let _ = self.tell.send(AgentEvent::Ended { slice: self.slice, end });
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
