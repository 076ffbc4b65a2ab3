//! A bucket of our own: made, marked as a run's, and removed with what is ours in it.

use crate::answer::Answer;
use crate::connection::Connection;
use crate::errors::S3Error;
use crate::keys::Access;
use crate::requests::Requests;
use crate::upload::OpenUpload;
use model::Gateway;
use rusty_s3::actions::DeleteObjectsResponse;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// Is it a name as a run gives them? Others can lead out of a bucket (`..`), or mean another object once they are written into an address.
pub fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !name.is_empty() && name.bytes().all(plain)
}

/// The object that tells whose a bucket is.
pub const MARK: &str = "fathom.run";
/// What is put may be listed a moment later.
const LISTED_WITHIN: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// For one answer.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// A list of names, or an error.
const ANSWER_MOST: usize = 4 << 20;
/// Names in one request: the most that S3 lists and deletes.
const AT_ONCE: usize = 1000;
const DELETING: &str = "deleting its objects";

pub struct Bucket {
    requests: Requests,
    connection: Option<Connection>,
    body: Vec<u8>,
    /// How long it waits for an answer.
    limit: Duration,
    /// Its gateway has no request that deletes several objects, or not for this user.
    one_by_one: bool,
}

impl Bucket {
    /// Of a gateway that listens.
    ///
    /// # Errors
    /// The address is none, or nothing is reached there.
    pub fn of(gateway: &Gateway, name: &str, access: &Access) -> Result<Bucket, S3Error> {
        let requests = Requests::new(gateway, name, access)?.reachable()?;
        let (body, limit) = (vec![0; ANSWER_MOST], ANSWER_WITHIN);
        Ok(Bucket { requests, connection: None, body, limit, one_by_one: false })
    }

    /// Waits no longer than this for an answer.
    pub fn within(self, limit: Duration) -> Bucket {
        Bucket { limit, ..self }
    }

    /// # Errors
    /// It is not known, it is somebody else's, or what answers does not speak S3.
    pub fn exists(&mut self) -> Result<bool, S3Error> {
        let answer = self.ask(|requests, head| requests.page("", "", 1, head), &[])?;
        if self.requests.by_swift() {
            return match answer.status {
                200 | 204 => Ok(true),
                404 => Ok(false),
                _ => Err(self.refused("looking for the container", &answer)),
            };
        }
        match (answer.status, S3Error::code(self.told(&answer)).as_str()) {
            (200, _) => self.listed(&answer).map(|_| true),
            (404, "NoSuchBucket") => Ok(false),
            (404, _) => Err(self.no_s3("it answered 404 without a word of S3")),
            _ => Err(self.refused("looking for the bucket", &answer)),
        }
    }

    fn no_s3(&self, why: &str) -> S3Error {
        let language = if self.requests.by_swift() { "Swift" } else { "S3" };
        S3Error::Unreached {
            url: self.requests.url.clone(),
            why: format!("what answers there does not speak {language}: {why}"),
        }
    }

    /// `placement`: `ID` or `ZONEGROUP:ID`, as Ceph's gateways take it by S3.
    ///
    /// # Errors
    /// It is not made; of all but [`S3Error::Refused`] that is not certain.
    pub fn create(&mut self, placement: Option<&str>) -> Result<(), S3Error> {
        let answer = self.create_with(&placement.map_or(String::new(), placed_at))?;
        // Services with regions (AWS) want theirs named, but in the first one; Ceph's gateways take the same words for a zone group, which
        // they may not have: so it is named only where it is asked for.
        let asks = answer.status == 400 && S3Error::code(self.told(&answer)) == "IllegalLocationConstraintException";
        let answer = match self.requests.region_named() {
            Some(region) if asks && placement.is_none() => self.create_with(&region)?,
            _ => answer,
        };
        // By Swift 202 says that there was one: it is not ours.
        if matches!(answer.status, 200 | 201 | 204) { Ok(()) } else { Err(self.refused("making the bucket", &answer)) }
    }

    fn create_with(&mut self, body: &str) -> Result<Answer, S3Error> {
        self.ask(|requests, head| requests.create_bucket(body.len(), head), body.as_bytes())
    }

