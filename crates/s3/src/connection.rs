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
        })
    }

    /// Was nothing ever received on it? Then what goes wrong is that the gateway is not reached.
    pub fn is_fresh(&self) -> bool {
        self.fresh
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
    }

    /// Goes on as far as it gets without waiting: sends the head and `body`, reads the answer, and its body into `into`. `None`: call
    /// again when there is something to read, or room to send. `body` is the same in each call for one request.
    ///
    /// # Errors
    /// The connection broke, or what comes is no HTTP: it can't be used again.
    pub fn go_on(&mut self, body: &[u8], into: &mut [u8]) -> io::Result<Option<Answer>> {
        // A gateway may refuse before it has all: then its answer counts, not that it closed.
        let sent = self.send(body);
        match self.receive(into) {
            Err(error) => Err(sent.err().unwrap_or(error)),
            Ok(None) => sent.map(|()| None),
            Ok(Some(answer)) => {
                let early = self.sending(body);
                Ok(Some(Answer { close: answer.close || early, early, ..answer }))
            }
        }
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
                Ok(_) => self.fresh = false,
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
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// What a connection makes of an answer that comes in these parts, after a request with a body.
    fn read(parts: Vec<Vec<u8>>, room: usize, closes: bool) -> (io::Result<Answer>, Vec<u8>) {
        read_after("PUT", parts, room, closes)
    }

    fn read_after(method: &str, parts: Vec<Vec<u8>>, room: usize, closes: bool) -> (io::Result<Answer>, Vec<u8>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 64];
            let _ = stream.read(&mut request).unwrap();
            for part in parts {
                let _ = stream.write_all(&part);
                std::thread::yield_now();
            }
            // Held open until the other end has seen enough.
            (!closes).then_some(stream)
        });
        let mut connection = Connection::to(&address, None).unwrap();
        connection.begin(|head| head.extend_from_slice(format!("{method} / HTTP/1.1\r\n\r\n").as_bytes()));
        let mut into = vec![0; room];
        let answer = loop {
            match connection.go_on(b"body", &mut into) {
                Ok(None) => std::thread::yield_now(),
                Ok(Some(answer)) => break Ok(answer),
                Err(error) => break Err(error),
            }
        };
        drop(server.join().unwrap());
        (answer, into)
    }

    fn whole(text: &str) -> (io::Result<Answer>, Vec<u8>) {
        read(vec![text.as_bytes().to_vec()], 16, false)
    }

    #[test]
    fn no_body_follows_when_only_its_length_was_asked_for() {
        let told = b"HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n".to_vec();
        let (answer, _) = read_after("HEAD", vec![told], 16, false);
        assert_eq!(answer.unwrap(), Answer { status: 200, length: Some(4096), ..Answer::default() });
    }

    #[test]
    fn an_answer_is_read_as_it_tells_its_length() {
        let (answer, into) = whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        assert_eq!(
            (answer.unwrap(), &into[..5]),
            (Answer { status: 200, bytes: 5, length: Some(5), ..Answer::default() }, &b"hello"[..])
        );
        let (answer, into) = whole(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrail: er\r\n\r\n",
        );
        assert_eq!((answer.unwrap().bytes, &into[..5]), (5, &b"hello"[..]));
        let (answer, _) = whole("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
        assert_eq!(answer.unwrap(), Answer { status: 204, ..Answer::default() });
        let (answer, into) = read(vec![b"HTTP/1.0 200 OK\r\n\r\nhel".to_vec(), b"lo".to_vec()], 16, true);
        let answer = answer.unwrap();
        assert_eq!((answer.bytes, answer.close, &into[..5]), (5, true, &b"hello"[..]));
    }

    #[test]
    fn what_is_larger_than_asked_for_is_counted_and_not_kept() {
        let text = format!("HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n{}", "x".repeat(40_000));
        let (answer, into) = whole(&text);
        assert_eq!((answer.unwrap().bytes, into), (40_000, vec![b'x'; 16]));
    }

    #[test]
    fn an_answer_that_breaks_off_or_is_none_is_an_error() {
        for text in [
            "",
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel",
        ] {
            let (answer, _) = read(vec![text.as_bytes().to_vec()], 16, true);
            assert_eq!(answer.unwrap_err().kind(), ErrorKind::UnexpectedEof, "{text}");
        }
        for text in [
            "SSH-2.0-OpenSSH\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ] {
            let (answer, _) = whole(text);
            assert_eq!(answer.unwrap_err().kind(), ErrorKind::InvalidData, "{text}");
        }
    }

    #[test]
    fn an_answer_before_all_was_sent_is_told_as_such() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 10];
            stream.read_exact(&mut head).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
            stream
        });
        let mut connection = Connection::to(&address, None).unwrap();
        connection.begin(|head| head.extend_from_slice(b"PUT / HTTP/1.1\r\n\r\n"));
        // More than the buffers of both ends hold.
        let body = vec![7; 64 << 20];
        let answer = loop {
            match connection.go_on(&body, &mut [0; 16]).unwrap() {
                Some(answer) => break answer,
                None => std::thread::yield_now(),
            }
        };
        assert_eq!((answer.status, answer.early, answer.close), (200, true, true));
        drop(server.join().unwrap());
        let (whole, _) = whole("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        assert!(!whole.unwrap().early);
    }

    #[test]
    fn what_has_no_end_around_its_chunks_is_an_error() {
        let lines = "a: b\r\n".repeat(20_000);
        let (answer, _) = whole(&format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n{lines}"));
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::InvalidData);
        let (answer, _) = whole(&"HTTP/1.1 100 Continue\r\n\r\n".repeat(100));
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::InvalidData);
        let chunks = "1\r\nx\r\n".repeat(9000);
        let (answer, into) = whole(&format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"));
        assert_eq!((answer.unwrap().bytes, into), (9000, vec![b'x'; 16]));
    }

    #[test]
    fn nothing_that_listens_is_seen_by_the_first_request() {
        let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut connection = Connection::to(&gone, None).unwrap();
        connection.begin(|head| head.extend_from_slice(b"GET / HTTP/1.1\r\n\r\n"));
        let error = loop {
            match connection.go_on(&[], &mut []) {
                Ok(None) => std::thread::yield_now(),
                other => break other.unwrap_err(),
            }
        };
        assert_eq!((error.kind(), connection.is_fresh()), (ErrorKind::ConnectionRefused, true));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn where_it_is_cut_on_its_way_makes_no_difference(cuts in proptest::collection::vec(1usize..30, 0..12), chunked: bool) {
            let body = "a body of some bytes";
            let text = match chunked {
                true => format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na bod\r\nf\r\n{}\r\n0\r\n\r\n", &body[5..]),
                false => format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
            };
            let mut left = text.as_bytes();
            let mut parts = Vec::new();
            for cut in cuts {
                let (part, rest) = left.split_at(cut.min(left.len()));
                parts.push(part.to_vec());
                left = rest;
            }
            parts.push(left.to_vec());
            let (answer, into) = read(parts, 64, false);
            prop_assert_eq!(answer.unwrap().bytes, body.len() as u64);
            prop_assert_eq!(&into[..body.len()], body.as_bytes());
        }

        #[test]
        fn no_answer_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), head: bool) {
            let begin: &[u8] = if head { b"HTTP/1.1 200 OK\r\n" } else { b"" };
            let _ = read(vec![[begin, &bytes].concat()], 8, true);
        }
    }
}
