//! A host that keeps a replica: writes what comes durably, passes it on if it is the first, and acknowledges when all have it.

use super::{ACKNOWLEDGEMENT, HEADER, replicas};
use crate::api::EngineError;
use crate::buffers::{ALIGN, Slab};
use crate::disk::{DiskSite, Holds, Placing};
use crate::network::{Listener, Peer, reach};
use model::{Bytes, Durability, Endpoint, Key, Place, Replica, Target, Workload};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

/// A replica that does not acknowledge within this time counts as gone: even the slowest disk is quicker.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Keeps the target's replica of this number until the listener is dropped. The first one passes on what it gets to the others, whose
/// listeners must be known.
///
/// # Errors
/// The file can't be opened for durable writes, or is too short; no port; another replica is not kept, or is not to be reached from here.
pub fn keep(target: &Target, number: usize, workload: &Workload, holds: &Holds) -> Result<Listener, EngineError> {
    let (_, all) = replicas(target).map_err(EngineError::Refused)?;
    let own = all.get(number).ok_or_else(|| EngineError::Refused(format!("there is no replica {number}")))?;
    let place = Place::Path { path: own.path.clone(), writable: true };
    let site = DiskSite::held(&place, holds)?;
    site.ready(workload)?;
    let file = Arc::new(site.open(workload)?);
    let placing = site.placing(workload);
    let others = if number == 0 { &all[1..] } else { &[] };
    let way = |other: &Replica| {
        let unkept = || EngineError::Broken(format!("{}: {} keeps no replica yet", target.name, other.end.host));
        Ok((other.among().clone(), other.listener.clone().ok_or_else(unkept)?))
    };
    // All of them, or none: fewer copies would be another floor.
    let others: Vec<(Endpoint, Key)> = others.iter().map(way).collect::<Result<_, EngineError>>()?;
    // Before any client comes: it would learn no more than that the first one hangs up, not which two hosts do not reach each other.
    let lane = |_| others.iter().map(|(other, key)| pass_on(own.among(), other, key)).collect();
    let mut lanes =
        (0..workload.jobs.max(1)).map(lane).collect::<Result<Vec<Vec<TcpStream>>, EngineError>>()?.into_iter();
    // The client reaches the first one, and that the others.
    let (listener, load) = (if number == 0 { &own.end } else { own.among() }, workload.clone());
    Listener::with(listener, workload.jobs, move |socket, lane| {
        let block = load.block as usize;
        let others = lanes.next().ok_or_else(|| EngineError::Broken(format!("nobody passes on lane {lane}")))?;
        let ends = others.iter().filter_map(|other| other.try_clone().ok()).collect();
        let server = ReplicaServer {
            file: file.clone(),
            durability: load.durability,
            others,
            slab: Slab::new(1, ALIGN + block, load.seed ^ u64::from(lane) << 32)?,
            block,
            placing: placing.clone(),
            last: load.span.saturating_sub(load.block),
        };
        let peer = Peer::start(socket, move |socket| {
            let _ = server.serve(socket);
            // Whichever side went first: the client waits for no acknowledgement any more.
            let _ = socket.shutdown(Shutdown::Both);
        })?;
        // A replica that is silent must not hold up the end.
        Ok(peer.and_ends(ends))
    })
}

/// A connection from the first replica to another one.
fn pass_on(from: &Endpoint, to: &Endpoint, key: &Key) -> Result<TcpStream, EngineError> {
    let (socket, name) = reach(from, to, key).map_err(|error| {
        EngineError::Broken(format!(
            "host {} can't pass writes on to host {}: {error}; open TCP from {} to {}, to every port that a kernel may choose \
             (net.ipv4.ip_local_port_range)",
            from.host, to.host, from.address, to.address
        ))
    })?;
    let ready = socket.set_read_timeout(Some(TIMEOUT)).and_then(|()| socket.set_write_timeout(Some(TIMEOUT)));
    ready.map(|()| socket).map_err(|error| EngineError::Broken(format!("{name}: {error}")))
}

struct ReplicaServer {
    file: Arc<File>,
    durability: Durability,
    others: Vec<TcpStream>,
    /// The header ends where the block begins, which is aligned as direct I/O wants it.
    slab: Slab,
    block: usize,
    placing: Placing,
    /// Where the last block begins: nothing is written behind it, whatever comes.
    last: Bytes,
}

impl ReplicaServer {
    fn serve(mut self, mut client: &TcpStream) -> io::Result<()> {
        loop {
            let message = &mut self.slab.buffer(0, ALIGN + self.block)[ALIGN - HEADER..];
            client.read_exact(message)?;
            for other in &mut self.others {
                other.write_all(message)?;
            }
            let (header, block) = message.split_at(HEADER);
            let offset = u64::from_le_bytes(header.try_into().unwrap_or_default());
            let mut errno = match offset <= self.last {
                true => written(&self.file, self.durability, block, self.placing.at(offset)),
                false => libc::EFBIG,
            };
            for other in &mut self.others {
                let mut said = [0; ACKNOWLEDGEMENT];
                other.read_exact(&mut said)?;
                errno = if errno == 0 { i32::from_le_bytes(said) } else { errno };
            }
            client.write_all(&errno.to_le_bytes())?;
        }
    }
}

/// Durable when it returns: the file was opened so, or is flushed. 0, or `errno`.
fn written(file: &File, durability: Durability, block: &[u8], offset: u64) -> i32 {
    let flushed = |()| match durability {
        Durability::Fsync => file.sync_all(),
        Durability::Fdatasync | Durability::GroupCommit => file.sync_data(),
        Durability::None | Durability::Sync | Durability::Dsync => Ok(()),
    };
    match file.write_all_at(block, offset).and_then(flushed) {
        Ok(()) => 0,
        Err(error) => error.raw_os_error().unwrap_or(libc::EIO),
    }
}