    /// Puts this mark into it, once it is seen that it is a bucket, and empty.
    ///
    /// # Errors
    /// It is not marked.
    pub fn put_mark(&mut self, mark: &str) -> Result<(), S3Error> {
        let answer = self.asked("listing it", &[200, 204], |requests, head| requests.page("", "", 1, head), &[])?;
        if !self.listed(&answer)?.is_empty() {
            return Err(self.no_s3("a bucket that was just made holds something"));
        }
        let mark = mark.as_bytes();
        self.asked(
            "marking the bucket",
            &[200, 201, 204],
            |requests, head| requests.put(MARK, mark.len(), head),
            mark,
        )?;
        Ok(())
    }

    /// Does it list its mark? Of a bucket without an index nothing is listed, and it is deleted while objects are in it, which stay for ever.
    ///
    /// # Errors
    /// Its objects are not told.
    pub fn lists_its_mark(&mut self) -> Result<bool, S3Error> {
        let until = Instant::now() + LISTED_WITHIN;
        while !self.names(MARK)?.iter().any(|name| name == MARK) {
            if Instant::now() > until {
                return Ok(false);
            }
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(true)
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
            _ => Err(self.refused("reading its mark", &answer)),
        }
    }

    /// The first names in it that begin with `prefix`, in their order.
    ///
    /// # Errors
    /// They are not told.
    pub fn names(&mut self, prefix: &str) -> Result<Vec<String>, S3Error> {
        let what = "listing its objects";
        let answer = self.asked(what, &[200, 204], |requests, head| requests.page(prefix, "", AT_ONCE, head), &[])?;
        // Whatever a gateway tells: only what was asked for.
        let mut names = self.listed(&answer)?;
        names.retain(|name| name.starts_with(prefix));
        Ok(names)
    }

    fn listed(&self, answer: &Answer) -> Result<Vec<String>, S3Error> {
        if answer.status == 204 {
            return Ok(Vec::new());
        }
        self.requests.names(self.told(answer)).ok_or_else(|| self.no_s3("its list is not understood"))
    }

    /// Deletes these objects, at most as many as [`Bucket::names`] tells at once; `each`: by a request for each of them.
    ///
    /// # Errors
    /// One of them was not deleted, by a request of its own either.
    pub fn delete(&mut self, names: &[String], each: bool) -> Result<(), S3Error> {
        if each || self.one_by_one {
            return self.delete_each(names);
        }
        let requests = self.requests.clone();
        let answer = self.exchange(|head| requests.delete(names, head).into_bytes())?;
        if requests.by_swift() {
            // Whether all went is seen by whoever lists again, and then asks for each; not every service has this request.
            return if answer.status == 200 { Ok(()) } else { self.delete_each(names) };
        }
        match (answer.status, DeleteObjectsResponse::parse(&String::from_utf8_lossy(self.told(&answer)))) {
            (200, Ok(told)) if told.errors.is_empty() => Ok(()),
            // What a request for one object says of it counts.
            (200, Ok(_)) => self.delete_each(names),
            // Nothing has tried this request before. Some services do not have it, others want a checksum or a header of their own with it,
            // and a policy may forbid it: whoever may delete each object leaves none behind.
            (200, Err(_)) | (400 | 403 | 405 | 411 | 501, _) => {
                self.one_by_one = true;
                self.delete_each(names)
            }
            _ => Err(self.refused(DELETING, &answer)),
        }
    }

