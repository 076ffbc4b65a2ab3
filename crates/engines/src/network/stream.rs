//! Bulk: the other end sends without a pause, and an operation is a block that arrived here.
//!
//! The session is always the receiver, on whichever host that is: what counts has crossed the network, not only entered
//! a socket's buffer. The stream does not wait for operations, so its bandwidth does not depend on their number in
//! flight: TCP's own window does that.

use super::connection::{Ends, Peer};
use crate::api::{Done, EngineError, Op, Session};
use crate::buffers::{Slab, stamp};
use model::Workload;
use nix::sys::socket::{MsgFlags, recv};
use std::collections::VecDeque;
use std::io::Write;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Blocks that the sender goes round in.
pub const BUFFERS: u32 = 4;

pub struct StreamSession {
    /// `None`: the sender is another process.
    _peer: Option<Peer>,
    socket: TcpStream,
    name: String,
    slab: Slab,
    block: usize,
    expected: VecDeque<u32>,
    /// Bytes of the running block that are here.
    here: usize,
}

impl StreamSession {
    /// Writes go from the first host to the second, reads from the second to the first.
    pub fn new(ends: Ends, workload: &Workload, seed: u64) -> Result<StreamSession, EngineError> {
        let Ends { from, to, name } = ends;
        let (sender, receiver) = if workload.writes() { (from, to) } else { (to, from) };
        let block = workload.block as usize;
        let data = Slab::new(BUFFERS, block, seed)?;
        let peer = Peer::start(sender, move |socket| pour(socket, data, block))?;
        StreamSession::over(receiver, name, Some(peer), block, seed)
    }

    pub fn over(
        socket: TcpStream,
        name: String,
        peer: Option<Peer>,
        block: usize,
        seed: u64,
    ) -> Result<StreamSession, EngineError> {
        Ok(StreamSession {
            _peer: peer,
            socket,
            name,
            slab: Slab::new(1, block, seed)?,
            block,
            expected: VecDeque::new(),
            here: 0,
        })
    }
}

impl Session for StreamSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        self.expected.extend(ops.iter().map(|op| op.slot));
        Ok(ops.len())
    }

    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let Some(slot) = self.expected.front().copied() else { return Ok(()) };
        let flags = if timeout.is_zero() { MsgFlags::MSG_DONTWAIT } else { MsgFlags::MSG_WAITALL };
        let fd = self.socket.as_raw_fd();
        let broken =
            |why: &dyn std::fmt::Display| EngineError::Broken(format!("{}: the stream broke: {why}", self.name));
        match recv(fd, &mut self.slab.buffer(0, self.block)[self.here..], flags) {
            Ok(0) => return Err(broken(&"the sender closed it")),
            Ok(bytes) => self.here += bytes,
            Err(nix::Error::EAGAIN | nix::Error::EINTR) => return Ok(()),
            Err(error) => return Err(broken(&error)),
        }
        if self.here == self.block {
            self.here = 0;
            self.expected.pop_front();
            done.push(Done::now(slot, Ok(self.block as u32)));
        }
        Ok(())
    }
}

/// The sender: one block after the other, each different, until the connection is shut down.
pub fn pour(mut socket: &TcpStream, mut data: Slab, block: usize) {
    for number in 0.. {
        let buffer = data.buffer((number % u64::from(BUFFERS)) as u32, block);
        stamp(buffer, number);
        if socket.write_all(buffer).is_err() {
            return;
        }
    }
}
