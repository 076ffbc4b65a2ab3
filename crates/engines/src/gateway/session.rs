//! One lane at a gateway: a connection for each slot, all waited for together.

use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers;
use crate::clock::RealClock;
use crate::content;
use crate::gateway::names::{Names, PAGE};
use crate::gateway::parts::Upload;
use crate::gateway::slot::{Request, Slot};
use crate::gateway::spread::Spread;
use crate::offsets::stock;
use model::workload::QUICK_ACKS;
use model::{Bytes, Clock, Nanos, OpClass, Workload};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use s3::{ANSWER_WITHIN, Answer, OpenUpload, Requests, S3Error};
use std::io;
use std::time::{Duration, Instant};

/// Timers of epoll are of milliseconds: shorter waits than this need finer ones.
const COARSE: Duration = Duration::from_millis(20);
const EVENTS: usize = 64;
/// So many new connections in a row without an answer, at least, say that nobody is there.
const UNREACHED_LEAST: usize = 8;
/// The body of an error.
const REASON: usize = 4096;
/// How long whoever ends a session waits until the uploads that it left open are given up.
const ABORT_WITHIN: Duration = Duration::from_secs(5);
/// How long whoever is overloaded is left alone, longer with each time, and at most.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MOST: Duration = Duration::from_secs(1);
/// That of a page of names: RGW takes some 400 bytes for each.
const LISTED: usize = PAGE << 10;

pub struct GatewaySession {
    /// Of each bucket.
    buckets: Vec<Requests>,
    pub(super) names: Names,
    /// Of each request; less than an object has, where a part of it is read; where sizes differ, of the largest.
    pub(super) bytes: usize,
    pub(super) slots: Vec<Slot>,
    spread: Spread,
    epoll: Epoll,
    /// The number of the last write.
    writes: u64,
    /// New connections in a row on which nothing was ever answered.
    unreached: usize,
    ended: Vec<Done>,
    /// Objects beside the working set that this session put, and has not deleted yet.
    made: Vec<u64>,
    /// Uploads that were begun and failed, each in the bucket of this number. They are given up at the end, when nothing is measured.
    left_open: Vec<(usize, OpenUpload)>,
    /// What arrives is acknowledged at once.
    quick_acks: bool,
    /// Bytes of the parts in which objects are put.
    part: Option<Bytes>,
    /// Objects that one request deletes.
    pub(super) at_once: u32,
}

/// The engine's only option: is what arrives acknowledged at once?
///
/// # Errors
/// Another option, or value, in words.
pub fn quick_acks(workload: &Workload) -> Result<bool, String> {
    if let Some(other) = workload.options.keys().find(|name| *name != QUICK_ACKS) {
        return Err(format!("the s3 engine has no option {other}; it has {QUICK_ACKS}=on"));
    }
    match workload.options.get(QUICK_ACKS).map(String::as_str) {
        None | Some("off") => Ok(false),
        Some("on") => Ok(true),
        Some(other) => Err(format!("{QUICK_ACKS} = {other} is not known; choose on or off")),
    }
}

/// Bytes of an answer.
pub fn room(workload: &Workload) -> usize {
    let bytes = usize::try_from(workload.block).unwrap_or(usize::MAX);
    if workload.mix.has(OpClass::List) { LISTED.max(bytes) } else { bytes.max(REASON) }
}

