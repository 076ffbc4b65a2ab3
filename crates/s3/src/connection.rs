//! One HTTP/1.1 connection, kept open: one request at a time, and no call waits.

use crate::answer::{Answer, Reading, Rest, no_http, put, read_head};
use crate::tls::{Stream, Tls, is_early};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, connect, setsockopt, socket, sockopt::TcpNoDelay,
};
use std::io::{self, ErrorKind, IoSlice};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::{Duration, Instant};

pub struct Connection {
    stream: Stream,
    head: Vec<u8>,
    /// Of head and body together.
    sent: usize,
    /// What was received, and how much of it was looked at.
    received: Vec<u8>,
    seen: usize,
    /// Preliminary answers (1xx) to the request.
    early_answers: u32,
    /// Bytes that surround the chunks of an answer.
    around: u64,
    reading: Option<Reading>,
    /// Nothing was ever received on it.
    fresh: bool,
    /// When the first byte of the answer was here.
    first_byte: Option<Instant>,
    /// What arrives is acknowledged at once.
    acknowledges: bool,
}

/// A head of an answer is not larger; nor is what surrounds chunks.
const HEAD_MOST: usize = 64 << 10;
/// One is usual (100 Continue).
const EARLY_MOST: u32 = 16;
/// Beyond what was asked for: an error in its place, at most.
const BEYOND_MOST: u64 = 1 << 20;
/// Chunks of one byte have five around it, and some name themselves.
const AROUND_A_BYTE: u64 = 16;
const READ_AT_ONCE: usize = 16 << 10;
const HEADERS_MOST: usize = 64;

impl Connection {
    /// Begins to connect; whether that succeeds is seen by the first request.
    ///
    /// # Errors
    /// It can't even be tried.
    pub fn to(address: &SocketAddr, tls: Option<&Tls>) -> io::Result<Connection> {
        let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let socket = socket(family, SockType::Stream, flags, None)?;
        match connect(socket.as_raw_fd(), &SockaddrStorage::from(*address)) {
            Ok(()) | Err(Errno::EINPROGRESS) => {}
            Err(errno) => return Err(errno.into()),
        }
        setsockopt(&socket, TcpNoDelay, &true)?;
        let stream = Stream::over(TcpStream::from(socket), tls)?;
        Ok(Connection {
            stream,
            head: Vec::new(),
            sent: 0,
            received: Vec::new(),
            seen: 0,
            early_answers: 0,
            around: 0,
            reading: None,
            fresh: true,
            first_byte: None,
            acknowledges: false,
        })
    }

    /// From now on what arrives is acknowledged at once (TCP_QUICKACK), and not up to 40 ms later: whoever sends small packets only when all
    /// before them were acknowledged (Nagle's algorithm) has not to wait then.
    pub fn acknowledge_at_once(&mut self) {
        self.acknowledges = true;
    }

    /// Was nothing ever received on it? Then what goes wrong is that the gateway is not reached.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// When the first byte of the answer to the last request came; `None`: none has come.
    pub fn first_byte(&self) -> Option<Instant> {
        self.first_byte
    }

    /// Has the other end closed it while nothing was asked? What comes without having been asked for is no answer to anything.
    pub fn is_closed(&mut self) -> bool {
        !self.stream.read(&mut [0]).is_err_and(|error| is_early(&error))
    }

    /// Is a part of the request still here?
    pub fn sending(&self, body: &[u8]) -> bool {
        self.sent < self.head.len() + body.len() || self.stream.holds_back()
    }

    /// Waits until it is made, and TLS agreed upon; not longer than until `until`.
    ///
    /// # Errors
    /// It is not made.
    pub fn finish(&mut self, until: Instant) -> io::Result<()> {
        loop {
            if let Some(error) = self.stream.socket_error()? {
                return Err(error);
            }
            if self.stream.is_ready()? {
                return Ok(());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let made = self.stream.is_made();
                return Err(if made { ErrorKind::TimedOut.into() } else { Errno::ETIMEDOUT.into() });
            }
            wait(self.as_fd(), self.stream.waits_for(), left)?;
        }
    }

    /// Waits until there is something to read, or room to send what is still here.
    pub(crate) fn wait(&self, body: &[u8], left: Duration) -> io::Result<()> {
        let events = if self.sending(body) { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
        wait(self.as_fd(), events, left)
    }

    /// The next request, of which `write` makes the head.
    pub fn begin(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.head);
        (self.sent, self.reading) = (0, None);
        self.received.clear();
        (self.seen, self.early_answers, self.around) = (0, 0, 0);
        self.first_byte = None;
    }

    /// Goes on as far as it gets without waiting: sends the head and `body`, reads the answer, and its body into `into`. `None`: call
    /// again when there is something to read, or room to send. `body` is the same in each call for one request.
    ///
    /// # Errors
    /// The connection broke, or what comes is no HTTP: it can't be used again.
    pub fn go_on(&mut self, body: &[u8], into: &mut [u8]) -> io::Result<Option<Answer>> {
        // A gateway may refuse before it has all: then its answer counts, not that it closed.
        let sent = self.send(body);
        self.acknowledge()?;
        match self.receive(into) {
            Err(error) => Err(sent.err().unwrap_or(error)),
            Ok(None) => sent.map(|()| None),
            Ok(Some(answer)) => {
                let early = self.sending(body);
                Ok(Some(Answer { close: answer.close || early, early, ..answer }))
            }
        }
    }

    fn acknowledge(&self) -> io::Result<()> {
        if self.acknowledges { self.stream.acknowledge_now() } else { Ok(()) }
    }

