//! One lane at a gateway: a connection for each slot, all waited for together.

use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers;
use crate::clock::RealClock;
use crate::content;
use model::{Clock, OpClass};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use s3::{ANSWER_WITHIN, Answer, Connection, Requests, S3Error};
use std::io;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Timers of epoll are of milliseconds: shorter waits than this need finer ones.
const COARSE: Duration = Duration::from_millis(20);
const EVENTS: usize = 64;
/// The body of an error.
const REASON: usize = 4096;

pub struct GatewaySession {
    requests: Requests,
    names: LaneNames,
    bytes: usize,
    slots: Vec<Slot>,
    epoll: Epoll,
    /// The number of the last write.
    writes: u64,
    /// New connections in a row on which nothing was ever answered.
    unreached: usize,
    ended: Vec<Done>,
}

/// The lane's objects: what their names begin with, and their numbers in the whole set.
pub struct LaneNames {
    pub prefix: String,
    pub objects: Range<u64>,
}

impl LaneNames {
    /// The object in which an offset of the lane lies.
    fn at(&self, block: u64) -> u64 {
        self.objects.start + block % (self.objects.end - self.objects.start).max(1)
    }

    fn name(&self, object: u64) -> String {
        format!("{}{object}", self.prefix)
    }
}

struct Slot {
    connection: Option<Connection>,
    /// What is in flight, and on which object.
    busy: Option<(OpClass, u64)>,
    /// What it sends.
    content: Vec<u8>,
    /// What it receives.
    into: Vec<u8>,
}

