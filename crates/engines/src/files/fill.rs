//! Makes the files that are there before anything is measured: several threads, each some lanes' own.

use super::api::FileSystem;
use super::names::Names;
use crate::api::{EngineError, OpError};
use crate::buffers::Slab;
use crate::content;
use model::{Bytes, Workload};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Threads that make files side by side.
const THREADS: u32 = 16;
/// Threads that have not ended this long after they were told to hang in the kernel, and are left behind.
const ENDS_WITHIN: Duration = Duration::from_secs(10);
/// How often whoever waits hears of it.
const TELL: Duration = Duration::from_millis(100);

/// What threads that make files share with whoever waits for them.
#[derive(Default)]
pub struct Progress {
    bytes: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    /// Counts bytes that were written. False: the fill is to end.
    pub fn made(&self, bytes: Bytes) -> bool {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        !self.stop.load(Ordering::Relaxed)
    }

    pub fn so_far(&self) -> Bytes {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Nobody waits any more: what is made from now on would stay when all is undone.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Fills one lane's part.
pub type FillsLane = Arc<dyn Fn(u32, &Progress) -> Result<(), EngineError> + Send + Sync>;

/// Until all have ended, one has failed, or `progress` says that nobody waits any more; nobody writes any more then but threads that hang in
/// the kernel.
pub fn side_by_side(lanes: u32, fill: &FillsLane, progress: &mut dyn FnMut(Bytes) -> bool) -> Result<(), EngineError> {
    let shared = Arc::new(Progress::default());
    let threads = THREADS.min(lanes).max(1);
    let (tell, told) = sync_channel(threads as usize);
    for thread in 0..threads {
        let (shared, tell, fill) = (shared.clone(), tell.clone(), fill.clone());
        let named = std::thread::Builder::new().name(format!("fathom-fill-{thread}"));
        let fill_own = move || (thread..lanes).step_by(threads as usize).try_for_each(|lane| fill(lane, &shared));
        // Nobody listens any more if it was stopped.
        let spawned = named.spawn(move || drop(tell.send(fill_own())));
        spawned.map_err(|error| EngineError::Broken(format!("a thread could not be started: {error}")))?;
    }
    drop(tell);
    let (mut left, mut failed, mut given_up) = (threads, None, None);
    while left > 0 {
        match told.recv_timeout(TELL) {
            Ok(ended) => {
                left -= 1;
                failed = failed.or(ended.err());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if given_up.is_none() && (failed.is_some() || !progress(shared.so_far())) {
            shared.stop();
            given_up = Some(Instant::now());
        }
        // What the others make meanwhile would stay when all is undone.
        if given_up.is_some_and(|since| since.elapsed() > ENDS_WITHIN) {
            break;
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Makes the files of one lane. Those that are there already, of an earlier and smaller fill, stay.
pub fn names_of_lane(
    system: &mut dyn FileSystem,
    names: &Names,
    (workload, lane): (&Workload, u32),
    progress: &Progress,
) -> Result<(), EngineError> {
    let broken = |what: &str, path: &str, error: OpError| EngineError::Broken(format!("{what} {path}: {error}"));
    let (block, seed, lane) = (usize::try_from(workload.block).unwrap_or(usize::MAX), workload.seed, lane.into());
    let mut slab = Slab::new(1, block, seed)?;
    // Lanes that share folders make them at the same time.
    for folder in names.folders(lane) {
        there_too(system.make_folder(&folder)).map_err(|error| broken("make folder", &folder, error))?;
    }
    let begin = names.begin(lane);
    system.enter(&begin).map_err(|error| broken("enter", &begin, error))?;
    for item in 0..names.items() {
        let (path, number) = (names.file(lane, item), names.number(lane, item));
        let bytes = names.bytes(item);
        let content = slab.buffer(0, bytes);
        content::mark(content, number, number ^ seed);
        there_too(system.create(&path, content, false))
            .map_err(|error| broken("create", &format!("{begin}/{path}"), error))?;
        if !progress.made(bytes as Bytes) {
            return Ok(());
        }
    }
    Ok(())
}

fn there_too(made: Result<(), OpError>) -> Result<(), OpError> {
    made.or_else(|error| if error.errno == libc::EEXIST { Ok(()) } else { Err(error) })
}
