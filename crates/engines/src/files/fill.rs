//! Makes the files that are there before anything is measured.

use super::api::FileSystem;
use super::names::Names;
use crate::api::{EngineError, OpError};
use crate::buffers::Slab;
use crate::content;
use model::{Bytes, Workload};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Threads that make files side by side.
const THREADS: u64 = 16;
/// How often whoever waits hears of it.
const TELL: Duration = Duration::from_millis(100);

/// Opens the file system once more, for another thread.
pub type Opens = Arc<dyn Fn() -> Result<Box<dyn FileSystem>, EngineError> + Send + Sync>;

/// What all threads of a fill share.
struct Shared {
    names: Names,
    block: usize,
    seed: u64,
    made: AtomicU64,
    stop: AtomicBool,
}

/// Threads that hang in the kernel are left behind once `progress` says that nobody waits any more. Files that are there already, of an
/// earlier and smaller fill, stay.
pub fn fill(
    open: &Opens,
    names: Names,
    workload: &Workload,
    progress: &mut dyn FnMut(Bytes) -> bool,
) -> Result<(), EngineError> {
    let (block, seed) = (usize::try_from(workload.block).unwrap_or(usize::MAX), workload.seed);
    let (made, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let shared = Arc::new(Shared { names, block, seed, made, stop });
    let threads = THREADS.min(names.lanes());
    let (tell, told) = sync_channel(threads as usize);
    for thread in 0..threads {
        let (shared, tell, open) = (shared.clone(), tell.clone(), open.clone());
        let lanes = (thread..names.lanes()).step_by(threads as usize);
        let named = std::thread::Builder::new().name(format!("fathom-fill-{thread}"));
        let spawned = named.spawn(move || fill_lanes(&shared, &open, lanes, &tell));
        spawned.map_err(|error| EngineError::Broken(format!("a thread could not be started: {error}")))?;
    }
    drop(tell);
    let mut left = threads;
    while left > 0 {
        match told.recv_timeout(TELL) {
            Ok(Ok(())) => left -= 1,
            Ok(Err(error)) => {
                shared.stop.store(true, Ordering::Relaxed);
                return Err(error);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if !progress(shared.made.load(Ordering::Relaxed) * workload.block) {
            shared.stop.store(true, Ordering::Relaxed);
            return Ok(());
        }
    }
    Ok(())
}

fn fill_lanes(
    shared: &Shared,
    open: &Opens,
    lanes: impl Iterator<Item = u64>,
    tell: &SyncSender<Result<(), EngineError>>,
) {
    let filled = open().and_then(|mut system| {
        let mut slab = Slab::new(1, shared.block, shared.seed)?;
        lanes.into_iter().try_for_each(|lane| fill_lane(shared, &mut *system, lane, &mut slab))
    });
    // Nobody listens any more if it was stopped.
    let _ = tell.send(filled);
}

fn fill_lane(shared: &Shared, system: &mut dyn FileSystem, lane: u64, slab: &mut Slab) -> Result<(), EngineError> {
    let broken = |what: &str, path: &str, error: OpError| EngineError::Broken(format!("{what} {path}: {error}"));
    // Lanes that share folders make them at the same time.
    for folder in shared.names.folders(lane) {
        there_too(system.make_folder(&folder)).map_err(|error| broken("make folder", &folder, error))?;
    }
    for item in 0..shared.names.items() {
        if shared.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (path, number) = (shared.names.file(lane, item), shared.names.number(lane, item));
        let content = slab.buffer(0, shared.block);
        content::mark(content, number, number ^ shared.seed);
        there_too(system.create(&path, content, false)).map_err(|error| broken("create", &path, error))?;
        shared.made.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn there_too(made: Result<(), OpError>) -> Result<(), OpError> {
    made.or_else(|error| if error.errno == libc::EEXIST { Ok(()) } else { Err(error) })
}
