//! Answers that come in parts, break off, or are none.

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
    let (answer, into) =
        whole("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrail: er\r\n\r\n");
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

#[test]
fn the_first_byte_is_timed_when_it_comes_and_not_when_the_answer_is_whole() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut connection = Connection::to(&listener.local_addr().unwrap(), None).unwrap();
    connection.begin(|head| head.extend_from_slice(b"GET / HTTP/1.1\r\n\r\n"));
    let (mut server, _) = listener.accept().unwrap();
    let mut into = [0; 5];
    let mut go_on = || {
        let answer = connection.go_on(&[], &mut into).unwrap();
        (answer, connection.first_byte())
    };
    assert_eq!(go_on(), (None, None));
    server.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nh").unwrap();
    let first = loop {
        let (answer, first_byte) = go_on();
        assert_eq!(answer, None);
        if first_byte.is_some() {
            break first_byte;
        }
    };
    server.write_all(b"ello").unwrap();
    let last = loop {
        if let (Some(answer), first_byte) = go_on() {
            break (answer.bytes, first_byte);
        }
    };
    assert_eq!(last, (5, first));
    // Of the next request nothing has come.
    connection.begin(|head| head.extend_from_slice(b"GET / HTTP/1.1\r\n\r\n"));
    assert_eq!(connection.first_byte(), None);
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
