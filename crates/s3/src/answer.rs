//! What a gateway answered, and how the end of its body is known.

use std::fmt;
use std::io::{self, ErrorKind};

/// What a gateway answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub status: u16,
    /// Bytes of its body; those that the buffer had no room for are counted, and lost.
    pub bytes: u64,
    /// What it says that the body has, also where none comes (HEAD).
    pub length: Option<u64>,
    /// Which bytes of the whole these are, as the gateway writes it (`bytes 0-4095/65536`).
    pub range: Option<String>,
    /// Of what was put: by which the gateway knows its content.
    pub tag: Option<String>,
    /// The connection can't be used again.
    pub close: bool,
    /// It came before all of the request was sent.
    pub early: bool,
    /// The gateway's clock, of an answer that is none of success.
    pub date: Option<String>,
    /// Where it sends.
    pub location: Option<String>,
    /// To who has logged in by Swift: where the account's containers are, and the token to ask for them.
    pub storage: Option<String>,
    pub token: Option<String>,
}

pub(crate) struct Reading {
    pub answer: Answer,
    pub rest: Rest,
}

/// How the end of the body is known.
pub(crate) enum Rest {
    /// This many bytes are missing.
    Bytes(u64),
    /// The length of a chunk comes next.
    ChunkLength,
    /// This many bytes of a chunk are missing, and then the end of its line.
    Chunk(u64),
    /// Lines until an empty one.
    Trailer,
    Closing,
}

/// `bodyless`: whatever its length, no body follows.
pub(crate) fn read_head(head: &httparse::Response, status: u16, bodyless: bool) -> io::Result<Reading> {
    let value = |name: &str| {
        let found = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok().map(str::trim)
    };
    let has = |name: &str, word: &str| value(name).is_some_and(|value| value.to_ascii_lowercase().contains(word));
    let length =
        value("content-length").map(|text| text.parse::<u64>().map_err(|_| no_http("a length that is no number")));
    let length = length.transpose()?;
    let rest = match length {
        _ if bodyless || matches!(status, 204 | 304) => Rest::Bytes(0),
        _ if has("transfer-encoding", "chunked") => Rest::ChunkLength,
        Some(bytes) => Rest::Bytes(bytes),
        None => Rest::Closing,
    };
    let close = has("connection", "close") || (head.version == Some(0) && !has("connection", "keep-alive"));
    let told = |name: &str| value(name).filter(|_| status >= 300).map(str::to_string);
    let range = value("content-range").filter(|_| status == 206).map(str::to_string);
    let tag = value("etag").filter(|_| status == 200 && length == Some(0)).map(str::to_string);
    let (date, location) = (told("date"), told("location"));
    let of_login = |name: &str| value(name).map(str::to_string);
    let (storage, token) = (of_login("x-storage-url"), of_login("x-auth-token"));
    let answer = Answer { status, bytes: 0, length, range, tag, close, early: false, date, location, storage, token };
    Ok(Reading { answer, rest })
}

/// Appends to the body.
pub(crate) fn put(bytes: &[u8], answer: &mut Answer, into: &mut [u8]) {
    let at = usize::try_from(answer.bytes).unwrap_or(usize::MAX).min(into.len());
    let taken = bytes.len().min(into.len() - at);
    into[at..at + taken].copy_from_slice(&bytes[..taken]);
    answer.bytes += bytes.len() as u64;
}

pub(crate) fn no_http(why: impl fmt::Display) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("what it answers is no HTTP: {why}"))
}
