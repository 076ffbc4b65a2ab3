//! One slice of an agent: its sessions are opened, it starts at the agreed instant, and it tells each window as it ends.

use engines::clock::RealClock;
use engines::crew::{Flow, Opened};
use engines::{Context, EngineError};
use model::{Clock, Nanos, SliceEnd, Step, WindowSet};
use remote::News;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread::JoinHandle;

pub struct Loading {
    pub slice: u64,
    stop: Arc<AtomicBool>,
    starts: Sender<Nanos>,
    thread: Option<JoinHandle<()>>,
}

impl Loading {
    /// Opens the step's sessions in a thread of its own: orders are heard meanwhile.
    pub fn open(slice: u64, step: Step, window_ns: Nanos, context: Context, tell: SyncSender<News>) -> Loading {
        let stop = Arc::new(AtomicBool::new(false));
        let (starts, start) = channel();
        let load = Load { slice, step, window_ns, context, tell, stop: stop.clone() };
        let thread = std::thread::Builder::new().name("fathom-slice".into()).spawn(move || load.live(&start)).ok();
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

struct Load {
    slice: u64,
    step: Step,
    window_ns: Nanos,
    context: Context,
    tell: SyncSender<News>,
    stop: Arc<AtomicBool>,
}

impl Load {
    fn live(&self, start: &Receiver<Nanos>) {
        let slice = self.slice;
        let opened = engines::engine_for(&self.step).and_then(|engine| Opened::open(engine, &self.context, &self.step));
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let _ = self.tell.send(News::Ready { slice, error: Some(error.to_string()) });
                return;
            }
        };
        let _ = self.tell.send(News::Ready { slice, error: None });
        let Ok(at) = start.recv() else { return };
        if self.stopped() {
            drop(opened);
            let _ = self.tell.send(News::Ended { slice, end: SliceEnd::default() });
            return;
        }
        let end = self
            .run(opened, at)
            .unwrap_or_else(|error| SliceEnd { broken: Some(error.to_string()), ..SliceEnd::default() });
        let _ = self.tell.send(News::Ended { slice, end });
    }

    fn run(&self, opened: Opened, at: Nanos) -> Result<SliceEnd, EngineError> {
        let clock: Arc<dyn Clock> = Arc::new(RealClock);
        let mut on_window = |set: &WindowSet| {
            let told = self.tell.send(News::Window { slice: self.slice, set: set.clone() });
            if told.is_err() || self.stopped() { Flow::Stop } else { Flow::GoOn }
        };
        opened.run(&clock, self.window_ns, Some(at), &mut on_window)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
