//! One operation at a time, without a callback: the library's network thread wakes the thread that waits.
//!
//! A callback runs on yet another thread of the library. Of the switches between threads that a read costs, that is one
//! of four; it would be part of every latency at depth 1. But the library's own wait knows no time limit, so a guard
//! looks after it: it cancels an operation that takes too long, which its owner then starts again, with a callback.

use crate::librados::{Handle, Librados};
use crate::pool::IoContext;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(250);
/// An operation is cancelled after this many ticks, 13 s. A slice in which nothing ended for 10 s is ended, and what is in flight gets
/// 3 s more. Earlier would change what is measured: an operation that takes some seconds has to end by itself.
const TICKS_MAX: u32 = 52;

#[derive(Default)]
struct State {
    /// The completion that is waited for.
    waiting: Option<Waiting>,
    /// Counts waits, so that the guard tells one from the next.
    waits: u64,
    closed: bool,
}

struct Waiting {
    completion: Handle,
    cancelled: bool,
}

// SAFETY: the completion is valid while it is waited for, and any thread may cancel it.
unsafe impl Send for State {}

struct Shared {
    state: Mutex<State>,
    change: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct Alone {
    fns: &'static Librados,
    shared: Arc<Shared>,
    /// `Some` until it is dropped.
    guard: Option<JoinHandle<()>>,
}

impl Alone {
    /// `None`: the guard's thread cannot be had.
    pub fn new(context: &Arc<IoContext>) -> Option<Alone> {
        let shared = Arc::new(Shared { state: Mutex::default(), change: Condvar::new() });
        let (watched, pool) = (shared.clone(), context.clone());
        let guard = std::thread::Builder::new().name("ceph-guard".into());
        let guard = guard.spawn(move || watch(&watched, &pool)).ok()?;
        Some(Alone { fns: context.fns, shared, guard: Some(guard) })
    }

    /// Waits until the operation has ended, if need be because the guard cancelled it.
    pub fn wait(&self, completion: Handle) {
        {
            let mut state = self.shared.state();
            state.waits += 1;
            state.waiting = Some(Waiting { completion, cancelled: false });
        }
        // SAFETY: the completion is valid until its owner releases it, which is after this call.
        unsafe { (self.fns.rados_aio_wait_for_complete)(completion) };
        self.shared.state().waiting = None;
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.change.notify_one();
        // It holds the connection: were it the last to let go of it, while the process ends, the library would shut down
        // among its own destructors.
        if let Some(guard) = self.guard.take() {
            let _ = guard.join();
        }
    }
}

fn watch(shared: &Shared, pool: &IoContext) {
    let (mut wait_seen, mut ticks) = (0, 0);
    let mut state = shared.state();
    while !state.closed {
        state = shared.change.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        ticks = if state.waits == wait_seen { ticks + 1 } else { 0 };
        wait_seen = state.waits;
        if let Some(waiting) = state.waiting.as_mut().filter(|waiting| ticks >= TICKS_MAX && !waiting.cancelled) {
            waiting.cancelled = true;
            // SAFETY: it is waited for, and its owner needs the lock that is held here before it can release it.
            unsafe { (pool.fns.rados_aio_cancel)(pool.raw, waiting.completion) };
        }
    }
}
