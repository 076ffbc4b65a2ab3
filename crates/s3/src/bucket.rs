//! A bucket of our own: made, marked as a run's, and removed with what is ours in it.

use crate::connection::{Answer, Connection};
use crate::errors::S3Error;
use crate::keys::Access;
use crate::requests::Requests;
use model::Gateway;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rusty_s3::actions::{DeleteObjectsResponse, ListObjectsV2};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// The object that tells whose a bucket is.
pub const MARK: &str = "fathom.run";
/// For one answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// A list of names, or an error.
const ANSWER_MOST: usize = 4 << 20;
/// Names in one request: the most that S3 lists and deletes.
const AT_ONCE: usize = 1000;

pub struct Bucket {
    name: String,
    requests: Requests,
    connection: Option<Connection>,
    body: Vec<u8>,
}

impl Bucket {
    /// Nothing is asked yet.
    ///
    /// # Errors
    /// The address is none.
    pub fn of(gateway: &Gateway, name: &str, access: &Access) -> Result<Bucket, S3Error> {
        let requests = Requests::new(gateway, name, access)?;
        Ok(Bucket { name: name.to_string(), requests, connection: None, body: vec![0; ANSWER_MOST] })
    }

    /// # Errors
    /// It is not known, or it is somebody else's.
    pub fn exists(&mut self) -> Result<bool, S3Error> {
        let answer = self.ask(|requests, head| requests.head_bucket(head), &[])?;
        match answer.status {
            200 => Ok(true),
            404 => Ok(false),
            // The answer to HEAD has no body to tell why.
            403 => self.names("").map(|_| true),
            _ => Err(self.refused("looking for bucket", &answer)),
        }
    }

    /// Makes it, and puts this mark into it.
    ///
    /// # Errors
    /// It is not made, or not marked.
    pub fn create(&mut self, mark: &str) -> Result<(), S3Error> {
        self.asked("making bucket", &[200, 201, 204], |requests, head| requests.create_bucket(head), &[])?;
        let mark = mark.as_bytes();
        self.asked("marking bucket", &[200, 201, 204], |requests, head| requests.put(MARK, mark.len(), head), mark)?;
        Ok(())
    }

    /// The mark in it; `None`: there is none.
    ///
    /// # Errors
    /// It is not told.
    pub fn mark(&mut self) -> Result<Option<String>, S3Error> {
        let answer = self.ask(|requests, head| requests.get(MARK, head), &[])?;
        match answer.status {
            200 => Ok(Some(String::from_utf8_lossy(self.told(&answer)).into_owned())),
            404 => Ok(None),
            _ => Err(self.refused("reading the mark of bucket", &answer)),
        }
    }

    /// The first names in it that begin with `prefix`, in their order.
    ///
    /// # Errors
    /// They are not told.
    pub fn names(&mut self, prefix: &str) -> Result<Vec<String>, S3Error> {
        let what = "listing bucket";
        let answer = self.asked(what, &[200], |requests, head| requests.list(prefix, AT_ONCE, head), &[])?;
        let text = String::from_utf8_lossy(self.told(&answer)).into_owned();
        let listed = ListObjectsV2::parse_response(&text).map_err(|error| S3Error::Refused {
            what: format!("{what} {}", self.name),
            url: self.requests.url.clone(),
            status: answer.status,
            code: String::new(),
            why: format!("its answer is not understood: {error}"),
        })?;
        Ok(listed.contents.into_iter().map(|object| object.key).collect())
    }

    /// Deletes these objects, at most as many as [`Bucket::names`] tells at once.
    ///
    /// # Errors
    /// One of them was not deleted.
    pub fn delete(&mut self, names: &[String]) -> Result<(), S3Error> {
        let what = "deleting objects of bucket";
        let requests = self.requests.clone();
        let answer = self.exchange(|head| requests.delete(names, head).into_bytes())?;
        if answer.status != 200 {
            return Err(self.refused(what, &answer));
        }
        let text = String::from_utf8_lossy(self.told(&answer)).into_owned();
        let why = match DeleteObjectsResponse::parse(&text) {
            Err(error) => format!("its answer is not understood: {error}"),
            Ok(told) => match told.errors.first() {
                None => return Ok(()),
                Some(error) => format!("{error:?}"),
            },
        };
        let (what, url) = (format!("{what} {}", self.name), self.requests.url.clone());
        Err(S3Error::Refused { what, url, status: answer.status, code: String::new(), why })
    }

    /// Deletes the bucket, which is empty. `false`: it is not empty.
    ///
    /// # Errors
    /// It is not deleted.
    pub fn remove(&mut self) -> Result<bool, S3Error> {
        let answer = self.ask(|requests, head| requests.delete_bucket(head), &[])?;
        match answer.status {
            200 | 204 | 404 => Ok(true),
            409 => Ok(false),
            _ => Err(self.refused("deleting bucket", &answer)),
        }
    }

    fn asked(
        &mut self,
        what: &str,
        good: &[u16],
        request: impl FnOnce(&Requests, &mut Vec<u8>),
        body: &[u8],
    ) -> Result<Answer, S3Error> {
        let answer = self.ask(request, body)?;
        if good.contains(&answer.status) { Ok(answer) } else { Err(self.refused(what, &answer)) }
    }

    fn refused(&self, what: &str, answer: &Answer) -> S3Error {
        S3Error::refused(&format!("{what} {}", self.name), &self.requests.url, answer, self.told(answer))
    }

    fn told(&self, answer: &Answer) -> &[u8] {
        &self.body[..(answer.bytes as usize).min(self.body.len())]
    }

    fn ask(&mut self, request: impl FnOnce(&Requests, &mut Vec<u8>), body: &[u8]) -> Result<Answer, S3Error> {
        let requests = self.requests.clone();
        self.exchange(|head| {
            request(&requests, head);
            body.to_vec()
        })
    }

    /// One request and its answer, the body of which is in `self.body`.
    fn exchange(&mut self, request: impl FnOnce(&mut Vec<u8>) -> Vec<u8>) -> Result<Answer, S3Error> {
        let unreached = |error: io::Error, url: &str| S3Error::unreached(url, &error);
        let open = self.connection.take().and_then(|mut open| (!open.is_closed()).then_some(open));
        let connection = open.map_or_else(|| self.requests.connect(), Ok);
        let mut connection = connection.map_err(|error| unreached(error, &self.requests.url))?;
        let mut body = Vec::new();
        connection.begin(|head| body = request(head));
        let answer =
            waited(&mut connection, &body, &mut self.body).map_err(|error| unreached(error, &self.requests.url))?;
        self.connection = (!answer.close).then_some(connection);
        Ok(answer)
    }
}

fn waited(connection: &mut Connection, body: &[u8], into: &mut [u8]) -> io::Result<Answer> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = connection.go_on(body, into)? {
            return Ok(answer);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        let events = if connection.sending(body) { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(connection.as_fd(), events)], timeout) {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
