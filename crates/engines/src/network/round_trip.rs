//! A question and its answer, as large as those of an operation: the latency is the full round trip. Deeper than one: pipelined.

use super::connection::{Ends, Peer};
use crate::api::{Done, EngineError, Op, Session};
use crate::buffers::{Slab, stamp};
use model::Workload;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv, send};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

/// What goes the other way than the data. An OSD's acknowledgement of a write (MOSDOpReply in messenger v2: header of 32 and 41 bytes,
/// some 150 of reply, checksums) and a client's request to read have some hundred bytes: one packet.
const SHORT: usize = 256;
const SEND: u32 = 0;
const RECEIVE: u32 = 1;

/// Bytes of a question and of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub ask: usize,
    pub answer: usize,
}

impl Sizes {
    /// The data of a write is in the question, of a read in the answer; of a mix in both, since one connection has one kind of question.
    pub fn of(workload: &Workload) -> Sizes {
        let block = workload.block as usize;
        let size = |data: bool| if data { block } else { block.min(SHORT) };
        Sizes { ask: size(workload.writes()), answer: size(workload.reads()) }
    }
}

pub struct RoundTripSession {
    /// Dropped before the socket is closed, so that the other end is told, not surprised.
    /// `None`: the other end is another process.
    _peer: Option<Peer>,
    socket: TcpStream,
    name: String,
    slab: Slab,
    sizes: Sizes,
    block: u32,
    /// Asked and not yet wholly answered, in order.
    asked: VecDeque<u32>,
    /// How many bytes of the oldest question's answer have arrived.
    answered: usize,
    /// Questions that are not yet wholly sent, and how much of the first one is.
    to_send: usize,
    sent: usize,
    questions: u64,
}

impl RoundTripSession {
    pub fn new(ends: Ends, workload: &Workload, depth: u32, seed: u64) -> Result<RoundTripSession, EngineError> {
        let Ends { from, to, name } = ends;
        let sizes = Sizes::of(workload);
        let peer = Peer::start(to, move |socket| answer(socket, sizes))?;
        RoundTripSession::over(from, name, Some(peer), workload, depth, seed)
    }

    pub fn over(
        socket: TcpStream,
        name: String,
        peer: Option<Peer>,
        workload: &Workload,
        depth: u32,
        seed: u64,
    ) -> Result<RoundTripSession, EngineError> {
        Ok(RoundTripSession {
            _peer: peer,
            socket,
            name,
            slab: Slab::new(2, workload.block as usize, seed)?,
            sizes: Sizes::of(workload),
            block: workload.block as u32,
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
                stamp(self.slab.buffer(SEND, self.sizes.ask), self.questions);
            }
            let rest = &self.slab.buffer(SEND, self.sizes.ask)[self.sent..];
            match send(self.socket.as_raw_fd(), rest, MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL) {
                Ok(bytes) => self.sent += bytes,
                Err(nix::Error::EAGAIN) => return Ok(()),
                Err(error) => return Err(self.broken(error)),
            }
            if self.sent == self.sizes.ask {
                (self.sent, self.to_send) = (0, self.to_send - 1);
            }
        }
        Ok(())
    }

    /// Receives what is there, or the first of it.
    fn receive(&mut self, wait: bool, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let flags = if wait { MsgFlags::empty() } else { MsgFlags::MSG_DONTWAIT };
        let fd = self.socket.as_raw_fd();
        let rest = &mut self.slab.buffer(RECEIVE, self.sizes.answer)[self.answered..];
        match recv(fd, rest, flags) {
            Ok(0) => return Err(self.broken("the other end closed it")),
            Ok(bytes) => self.answered += bytes,
            Err(nix::Error::EAGAIN | nix::Error::EINTR) => return Ok(()),
            Err(error) => return Err(self.broken(error)),
        }
        if self.answered == self.sizes.answer {
            self.answered = 0;
            if let Some(slot) = self.asked.pop_front() {
                done.push(Done::now(slot, Ok(self.block)));
            }
        }
        Ok(())
    }

    #[cold]
    fn broken(&self, why: impl std::fmt::Display) -> EngineError {
        EngineError::Broken(format!("{}: the connection broke: {why}", self.name))
    }

    /// Waits until more can be sent or something came.
    fn wait_for_room(&self, timeout: Duration) {
        let either = PollFlags::POLLIN | PollFlags::POLLOUT;
        let mut ready = [PollFd::new(self.socket.as_fd(), either)];
        // Whatever it says: the next turn tries both.
        let _ = poll(&mut ready, PollTimeout::try_from(timeout).unwrap_or(PollTimeout::ZERO));
    }
}

impl Session for RoundTripSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        self.asked.extend(ops.iter().map(|op| op.slot));
        self.to_send += ops.len();
        self.send()?;
        Ok(ops.len())
    }

    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if self.asked.is_empty() {
            return Ok(());
        }
        if self.to_send > 0 {
            self.wait_for_room(timeout);
            self.send()?;
            return self.receive(false, done);
        }
        self.receive(!timeout.is_zero(), done)
    }
}

/// The other end: answers each whole question, until the connection is shut down.
pub fn answer(mut socket: &TcpStream, sizes: Sizes) {
    let mut buffer = vec![0; sizes.ask.max(sizes.answer)];
    while socket.read_exact(&mut buffer[..sizes.ask]).is_ok() && socket.write_all(&buffer[..sizes.answer]).is_ok() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OpMix;
    use model::Pattern;
    use std::net::TcpListener;

    #[test]
    fn the_data_goes_one_way_and_what_is_short_the_other() {
        let workload = |pattern| Workload::canonical(pattern, 0, 1);
        let writes = workload(Pattern::WriteLatency);
        assert_eq!(Sizes::of(&writes), Sizes { ask: 4096, answer: SHORT });
        assert_eq!(Sizes::of(&workload(Pattern::ReadLatency)), Sizes { ask: SHORT, answer: 4096 });
        assert_eq!(Sizes::of(&Workload { mix: OpMix::reads(50), ..writes.clone() }), Sizes { ask: 4096, answer: 4096 });
        assert_eq!(Sizes::of(&Workload { block: 64, ..writes }), Sizes { ask: 64, answer: 64 });
    }

    #[test]
    fn so_many_bytes_cross_the_connection() {
        for sizes in [Sizes { ask: 4096, answer: SHORT }, Sizes { ask: SHORT, answer: 4096 }] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let mut own = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let peer = Peer::start(listener.accept().unwrap().0, move |socket| answer(socket, sizes)).unwrap();
            own.write_all(&vec![7; 3 * sizes.ask]).unwrap();
            own.read_exact(&mut vec![0; 3 * sizes.answer]).unwrap_or_else(|error| panic!("{sizes:?}: {error}"));
            drop(peer);
            assert_eq!(own.read(&mut [0]).unwrap(), 0, "more came back than three answers");
        }
    }
}
