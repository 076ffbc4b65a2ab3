//! The passive end of a pair whose active end is another process: a port of one slice, for whoever knows the token.

use super::connection::{Listening, Peer};
use super::{round_trip, stream};
use crate::api::EngineError;
use crate::buffers::Slab;
use model::{Access, Endpoint, Key, Workload};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Answers, or pours, until it is dropped; then its port is closed and all connections with it.
pub struct Listener {
    pub key: Key,
    shut: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// At this end, for as many connections as the workload has jobs.
    ///
    /// # Errors
    /// The address is not this host's, or no port is free.
    pub fn open(end: &Endpoint, workload: &Workload) -> Result<Listener, EngineError> {
        let own = workload.clone();
        Listener::with(end, workload.jobs, move |socket, lane| peer(socket, &own, lane))
    }

    /// The same, with a peer of another kind for each connection.
    ///
    /// # Errors
    /// As [`Listener::open`].
    pub(crate) fn with(
        end: &Endpoint,
        connections: u32,
        mut peer: impl FnMut(TcpStream, u32) -> Result<Peer, EngineError> + Send + 'static,
    ) -> Result<Listener, EngineError> {
        let listening = Listening::at(end)
            .map_err(|error| EngineError::Broken(format!("no port can be opened at {}: {error}", end.address)))?;
        let key = listening.key();
        let shut = Arc::new(AtomicBool::new(false));
        let closed = shut.clone();
        let serve = move || {
            let mut peers = Vec::new();
            for lane in 0..connections.max(1) {
                let Some(socket) = listening.accept_until(&closed) else { return };
                peers.extend(peer(socket, lane).ok());
            }
            // The port goes now; the connections when the slice is over.
            drop(listening);
            while !closed.load(Ordering::Relaxed) {
                std::thread::park();
            }
        };
        let thread = std::thread::Builder::new().name("fathom-listener".into()).spawn(serve);
        let thread = thread.map_err(|error| EngineError::Broken(format!("the other end: {error}")))?;
        Ok(Listener { key, shut, thread: Some(thread) })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shut.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn peer(socket: TcpStream, workload: &Workload, lane: u32) -> Result<Peer, EngineError> {
    let block = workload.block as usize;
    match workload.access {
        Access::Sequential => {
            let data = Slab::new(stream::BUFFERS, block, workload.seed ^ u64::from(lane) << 32)?;
            Peer::start(socket, move |socket| stream::pour(socket, data, block))
        }
        Access::Random | Access::Zipf(_) => {
            let sizes = round_trip::Sizes::of(workload);
            Peer::start(socket, move |socket| round_trip::answer(socket, sizes))
        }
    }
}