impl GatewaySession {
    /// All connections are made, and TLS is agreed upon, so that no operation has to wait for that.
    pub fn open(
        buckets: Vec<Requests>,
        names: Names,
        workload: &Workload,
        (depth, seed, spread): (u32, u64, Spread),
    ) -> Result<GatewaySession, EngineError> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(broken)?;
        let bytes = usize::try_from(workload.block).unwrap_or(usize::MAX);
        let room = room(workload);
        let slot = |slot: u32| {
            let mut content = vec![0; bytes];
            buffers::fill(&mut content, seed ^ (u64::from(slot) << 48));
            let others = (1..spread.each).map(|_| None).collect();
            let (connection, busy, upload, upload_id, list) = (None, None, None, None, String::new());
            Slot { connection, others, turn: 0, busy, upload, upload_id, content, list, into: vec![0; room] }
        };
        let slots: Vec<Slot> = (0..depth).map(slot).collect();
        // Numbers go on from the clock: those of another slice, or run, are others.
        let writes = RealClock.now() ^ seed.rotate_left(32);
        let (unreached, ended, made, left_open) = (0, Vec::new(), Vec::new(), Vec::new());
        let quick_acks = quick_acks(workload).map_err(EngineError::Refused)?;
        let (part, at_once) = (workload.part, workload.deleted_at_once());
        let mut session = GatewaySession {
            buckets,
            names,
            bytes,
            slots,
            spread,
            epoll,
            writes,
            unreached,
            ended,
            made,
            left_open,
            quick_acks,
            part,
            at_once,
        };
        for slot in 0..depth as usize {
            for _ in 0..spread.each {
                session.connect(slot)?;
                session.slots[slot].take_turn();
            }
        }
        let until = Instant::now() + ANSWER_WITHIN;
        for slot in 0..depth as usize {
            let Slot { connection, others, .. } = &mut session.slots[slot];
            let mut all = others.iter_mut().chain(std::iter::once(connection)).flatten();
            let finished = all.try_for_each(|connection| connection.finish(until));
            finished.map_err(|error| session.unreached(&error))?;
        }
        if workload.mix.has(OpClass::Delete) {
            session.stock(depth, stock(workload))?;
        }
        Ok(session)
    }

    /// Objects to delete: as many as are counted upon, and one for each request that may be in flight. What is not put is put again: an answer
    /// of "too many requests" before the slice says nothing of what is measured in it.
    ///
    /// # Errors
    /// None could be put for as long as an answer may take, or it is hopeless.
    fn stock(&mut self, depth: u32, stock: u32) -> Result<(), EngineError> {
        let len = |slot: u32| u32::try_from(self.names.bytes(slot.into())).unwrap_or(u32::MAX);
        let put = |slot| Op { slot, kind: OpClass::Create, offset: 0, len: len(slot), due: 0 };
        let puts: Vec<Op> = (0..depth).map(put).collect();
        let (all, mut pause) = ((depth + stock) as usize, Duration::ZERO);
        let mut until = Instant::now() + ANSWER_WITHIN;
        while self.made.len() < all {
            let (had, mut done) = (self.made.len(), Vec::new());
            let some = &puts[..puts.len().min(all - had)];
            self.submit(some)?;
            while done.len() < some.len() {
                if Instant::now() > until {
                    let why = format!("{}: objects to delete could not be put in time", self.first().url);
                    return Err(EngineError::Broken(why));
                }
                self.reap(COARSE, &mut done)?;
            }
            if self.made.len() > had {
                until = Instant::now() + ANSWER_WITHIN;
            }
            let Some(error) = done.iter().find_map(|done| done.result.as_ref().err()) else { continue };
            pause = (pause + PAUSE).min(PAUSE_MOST);
            if Instant::now() + pause > until {
                let seconds = ANSWER_WITHIN.as_secs();
                return Err(EngineError::Broken(format!("put an object to delete: {error}, for {seconds} s")));
            }
            std::thread::sleep(pause);
        }
        Ok(())
    }

    fn connect(&mut self, slot: usize) -> Result<(), EngineError> {
        let number = self.spread.number(slot, self.slots[slot].turn);
        let mut connection = self.first().connect(number).map_err(|error| self.unreached(&error))?;
        if self.quick_acks {
            connection.acknowledge_at_once();
        }
        // Each change of its state is told once; whoever goes on, goes on until nothing is left to read or to send.
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
        self.epoll.add(&connection, EpollEvent::new(flags, slot as u64)).map_err(broken)?;
        self.slots[slot].connection = Some(connection);
        Ok(())
    }

    /// All are at one gateway.
    pub(super) fn first(&self) -> &Requests {
        &self.buckets[0]
    }

    fn unreached(&self, error: &io::Error) -> EngineError {
        EngineError::Broken(S3Error::unreached(&self.first().url, error).to_string())
    }

    fn start(&mut self, op: &Op) -> Result<(), EngineError> {
        let index = op.slot as usize;
        let Some(request) = self.request(op) else {
            let result = Err(OpError::saying(libc::ENOENT, "too few of the objects that were put are left"));
            self.ended.push(Done { slot: op.slot, at: RealClock.now(), result, told: None, first_byte: None });
            return Ok(());
        };
        self.slots[index].take_turn();
        // The other end may have closed it since, or sent something without being asked.
        if self.slots[index].connection.as_mut().is_none_or(|open| open.is_closed()) {
            self.connect(index)?;
        }
        let name = self.name(&request);
        let slot = &mut self.slots[index];
        let Some(connection) = &mut slot.connection else { return Ok(()) };
        let (requests, bytes) = (&self.buckets[self.names.bucket(request.object)], self.bytes as Bytes);
        match request.kind {
            OpClass::Write | OpClass::Create => {
                let sent = request.bytes as usize;
                content::mark(&mut slot.content[..sent], request.object, self.writes);
                slot.upload = self.part.filter(|part| *part < request.bytes.into()).map(|_| Upload::Begun);
                match slot.upload {
                    Some(_) => connection.begin(|head| requests.begin_upload(&name, head)),
                    None => connection.begin(|head| requests.put(&name, sent, head)),
                }
            }
            OpClass::Stat => connection.begin(|head| requests.look(&name, head)),
            OpClass::Delete if self.at_once > 1 => {
                // That one, and those that were put last: `request` has looked whether there are as many.
                let from = self.made.len().saturating_sub(self.at_once as usize - 1);
                let others = self.made.drain(from..).map(|number| self.names.fresh(number));
                let all: Vec<String> = std::iter::once(name).chain(others).collect();
                connection.begin(|head| slot.list = requests.delete(&all, head));
            }
            OpClass::Delete => connection.begin(|head| requests.delete_one(&name, head)),
            OpClass::List => connection.begin(|head| requests.page(self.names.prefix(), &name, PAGE, head)),
            _ if bytes < self.names.size => {
                connection.begin(|head| requests.get_range(&name, request.from..request.from + bytes, head));
            }
            _ => connection.begin(|head| requests.get(&name, head)),
        }
        slot.busy = Some(request);
        self.go_on(index)
    }

    /// `None`: there are too few to delete.
    fn request(&mut self, op: &Op) -> Option<Request> {
        let (of_set, from) = self.names.at(op.offset);
        if matches!(op.kind, OpClass::Write | OpClass::Create) {
            self.writes = self.writes.wrapping_add(1);
        }
        let object = match op.kind {
            OpClass::Create => self.writes,
            // Where objects could not be put, there are fewer than were counted upon.
            OpClass::Delete if self.made.len() < self.at_once as usize => return None,
            OpClass::Delete => self.made.swap_remove(of_set as usize % self.made.len()),
            _ => of_set,
        };
        Some(Request { kind: op.kind, object, from, bytes: op.len.min(self.bytes as u32) })
    }

    pub(super) fn name(&self, request: &Request) -> String {
        match request.kind {
            OpClass::Create | OpClass::Delete => self.names.fresh(request.object),
            _ => self.names.name(request.object),
        }
    }

    /// Goes on with what a slot has in flight.
    fn go_on(&mut self, index: usize) -> Result<(), EngineError> {
        let slot = &mut self.slots[index];
        let (Some(request), Some(connection)) = (slot.busy, &mut slot.connection) else { return Ok(()) };
        let puts = matches!(request.kind, OpClass::Write | OpClass::Create);
        let content = &slot.content[..request.bytes as usize];
        let body = match (&slot.upload, self.part) {
            (Some(upload), Some(part)) => upload.body(content, part),
            _ if puts => content,
            _ if request.kind == OpClass::Delete && self.at_once > 1 => slot.list.as_bytes(),
            _ => &[],
        };
        let answer = match connection.go_on(body, &mut slot.into) {
            Ok(None) => return Ok(()),
            Ok(Some(answer)) => Ok(answer),
            Err(error) => Err(error),
        };
        let answer = match answer {
            Ok(answer) if slot.upload.is_some() => match self.next_part(index, &request, &answer)? {
                Ok(true) => return self.go_on(index),
                Ok(false) => Ok(answer),
                Err(error) => {
                    if answer.close {
                        self.slots[index].connection = None;
                    }
                    return self.end(index, &request, Err(error), None);
                }
            },
            answer => answer,
        };
        let slot = &mut self.slots[index];
        let Some(connection) = &mut slot.connection else { return Ok(()) };
        let (at, fresh) = (RealClock.now(), connection.is_fresh());
        let first_byte = connection.first_byte().filter(|_| request.kind == OpClass::Read);
        let first_byte = first_byte.map(|came| at.saturating_sub(came.elapsed().as_nanos() as Nanos));
        if answer.as_ref().map_or(true, |answer| answer.close) {
            slot.connection = None;
        }
        let result = match answer {
            Ok(answer) => {
                self.unreached = 0;
                self.result(&request, index, &answer)?
            }
            Err(error) => {
                self.unreached = if fresh { self.unreached + 1 } else { 0 };
                // One of many may be turned away by a full queue; where all are, nobody is there.
                if self.unreached >= self.slots.len().max(UNREACHED_LEAST) {
                    return Err(self.unreached(&error));
                }
                Err(lost(&error))
            }
        };
        self.end(index, &request, result, Some((at, first_byte)))
    }

    /// `at`: when it ended, if that is not now, and when its first byte came.
    fn end(
        &mut self,
        index: usize,
        request: &Request,
        result: Result<u32, OpError>,
        at: Option<(Nanos, Option<Nanos>)>,
    ) -> Result<(), EngineError> {
        let (at, first_byte) = at.unwrap_or_else(|| (RealClock.now(), None));
        if result.is_err() {
            self.leave_open(index, request);
        }
        let slot = &mut self.slots[index];
        (slot.busy, slot.upload, slot.upload_id) = (None, None, None);
        if request.kind == OpClass::Create && result.is_ok() {
            self.made.push(request.object);
        }
        self.ended.push(Done { slot: index as u32, at, result, told: None, first_byte });
        Ok(())
    }

    /// Remembers what was begun of an object, if it is put in parts.
    fn leave_open(&mut self, index: usize, request: &Request) {
        if let Some(id) = self.slots[index].upload_id.take() {
            let upload = OpenUpload { key: self.name(request), id };
            self.left_open.push((self.names.bucket(request.object), upload));
        }
    }

    /// Goes on with an object that is put in parts: is there another request to be made?
    fn next_part(
        &mut self,
        index: usize,
        request: &Request,
        answer: &Answer,
    ) -> Result<Result<bool, OpError>, EngineError> {
        match Upload::is_taken(answer) {
            Ok(true) => {}
            Ok(false) => return Ok(Ok(false)),
            Err(why) => return Ok(Err(OpError::saying(libc::EPROTO, why))),
        }
        let (name, part) = (self.name(request), self.part.unwrap_or(Bytes::MAX));
        let whole = |into: &[u8]| (answer.bytes as usize).min(into.len());
        let told = self.slots[index].into[..whole(&self.slots[index].into)].to_vec();
        let (Some(upload), false) = (self.slots[index].upload.take(), S3Error::is_error_body(&told)) else {
            return Ok(Ok(false));
        };
        let mut head = Vec::new();
        let requests = &self.buckets[self.names.bucket(request.object)];
        let tag = answer.tag.as_deref();
        let content = &self.slots[index].content[..request.bytes as usize];
        let next = upload.next((requests, &name), (content, part), (&told, tag), &mut head);
        match next {
            Ok(None) => return Ok(Ok(false)),
            Err(why) => return Ok(Err(OpError::saying(libc::EPROTO, why))),
            Ok(next) => self.slots[index].upload = next,
        }
        let slot = &mut self.slots[index];
        if let (None, Some(Upload::Part { id, .. })) = (&slot.upload_id, &slot.upload) {
            slot.upload_id = Some(id.clone());
        }
        if answer.close || self.slots[index].connection.as_mut().is_none_or(|open| open.is_closed()) {
            self.connect(index)?;
        }
        if let Some(connection) = &mut self.slots[index].connection {
            connection.begin(|to| to.clone_from(&head));
        }
        Ok(Ok(true))
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

/// Uploads that failed, or are under way, are given up as far as there is time: what is left of them goes with the bucket, but until then
/// their parts take room.
impl Drop for GatewaySession {
    fn drop(&mut self) {
        for index in 0..self.slots.len() {
            // A part that is still sent could come after its upload was given up.
            self.slots[index].connection = None;
            if let Some(request) = self.slots[index].busy.take() {
                self.leave_open(index, &request);
            }
        }
        let of_buckets = self.left_open.iter().map(|(bucket, upload)| (&self.buckets[*bucket], upload.clone()));
        let _in_time = s3::abort_all(&of_buckets.collect::<Vec<_>>(), Instant::now() + ABORT_WITHIN);
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
