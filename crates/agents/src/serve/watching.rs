//! While a step is measured: what the kernel of this host counts, told once a second.

use crate::AgentEvent;
use cluster::kernel::Sampler;
use engines::clock::RealClock;
use model::{Clock, OsdWish};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);

pub struct KernelWatch {
    pub slice: u64,
    /// Dropped, it ends.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl KernelWatch {
    pub fn start(slice: u64, osds: Vec<OsdWish>, tell: SyncSender<AgentEvent>) -> KernelWatch {
        let (end, ended) = channel();
        let look = move || watch(slice, &osds, &tell, &ended);
        let thread = std::thread::Builder::new().name("fathom-watch".into()).spawn(look).ok();
        KernelWatch { slice, end: Some(end), thread }
    }
}

impl Drop for KernelWatch {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn watch(slice: u64, osds: &[OsdWish], tell: &SyncSender<AgentEvent>, ended: &Receiver<()>) {
    let mut sampler = Sampler::start(osds);
    let mut next = Instant::now() + SECOND;
    loop {
        if ended.recv_timeout(next.saturating_duration_since(Instant::now())) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        next += SECOND;
        let second = Box::new(sampler.second());
        // Whoever does not take them fast enough misses some.
        let _ = tell.try_send(AgentEvent::Second { slice, at: RealClock.now(), second });
    }
}