impl GatewaySession {
    /// All connections are made, and TLS is agreed upon, so that no operation has to wait for that.
    pub fn open(
        requests: Requests,
        names: LaneNames,
        depth: u32,
        bytes: usize,
        seed: u64,
    ) -> Result<GatewaySession, EngineError> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(broken)?;
        let slot = |slot: u32| {
            let mut content = vec![0; bytes];
            buffers::fill(&mut content, seed ^ (u64::from(slot) << 48));
            Slot { connection: None, busy: None, content, into: vec![0; bytes.max(REASON)] }
        };
        let slots: Vec<Slot> = (0..depth).map(slot).collect();
        // Numbers go on from the clock: those of another slice, or run, are others.
        let writes = RealClock.now() ^ seed.rotate_left(32);
        let mut session =
            GatewaySession { requests, names, bytes, slots, epoll, writes, unreached: 0, ended: Vec::new() };
        (0..depth as usize).try_for_each(|slot| session.connect(slot))?;
        let until = Instant::now() + ANSWER_WITHIN;
        for slot in 0..depth as usize {
            let finished =
                session.slots[slot].connection.as_mut().map_or(Ok(()), |connection| connection.finish(until));
            finished.map_err(|error| session.unreached(&error))?;
        }
        Ok(session)
    }

    fn connect(&mut self, slot: usize) -> Result<(), EngineError> {
        let connection = self.requests.connect(slot).map_err(|error| self.unreached(&error))?;
        // Each change of its state is told once; whoever goes on, goes on until nothing is left to read or to send.
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
        self.epoll.add(&connection, EpollEvent::new(flags, slot as u64)).map_err(broken)?;
        self.slots[slot].connection = Some(connection);
        Ok(())
    }

    fn unreached(&self, error: &io::Error) -> EngineError {
        EngineError::Broken(S3Error::unreached(&self.requests.url, error).to_string())
    }

    fn start(&mut self, op: &Op) -> Result<(), EngineError> {
        let index = op.slot as usize;
        let object = self.names.at(op.offset / self.bytes as u64);
        // The other end may have closed it since, or sent something without being asked.
        if self.slots[index].connection.as_mut().is_none_or(|open| open.is_closed()) {
            self.connect(index)?;
        }
        let slot = &mut self.slots[index];
        let Some(connection) = &mut slot.connection else { return Ok(()) };
        let name = self.names.name(object);
        if op.kind == OpClass::Write {
            self.writes = self.writes.wrapping_add(1);
            content::mark(&mut slot.content, object, self.writes);
            connection.begin(|head| self.requests.put(&name, self.bytes, head));
        } else {
            connection.begin(|head| self.requests.get(&name, head));
        }
        slot.busy = Some((op.kind, object));
        self.go_on(index)
    }

    /// Goes on with what a slot has in flight.
    fn go_on(&mut self, index: usize) -> Result<(), EngineError> {
        let slot = &mut self.slots[index];
        let (Some((kind, object)), Some(connection)) = (slot.busy, &mut slot.connection) else { return Ok(()) };
        let body = if kind == OpClass::Write { &slot.content[..] } else { &[] };
        let answer = match connection.go_on(body, &mut slot.into) {
            Ok(None) => return Ok(()),
            Ok(Some(answer)) => Ok(answer),
            Err(error) => Err(error),
        };
        let (at, fresh) = (RealClock.now(), connection.is_fresh());
        slot.busy = None;
        if answer.as_ref().map_or(true, |answer| answer.close) {
            slot.connection = None;
        }
        let result = match answer {
            Ok(answer) => {
                self.unreached = 0;
                self.result((kind, object), index, &answer)?
            }
            Err(error) => {
                self.unreached = if fresh { self.unreached + 1 } else { 0 };
                // One of many may be turned away by a full queue; where all are, nobody is there.
                if self.unreached >= self.slots.len() {
                    return Err(self.unreached(&error));
                }
                Err(lost(&error))
            }
        };
        self.ended.push(Done { slot: index as u32, at, result, told: None });
        Ok(())
    }

    /// What an answer means for its operation.
    ///
    /// # Errors
    /// No later operation could do better.
    fn result(
        &self,
        (kind, object): (OpClass, u64),
        index: usize,
        answer: &Answer,
    ) -> Result<Result<u32, OpError>, EngineError> {
        let into = &self.slots[index].into;
        let told = &into[..(answer.bytes as usize).min(into.len())];
        let whole = Ok(Ok(self.bytes as u32));
        match (kind, answer.status) {
            (OpClass::Write, 200 | 201 | 204) if answer.early => {
                Ok(Err(OpError::saying(libc::EPROTO, "the gateway said that it has all before all was sent")))
            }
            (OpClass::Write, 200 | 201 | 204) if S3Error::is_error_body(told) => {
                Ok(Err(OpError::saying(libc::EIO, "the gateway answered 200 with an error as its body")))
            }
            (OpClass::Write, 200 | 201 | 204) => whole,
            (_, 200) if answer.bytes != self.bytes as u64 => Ok(Ok(u32::try_from(answer.bytes).unwrap_or(u32::MAX))),
            (_, 200) if content::is_whole(told, object) => whole,
            (_, 200) => Ok(Err(OpError::saying(libc::EBADMSG, "what was read is not what was written (checksum)"))),
            (_, status) => match S3Error::hopeless(answer, told) {
                true => {
                    let what =
                        format!("{} of object {} at {}", kind.name(), self.names.name(object), self.requests.url);
                    Err(EngineError::Broken(S3Error::refused(&what, answer, told).to_string()))
                }
                false => Ok(Err(OpError::saying(libc::EIO, s3::status_in_words(status)))),
            },
        }
    }

    /// Waits until one of the connections can go on, for no longer than `timeout`, and says which could.
    fn wait(&self, timeout: Duration, events: &mut [EpollEvent]) -> Result<usize, EngineError> {
        let now = |events: &mut [EpollEvent], timeout| match self.epoll.wait(events, timeout) {
            Ok(found) => Ok(found),
            Err(nix::Error::EINTR) => Ok(0),
            Err(errno) => Err(broken(errno)),
        };
        if timeout >= COARSE {
            return now(events, EpollTimeout::try_from(timeout).unwrap_or(EpollTimeout::ZERO));
        }
        let found = now(events, EpollTimeout::ZERO)?;
        if found > 0 || timeout.is_zero() {
            return Ok(found);
        }
        match ppoll(
            &mut [PollFd::new(std::os::fd::AsFd::as_fd(&self.epoll.0), PollFlags::POLLIN)],
            Some(TimeSpec::from(timeout)),
            None,
        ) {
            Ok(_) | Err(nix::Error::EINTR) => now(events, EpollTimeout::ZERO),
            Err(errno) => Err(broken(errno)),
        }
    }
}

impl Session for GatewaySession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        ops.iter().try_for_each(|op| self.start(op))?;
        Ok(ops.len())
    }

    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let timeout = if self.ended.is_empty() { timeout } else { Duration::ZERO };
        let mut events = [EpollEvent::empty(); EVENTS];
        let found = self.wait(timeout, &mut events)?;
        for event in &events[..found] {
            self.go_on(event.data() as usize)?;
        }
        done.append(&mut self.ended);
        Ok(())
    }
}

/// What became of an operation whose connection broke.
fn lost(error: &io::Error) -> OpError {
    match (error.raw_os_error(), error.kind()) {
        (Some(errno @ (libc::ECONNRESET | libc::EPIPE)), _) => {
            OpError::saying(errno, "the gateway broke the connection")
        }
        (Some(errno), _) => OpError::of(errno),
        (None, io::ErrorKind::UnexpectedEof) => {
            OpError::saying(libc::ECONNRESET, "the gateway closed the connection without an answer")
        }
        _ => OpError::saying(libc::EPROTO, "what the gateway answered is no HTTP"),
    }
}

fn broken(errno: nix::Error) -> EngineError {
    EngineError::Broken(format!("waiting for connections: {errno}"))
}