    fn delete_each(&mut self, names: &[String]) -> Result<(), S3Error> {
        for name in names {
            let good = [200, 204, 404];
            self.asked(DELETING, &good, |requests, head| requests.delete_one(name, head), &[])?;
        }
        Ok(())
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
            _ => Err(self.refused("deleting the bucket", &answer)),
        }
    }

    /// Objects with such names that are being put in parts, at most as many as are told at once. Empty where a gateway has no list of them:
    /// what is in the way of deleting the bucket is then told by that.
    ///
    /// # Errors
    /// It is not reached.
    pub fn uploads(&mut self, prefix: &str) -> Result<Vec<OpenUpload>, S3Error> {
        if self.requests.by_swift() {
            return Ok(Vec::new());
        }
        let answer = self.ask(|requests, head| requests.uploads(prefix, AT_ONCE, head), &[])?;
        let listed = (answer.status == 200).then(|| Requests::uploads_on(self.told(&answer))).flatten();
        let mut uploads = listed.unwrap_or_default();
        uploads.retain(|upload| upload.key.starts_with(prefix));
        Ok(uploads)
    }

    /// Its parts are thrown away. One that is refused is in the way when the bucket is deleted, and is told by that.
    ///
    /// # Errors
    /// The gateway is not reached.
    pub fn abort(&mut self, upload: &OpenUpload) -> Result<(), S3Error> {
        self.ask(|requests, head| requests.abort_upload(upload, head), &[]).map(drop)
    }

    fn asked(
        &mut self,
        what: &str,
        good: &[u16],
        request: impl Fn(&Requests, &mut Vec<u8>),
        body: &[u8],
    ) -> Result<Answer, S3Error> {
        let answer = self.ask(request, body)?;
        if good.contains(&answer.status) { Ok(answer) } else { Err(self.refused(what, &answer)) }
    }

    fn refused(&self, what: &str, answer: &Answer) -> S3Error {
        S3Error::refused(what, answer, self.told(answer))
    }

    fn told(&self, answer: &Answer) -> &[u8] {
        &self.body[..(answer.bytes as usize).min(self.body.len())]
    }

    fn ask(&mut self, request: impl Fn(&Requests, &mut Vec<u8>), body: &[u8]) -> Result<Answer, S3Error> {
        let requests = self.requests.clone();
        self.exchange(|head| {
            request(&requests, head);
            body.to_vec()
        })
    }

    /// One request and its answer, the body of which is in `self.body`. A connection that was kept open and breaks without an answer was
    /// closed meanwhile: then another one is tried.
    fn exchange(&mut self, request: impl Fn(&mut Vec<u8>) -> Vec<u8>) -> Result<Answer, S3Error> {
        let mut kept = self.connection.take().and_then(|mut open| (!open.is_closed()).then_some(open));
        loop {
            let (again, connection) = (kept.is_some(), kept.take().map_or_else(|| self.requests.connect(0), Ok));
            let limit = self.limit;
            let asked = connection.and_then(|mut connection| {
                connection.finish(Instant::now() + limit)?;
                let mut body = Vec::new();
                connection.begin(|head| body = request(head));
                Ok((waited(&mut connection, &body, &mut self.body, self.limit)?, connection))
            });
            match asked {
                Ok((answer, connection)) => {
                    self.connection = (!answer.close).then_some(connection);
                    return Ok(answer);
                }
                Err(error) if again && error.kind() != ErrorKind::TimedOut => {}
                Err(error) => return Err(S3Error::unreached(&self.requests.url, &error)),
            }
        }
    }
}

/// Ceph's gateways take a placement of their own zone group after a colon.
fn placed_at(placement: &str) -> String {
    let own = if placement.contains(':') { "" } else { ":" };
    format!(
        "<CreateBucketConfiguration><LocationConstraint>{own}{placement}</LocationConstraint></CreateBucketConfiguration>"
    )
}

pub(crate) fn waited(connection: &mut Connection, body: &[u8], into: &mut [u8], limit: Duration) -> io::Result<Answer> {
    let until = Instant::now() + limit;
    loop {
        if let Some(answer) = connection.go_on(body, into)? {
            return Ok(answer);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        connection.wait(body, left)?;
    }
}

/// Are all of those deleted that one request named, by its answer?
///
/// # Errors
/// Why not.
pub fn deleted(body: &[u8]) -> Result<(), String> {
    match DeleteObjectsResponse::parse(&String::from_utf8_lossy(body)) {
        Err(error) => Err(format!("its answer is not understood: {error}")),
        Ok(told) => match told.errors.first() {
            None => Ok(()),
            Some(error) => Err(format!("{}: {}", error.code, error.message)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_is_one_of_the_gateways_own_zone_group_unless_it_names_another() {
        for (placement, told) in [("fast", ">:fast<"), ("eu:fast", ">eu:fast<"), (":fast", ">:fast<")] {
            assert!(placed_at(placement).contains(told), "{}", placed_at(placement));
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_not_those_of_a_run() {
        assert!(is_plain("fathom.20261127-223108-cfc2.linear.4194304.7") && is_plain(MARK));
        for odd in ["", "fathom.x./../../victim", "fathom.x.a%2Fb", "fathom.x.a b", "fathom.x.\n"] {
            assert!(!is_plain(odd), "{odd:?}");
        }
    }
}