    fn send(&mut self, body: &[u8]) -> io::Result<()> {
        loop {
            let head = &self.head[self.sent.min(self.head.len())..];
            let body = &body[self.sent.saturating_sub(self.head.len()).min(body.len())..];
            if head.is_empty() && body.is_empty() {
                return self.stream.push();
            }
            match self.stream.write_vectored(&[IoSlice::new(head), IoSlice::new(body)]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(bytes) => self.sent += bytes,
                Err(error) if is_early(&error) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn receive(&mut self, into: &mut [u8]) -> io::Result<Option<Answer>> {
        loop {
            if let Some(answer) = self.whole(into)? {
                return Ok(Some(answer));
            }
            match self.read(into) {
                Ok(0) => return self.ended(),
                Ok(_) => {
                    self.acknowledge()?;
                    self.fresh = false;
                    self.first_byte.get_or_insert_with(Instant::now);
                }
                Err(error) if is_early(&error) => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads some more: of a body whose length is known directly to where it belongs.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(Reading { answer, rest: Rest::Bytes(left) }) = &mut self.reading {
            let at = usize::try_from(answer.bytes).unwrap_or(usize::MAX).min(into.len());
            let room = usize::try_from(*left).unwrap_or(usize::MAX).min(into.len() - at);
            if room > 0 {
                let bytes = self.stream.read(&mut into[at..at + room])?;
                answer.bytes += bytes as u64;
                *left -= bytes as u64;
                return Ok(bytes);
            }
        }
        self.received.drain(..self.seen);
        self.seen = 0;
        let had = self.received.len();
        self.received.resize(had + READ_AT_ONCE, 0);
        let read = self.stream.read(&mut self.received[had..]);
        self.received.truncate(had + read.as_ref().copied().unwrap_or(0));
        read
    }

    /// The end of what comes is the end of a body whose length nobody told.
    fn ended(&mut self) -> io::Result<Option<Answer>> {
        match self.reading.take() {
            Some(Reading { answer, rest: Rest::Closing }) => Ok(Some(Answer { close: true, ..answer })),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Looks at what was received; the answer, once it is whole.
    fn whole(&mut self, into: &mut [u8]) -> io::Result<Option<Answer>> {
        if self.reading.is_none() {
            self.reading = self.parsed_head()?;
        }
        let Some(Reading { answer, rest }) = &mut self.reading else { return Ok(None) };
        loop {
            if answer.bytes > into.len() as u64 + BEYOND_MOST {
                return Err(no_http("its body is larger than what was asked for"));
            }
            if self.around > HEAD_MOST as u64 + AROUND_A_BYTE * answer.bytes {
                return Err(no_http("there is more around its chunks than in them"));
            }
            let pending = &self.received[self.seen..];
            match rest {
                Rest::Bytes(0) => break,
                Rest::Bytes(left) | Rest::Chunk(left @ 1..) => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(pending.len());
                    put(&pending[..taken], answer, into);
                    (*left, self.seen) = (*left - taken as u64, self.seen + taken);
                    if *left > 0 {
                        return Ok(None);
                    }
                }
                Rest::Chunk(0) => match pending {
                    [b'\r', b'\n', ..] => (*rest, self.seen) = (Rest::ChunkLength, self.seen + 2),
                    [] | [b'\r'] => return Ok(None),
                    _ => return Err(no_http("a chunk longer than it says")),
                },
                Rest::ChunkLength => match httparse::parse_chunk_size(pending) {
                    Ok(httparse::Status::Complete((used, bytes))) => {
                        *rest = if bytes == 0 { Rest::Trailer } else { Rest::Chunk(bytes) };
                        (self.seen, self.around) = (self.seen + used, self.around + used as u64);
                    }
                    Ok(httparse::Status::Partial) if pending.len() < HEAD_MOST => return Ok(None),
                    _ => return Err(no_http("a chunk without a length")),
                },
                Rest::Trailer => match pending.windows(2).position(|two| two == b"\r\n") {
                    Some(0) => (*rest, self.seen) = (Rest::Bytes(0), self.seen + 2),
                    Some(line) => {
                        (self.seen, self.around) = (self.seen + line + 2, self.around + line as u64 + 2);
                    }
                    None if pending.len() < HEAD_MOST => return Ok(None),
                    None => return Err(no_http("its trailer has no end")),
                },
                Rest::Closing => {
                    put(pending, answer, into);
                    self.seen = self.received.len();
                    return Ok(None);
                }
            }
        }
        // More than the answer.
        let surplus = self.seen < self.received.len();
        Ok(self.reading.take().map(|Reading { answer, .. }| Answer { close: answer.close || surplus, ..answer }))
    }

    fn parsed_head(&mut self) -> io::Result<Option<Reading>> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; HEADERS_MOST];
            let mut head = httparse::Response::new(&mut headers);
            let used = match head.parse(&self.received[self.seen..]).map_err(no_http)? {
                httparse::Status::Complete(used) => used,
                httparse::Status::Partial if self.received.len() > HEAD_MOST => {
                    return Err(no_http("its head has no end"));
                }
                httparse::Status::Partial => return Ok(None),
            };
            let status = head.code.unwrap_or_default();
            // Only a preliminary answer.
            if (100..200).contains(&status) {
                self.seen += used;
                self.early_answers += 1;
                if self.early_answers > EARLY_MOST {
                    return Err(no_http("it never gets beyond preliminary answers"));
                }
                continue;
            }
            let reading = read_head(&head, status, self.head.starts_with(b"HEAD "))?;
            self.seen += used;
            return Ok(Some(reading));
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

fn wait(of: BorrowedFd<'_>, events: PollFlags, left: Duration) -> io::Result<()> {
    match poll(&mut [PollFd::new(of, events)], PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests;
