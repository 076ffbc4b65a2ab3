//! Request and response of the same size: the latency is the full round trip. Deeper than one: pipelined.

use super::connection::{Ends, Peer};
use crate::api::{Done, EngineError, Op, Session};
use crate::buffers::{Slab, stamp};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv, send};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

const SEND: u32 = 0;
const RECEIVE: u32 = 1;

pub struct RoundTripSession {
    /// Dropped before the socket is closed, so that the other end is told, not surprised.
    /// `None`: the other end is another process.
    _peer: Option<Peer>,
    socket: TcpStream,
    name: String,
    slab: Slab,
    block: usize,
    /// Asked and not yet wholly answered, in order.
    asked: VecDeque<u32>,
    /// Of the oldest question: bytes of its answer that are here.
    answered: usize,
    /// Questions that are not yet wholly sent, and how much of the first one is.
    to_send: usize,
    sent: usize,
    questions: u64,
}

impl RoundTripSession {
    pub fn new(ends: Ends, block: usize, depth: u32, seed: u64) -> Result<RoundTripSession, EngineError> {
        let Ends { from, to, name } = ends;
        let peer = Peer::start(to, move |socket| answer(socket, block))?;
        RoundTripSession::over(from, name, Some(peer), block, depth, seed)
    }

    pub fn over(
        socket: TcpStream,
        name: String,
        peer: Option<Peer>,
        block: usize,
        depth: u32,
        seed: u64,
    ) -> Result<RoundTripSession, EngineError> {
        Ok(RoundTripSession {
            _peer: peer,
            socket,
            name,
            slab: Slab::new(2, block, seed)?,
            block,
            asked: VecDeque::with_capacity(depth as usize),
            answered: 0,
            to_send: 0,
            sent: 0,
            questions: 0,
        })
    }

    /// Sends as much as the socket takes without waiting.
    fn send(&mut self) -> Result<(), EngineError> {
        while self.to_send > 0 {
            if self.sent == 0 {
                self.questions += 1;
                stamp(self.slab.buffer(SEND, self.block), self.questions);
            }
            let rest = &self.slab.buffer(SEND, self.block)[self.sent..];
            match send(self.socket.as_raw_fd(), rest, MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL) {
                Ok(bytes) => self.sent += bytes,
                Err(nix::Error::EAGAIN) => return Ok(()),
                Err(error) => return Err(self.broken(error)),
            }
            if self.sent == self.block {
                (self.sent, self.to_send) = (0, self.to_send - 1);
            }
        }
        Ok(())
    }

    /// Receives what is there, or the first of it.
    fn receive(&mut self, wait: bool, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let flags = if wait { MsgFlags::empty() } else { MsgFlags::MSG_DONTWAIT };
        let fd = self.socket.as_raw_fd();
        let rest = &mut self.slab.buffer(RECEIVE, self.block)[self.answered..];
        match recv(fd, rest, flags) {
            Ok(0) => return Err(self.broken("the other end closed it")),
            Ok(bytes) => self.answered += bytes,
            Err(nix::Error::EAGAIN | nix::Error::EINTR) => return Ok(()),
            Err(error) => return Err(self.broken(error)),
        }
        if self.answered == self.block {
            self.answered = 0;
            if let Some(slot) = self.asked.pop_front() {
                done.push(Done::now(slot, Ok(self.block as u32)));
            }
        }
        Ok(())
    }

    #[cold]
    fn broken(&self, why: impl std::fmt::Display) -> EngineError {
        EngineError::Broken(format!("{}: the connection broke: {why}", self.name))
    }

    /// Waits until more can be sent or something came.
    fn wait_for_room(&self, patience: Duration) {
        let either = PollFlags::POLLIN | PollFlags::POLLOUT;
        let mut ready = [PollFd::new(self.socket.as_fd(), either)];
        // Whatever it says: the next turn tries both.
        let _ = poll(&mut ready, PollTimeout::try_from(patience).unwrap_or(PollTimeout::ZERO));
    }
}

impl Session for RoundTripSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        self.asked.extend(ops.iter().map(|op| op.slot));
        self.to_send += ops.len();
        self.send()?;
        Ok(ops.len())
    }

    fn reap(&mut self, patience: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if self.asked.is_empty() {
            return Ok(());
        }
        if self.to_send > 0 {
            self.wait_for_room(patience);
            self.send()?;
            return self.receive(false, done);
        }
        self.receive(!patience.is_zero(), done)
    }
}

/// The other end: answers each whole question with as many bytes, until the connection is shut down.
pub fn answer(mut socket: &TcpStream, block: usize) {
    let mut buffer = vec![0; block];
    while socket.read_exact(&mut buffer).is_ok() && socket.write_all(&buffer).is_ok() {}
}
