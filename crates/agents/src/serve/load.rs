//! One slice of an agent: its sessions are opened, it starts at the agreed instant, and it tells each window as it ends.

use crate::host::{LocalHost, Start};
use crate::loader::{Checks, Loader};
use crate::{AgentEvent, Preparation};
use engines::EngineError;
use engines::crew::Flow;
use model::clock::SECOND;
use model::{Bytes, Nanos, SliceEnd, Step, WindowSet};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

pub struct Loading {
    pub slice: u64,
    stop: Arc<AtomicBool>,
    starts: Sender<Nanos>,
    thread: Option<JoinHandle<()>>,
}

/// The least time between two reports of how much is filled.
const TOLD: Duration = Duration::from_millis(200);

/// What a slice's thread is for, and so what the coordinator waits for.
#[derive(Clone, Copy)]
enum Job {
    Prepare,
    Load,
    Verify,
}

impl Job {
    /// What is told where the thread itself can't. Of a load both, since it is not known here whether its sessions were open; which of
    /// them the coordinator does not wait for, it passes over.
    fn failed(self, slice: u64, why: String) -> Vec<AgentEvent> {
        let broken = |why| AgentEvent::Ended { slice, end: SliceEnd { broken: Some(why), ..SliceEnd::default() } };
        match self {
            Job::Prepare => vec![broken(why)],
            Job::Load => vec![AgentEvent::Ready { slice, error: Some(why.clone()) }, broken(why)],
            Job::Verify => vec![AgentEvent::Verified { slice, checked: Vec::new(), error: Some(why) }],
        }
    }
}

impl Loading {
    /// Opens the step's sessions in a thread of its own, so that commands are read meanwhile.
    /// `most`: at most this many bytes are written to each target.
    pub fn open(load: Load, most: Option<Bytes>) -> Loading {
        Loading::spawn(own_thread(), load, Job::Load, move |load, start| load.live(start, most))
    }

    /// Makes its targets ready.
    pub fn prepare(load: Load, how: Preparation) -> Loading {
        Loading::spawn(own_thread(), load, Job::Prepare, move |load, _| load.prepare(how))
    }

    /// Reads back what the slice wrote, and tells what was verified. `run_started`: as this host's clock shows it.
    pub fn verify(load: Load, limit: Duration, run_started: Nanos) -> Loading {
        Loading::spawn(own_thread(), load, Job::Verify, move |load, _| load.verify(limit, run_started))
    }

    /// However the thread ends, the coordinator is told: it may wait without a limit.
    fn spawn(
        thread: Builder,
        load: Load,
        job: Job,
        work: impl FnOnce(&Load, &Receiver<Nanos>) + Send + 'static,
    ) -> Loading {
        let (slice, stop, tell) = (load.slice, load.stop.clone(), load.tell.clone());
        let (starts, start) = channel();
        let failed = move |tell: &SyncSender<AgentEvent>, why: String| {
            job.failed(slice, why).into_iter().for_each(|event| drop(tell.send(event)));
        };
        let spawned = thread.spawn(move || {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(&load, &start))) {
                failed(&load.tell, format!("its thread broke off ({}); please report that", said(&*panic)));
            }
        });
        if let Err(error) = &spawned {
            failed(&tell, format!("its thread could not be started: {error}"));
        }
        Loading { slice, stop, starts, thread: spawned.ok() }
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

fn own_thread() -> Builder {
    Builder::new().name("fathom-slice".into())
}

/// The words of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::own_files::Files;
    use engines::Context;
    use model::{Pattern, Workload, testing};
    use std::sync::mpsc::sync_channel;

    /// A load of nothing; what it tells goes to `tell`.
    fn load(tell: SyncSender<AgentEvent>) -> Load {
        let pattern = Pattern::ReadLatency;
        let step = Step::new(0, testing::disks(), pattern, Vec::new(), Workload::canonical(pattern, 0, 1));
        let host = LocalHost::new(Context::default(), Files::default());
        Load { slice: 7, step, window_ns: SECOND, host, tell, stop: Arc::default() }
    }

    /// One that does this in its thread.
    pub fn loading(work: impl FnOnce(&Receiver<Nanos>) + Send + 'static) -> Loading {
        Loading::spawn(own_thread(), load(sync_channel(8).0), Job::Load, move |_, start| work(start))
    }

    /// What the coordinator is told, by the kind of message.
    fn told(thread: impl Fn() -> Builder, job: Job) -> Vec<(&'static str, String)> {
        let (tell, news) = sync_channel(8);
        drop(Loading::spawn(thread(), load(tell), job, |_, _| panic!("an index is {}", 9)));
        let why = |event| match event {
            AgentEvent::Ready { slice: 7, error: Some(why) } => ("ready", why),
            AgentEvent::Ended { slice: 7, end: SliceEnd { broken: Some(why), .. } } => ("ended", why),
            AgentEvent::Verified { slice: 7, error: Some(why), .. } => ("verified", why),
            other => panic!("{other:?}"),
        };
        news.iter().map(why).collect()
    }

    #[test]
    fn a_thread_that_breaks_off_or_can_not_be_started_is_told() {
        for (job, kinds) in
            [(Job::Prepare, &["ended"][..]), (Job::Load, &["ready", "ended"]), (Job::Verify, &["verified"])]
        {
            // No host has so large a stack.
            let none = || own_thread().stack_size(1 << 60);
            for (told, words) in [(told(own_thread, job), "an index is 9"), (told(none, job), "could not be started")] {
                assert_eq!(told.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), kinds);
                assert!(told.iter().all(|(_, why)| why.contains(words)), "{told:?}");
            }
        }
    }
}
