//! Requests of one bucket, as they go over the wire. Those of S3 are signed; the signature is a part of the address (a presigned one), and
//! does not cover the body, as with the AWS tools over TLS. Those of Swift have a token.

use crate::answer::Answer;
use crate::bucket::ANSWER_WITHIN;
use crate::connection::Connection;
use crate::errors::S3Error;
use crate::keys::{Access, Keys};
use crate::swift::{Asked, Container};
use crate::tls::Tls;
use jiff::Timestamp;
use model::Gateway;
use rusty_s3::actions::{CreateBucket, DeleteBucket, DeleteObjects, ListObjectsV2, ObjectIdentifier};
use rusty_s3::actions::{DeleteObject, GetObject, HeadObject, PutObject, S3Action};
use rusty_s3::{Bucket, UrlStyle};
use std::io::{self, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::Range;
use std::time::{Duration, Instant};
use url::{Position, Url};

/// How long a signature is valid: it stands in the gateway's log, and clocks may differ by some minutes.
pub(crate) const VALID: Duration = Duration::from_secs(900);

/// For a second address of a name, once the first has answered.
const SECOND_ADDRESS_WITHIN: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Requests {
    pub(crate) speaks: Speaks,
    /// `HOST:PORT`, as in the header.
    host: String,
    pub(crate) addresses: Vec<SocketAddr>,
    tls: Option<Tls>,
    /// As the user named it.
    pub url: String,
}

#[derive(Clone)]
pub(crate) enum Speaks {
    S3 { bucket: Bucket, keys: Keys },
    Swift(Container),
}

impl Requests {
    /// # Errors
    /// The address is none, or its host's name is not known. By Swift: it does not let this user in.
    pub fn new(gateway: &Gateway, bucket: &str, access: &Access) -> Result<Requests, S3Error> {
        if gateway.swift {
            let container = Container::of(gateway, bucket, access)?;
            let storage = container.storage.clone();
            let named = format!("{storage} (where the log-in at {} sends)", gateway.url);
            let made = Requests::at(gateway, access, &storage, storage.clone(), Speaks::Swift(container))?;
            return Ok(Requests { url: named, ..made });
        }
        let wrong = |why: String| S3Error::Address { url: gateway.url.clone(), why };
        let url = address(&gateway.url)?;
        if gateway.virtual_host && !matches!(url.host(), Some(url::Host::Domain(_))) {
            return Err(wrong(
                "a bucket's name can't be a part of an IP address: leave --s3-virtual-host out".to_string(),
            ));
        }
        let bucket = bucket_of(gateway, &url, bucket)?;
        let base = bucket.base_url().clone();
        Requests::at(gateway, access, &url, base, Speaks::S3 { bucket, keys: access.keys.clone() })
    }

    /// The same of another bucket at this gateway: nobody is asked anything for it.
    ///
    /// # Errors
    /// As [`Requests::new`].
    pub fn beside(&self, gateway: &Gateway, bucket: &str) -> Result<Requests, S3Error> {
        let (speaks, host) = match &self.speaks {
            Speaks::S3 { keys, .. } => {
                let bucket = bucket_of(gateway, &address(&gateway.url)?, bucket)?;
                let host = bucket.base_url()[Position::BeforeHost..Position::AfterPort].to_string();
                (Speaks::S3 { bucket, keys: keys.clone() }, host)
            }
            Speaks::Swift(container) => (Speaks::Swift(container.beside(bucket)), self.host.clone()),
        };
        Ok(Requests { speaks, host, ..self.clone() })
    }

    /// Connections go to `url`, and name the host of `base`.
    fn at(gateway: &Gateway, access: &Access, url: &Url, base: Url, speaks: Speaks) -> Result<Requests, S3Error> {
        let host = base[Position::BeforeHost..Position::AfterPort].to_string();
        let addresses = resolved(url, &gateway.url)?;
        let own = base.host_str().or(url.host_str()).unwrap_or_default().trim_matches(['[', ']']);
        let tls = (url.scheme() == "https")
            .then(|| Tls::new(&gateway.url, own, access.authorities.as_deref()))
            .transpose()?;
        Ok(Requests { speaks, host, addresses, tls, url: gateway.url.clone() })
    }

    /// How many there are that are asked in turns.
    pub fn addresses(&self) -> usize {
        self.addresses.len()
    }

    /// A connection to the gateway, which begins to be made: to its addresses in turns, if its name has several.
    ///
    /// # Errors
    /// It can't even be tried.
    pub fn connect(&self, number: usize) -> io::Result<Connection> {
        Connection::to(&self.addresses[number % self.addresses.len()], self.tls.as_ref())
    }

    /// Those of its addresses that answer now; the only one is seen by the first connection.
    ///
    /// # Errors
    /// None does: why not the last of them.
    pub fn reachable(mut self) -> Result<Requests, S3Error> {
        if self.addresses.len() == 1 {
            return Ok(self);
        }
        // All begin at once; those that take long are not waited for, unless there are no others.
        let begun: Vec<_> = self.addresses.iter().map(|at| (*at, Connection::to(at, self.tls.as_ref()))).collect();
        let (begin, mut there, mut wrong) = (Instant::now(), Vec::new(), None);
        for (address, connection) in begun {
            let limit = if there.is_empty() { ANSWER_WITHIN } else { SECOND_ADDRESS_WITHIN };
            match connection.and_then(|mut connection| connection.finish(begin + limit)) {
                Ok(()) => there.push(address),
                Err(error) => wrong = Some(error),
            }
        }
        match wrong.filter(|_| there.is_empty()) {
            Some(error) => Err(S3Error::unreached(&self.url, &error)),
            None => {
                self.addresses = there;
                Ok(self)
            }
        }
    }

    /// Writes the head of a request that puts `bytes` into an object.
    pub fn put(&self, key: &str, bytes: usize, head: &mut Vec<u8>) {
        match &self.speaks {
            Speaks::S3 { bucket, keys } => {
                self.signed("PUT", PutObject::new(bucket, Some(keys), key), Some(bytes), &[], head);
            }
            Speaks::Swift(container) => self.asked("PUT", container.object(key), Some(bytes), &[], head),
        }
    }

    /// Writes the request for a whole object.
    pub fn get(&self, key: &str, head: &mut Vec<u8>) {
        self.got(key, &[], head);
    }

    /// Writes the request for these bytes of an object; not empty.
    pub fn get_range(&self, key: &str, bytes: Range<u64>, head: &mut Vec<u8>) {
        let range = format!("bytes={}-{}", bytes.start, bytes.end.saturating_sub(1));
        self.got(key, &[("Range", &range)], head);
    }

    fn got(&self, key: &str, headers: &[(&str, &str)], head: &mut Vec<u8>) {
        match &self.speaks {
            Speaks::S3 { bucket, keys } => {
                self.signed("GET", GetObject::new(bucket, Some(keys), key), None, headers, head);
            }
            Speaks::Swift(container) => self.asked("GET", container.object(key), None, headers, head),
        }
    }

    /// Writes the request for what is known of an object.
    pub fn look(&self, key: &str, head: &mut Vec<u8>) {
        match &self.speaks {
            Speaks::S3 { bucket, keys } => {
                self.signed("HEAD", HeadObject::new(bucket, Some(keys), key), None, &[], head);
            }
            Speaks::Swift(container) => self.asked("HEAD", container.object(key), None, &[], head),
        }
    }

    /// Writes the request to delete one object.
    pub fn delete_one(&self, key: &str, head: &mut Vec<u8>) {
        match &self.speaks {
            Speaks::S3 { bucket, keys } => {
                self.signed("DELETE", DeleteObject::new(bucket, Some(keys), key), None, &[], head);
            }
            Speaks::Swift(container) => self.asked("DELETE", container.object(key), None, &[], head),
        }
    }

    /// Writes the request for a page of names that begin so and come after another; empty: from the first on.
    pub fn page(&self, prefix: &str, after: &str, most: usize, head: &mut Vec<u8>) {
        match &self.speaks {
            Speaks::S3 { bucket, keys } => {
                let mut action = ListObjectsV2::new(bucket, Some(keys));
                action.with_max_keys(most);
                action.with_prefix(prefix);
                if !after.is_empty() {
                    action.with_start_after(after);
                }
                self.signed("GET", action, None, &[], head);
            }
            Speaks::Swift(container) => self.asked("GET", container.list(prefix, after, most), None, &[], head),
        }
    }

    /// The names on a page; `None`: it is none.
    pub(crate) fn names(&self, page: &[u8]) -> Option<Vec<String>> {
        let text = String::from_utf8_lossy(page);
        match &self.speaks {
            Speaks::S3 { .. } => {
                let listed = ListObjectsV2::parse_response(&text).ok()?;
                Some(listed.contents.into_iter().map(|object| object.key).collect())
            }
            Speaks::Swift(_) => Some(text.lines().map(str::to_string).collect()),
        }
    }

    /// How many names there are on a page, which all begin so and follow each other after this one; `None`: they do not.
    pub fn names_on(&self, page: &[u8], prefix: &str, after: &str) -> Option<usize> {
        match &self.speaks {
            Speaks::S3 { .. } => in_order(between(page, b"<Key>", b"</Key>"), prefix, after),
            Speaks::Swift(_) => {
                let lines = page.split(|byte| *byte == b'\n');
                in_order(lines.filter(|line| !line.is_empty()), prefix, after)
            }
        }
    }

    /// Can no later request do better than one with this answer?
    pub fn hopeless(&self, answer: &Answer, body: &[u8]) -> bool {
        match &self.speaks {
            Speaks::S3 { .. } => S3Error::hopeless(answer, body),
            // It does not say whether it is the object that is missing, or the container.
            Speaks::Swift(_) => answer.status != 404 && S3Error::hopeless(answer, body),
        }
    }

    pub fn by_swift(&self) -> bool {
        matches!(self.speaks, Speaks::Swift(_))
    }

    /// What says in which region a bucket is to be made; `None`: the one where it is never named, or there are none.
    pub(crate) fn region_named(&self) -> Option<String> {
        let Speaks::S3 { bucket, keys } = &self.speaks else { return None };
        Some(CreateBucket::new(bucket, keys).body()).filter(|body| !body.is_empty())
    }

    /// `bytes`: of what follows, in which it says where.
    pub(crate) fn create_bucket(&self, bytes: usize, head: &mut Vec<u8>) {
        match &self.speaks {
            Speaks::S3 { bucket, keys } => self.signed("PUT", CreateBucket::new(bucket, keys), Some(bytes), &[], head),
            Speaks::Swift(container) => self.asked("PUT", container.container(), Some(0), &[], head),
        }
    }

    pub(crate) fn delete_bucket(&self, head: &mut Vec<u8>) {
        match &self.speaks {
            Speaks::S3 { bucket, keys } => self.signed("DELETE", DeleteBucket::new(bucket, keys), None, &[], head),
            Speaks::Swift(container) => self.asked("DELETE", container.container(), None, &[], head),
        }
    }

    /// Of a request for all of these, at most a thousand: writes the head; returns the body.
    pub fn delete(&self, names: &[String], head: &mut Vec<u8>) -> String {
        let (bucket, keys) = match &self.speaks {
            Speaks::S3 { bucket, keys } => (bucket, keys),
            Speaks::Swift(container) => {
                let (asked, body) = container.delete_all(names);
                self.asked("POST", asked, Some(body.len()), &[], head);
                return body;
            }
        };
        let objects: Vec<ObjectIdentifier> = names.iter().cloned().map(ObjectIdentifier::new).collect();
        let mut action = DeleteObjects::new(bucket, Some(keys), objects.iter());
        action.set_quiet(true);
        let url = action.sign_with_time(VALID, &Timestamp::now());
        let (body, md5) = action.body_with_md5();
        self.write(
            "POST",
            &url[Position::BeforePath..Position::AfterQuery],
            Some(body.len()),
            &[("Content-MD5", &md5)],
            head,
        );
        body
    }

    pub(crate) fn signed<'a>(
        &'a self,
        method: &str,
        action: impl S3Action<'a>,
        bytes: Option<usize>,
        headers: &[(&str, &str)],
        head: &mut Vec<u8>,
    ) {
        let url = action.sign_with_time(VALID, &Timestamp::now());
        self.write(method, &url[Position::BeforePath..Position::AfterQuery], bytes, headers, head);
    }

    fn asked(&self, method: &str, asked: Asked, bytes: Option<usize>, headers: &[(&str, &str)], head: &mut Vec<u8>) {
        let own = asked.headers.iter().map(|(name, value)| (*name, value.as_str()));
        let all: Vec<(&str, &str)> = own.chain(headers.iter().copied()).collect();
        self.write(method, &asked.what, bytes, &all, head);
    }

    /// `what`: path and query.
    pub(crate) fn write(
        &self,
        method: &str,
        what: &str,
        bytes: Option<usize>,
        headers: &[(&str, &str)],
        head: &mut Vec<u8>,
    ) {
        head.clear();
        // Writing to memory does not fail.
        let _ = write!(head, "{method} {what} HTTP/1.1\r\nHost: {}\r\nUser-Agent: fathom\r\n", self.host);
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if let Some(bytes) = bytes {
            let _ = write!(head, "Content-Length: {bytes}\r\n");
        }
        head.extend_from_slice(b"\r\n");
    }
}

fn bucket_of(gateway: &Gateway, url: &Url, name: &str) -> Result<Bucket, S3Error> {
    let style = if gateway.virtual_host { UrlStyle::VirtualHost } else { UrlStyle::Path };
    let made = Bucket::new(url.clone(), style, name.to_string(), gateway.region.clone());
    made.map_err(|error| S3Error::Address { url: gateway.url.clone(), why: error.to_string() })
}

fn in_order<'p>(names: impl Iterator<Item = &'p [u8]>, prefix: &'p str, after: &'p str) -> Option<usize> {
    let (mut last, mut count) = (after.as_bytes(), 0);
    for name in names {
        if !name.starts_with(prefix.as_bytes()) || name <= last {
            return None;
        }
        (last, count) = (name, count + 1);
    }
    Some(count)
}

/// All that stands between these two.
fn between<'p>(mut page: &'p [u8], begin: &'static [u8], end: &'static [u8]) -> impl Iterator<Item = &'p [u8]> {
    let find = |page: &[u8], word: &[u8]| page.windows(word.len()).position(|part| part == word);
    std::iter::from_fn(move || {
        let from = find(page, begin)? + begin.len();
        let length = find(&page[from..], end)?;
        let found = &page[from..from + length];
        page = &page[from + length + end.len()..];
        Some(found)
    })
}

/// The addresses of a host; `named`: what the user calls it.
pub(crate) fn resolved(url: &Url, named: &str) -> Result<Vec<SocketAddr>, S3Error> {
    let parts = || Some((url.host_str()?.trim_matches(['[', ']']).to_string(), url.port_or_known_default()?));
    let wrong = || S3Error::Address { url: named.to_string(), why: "it names no host".to_string() };
    let (name, port) = parts().ok_or_else(wrong)?;
    let unknown = |why: String| S3Error::Unreached { url: named.to_string(), why };
    let found = (name.as_str(), port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
    let addresses: Vec<SocketAddr> = found.collect();
    if addresses.is_empty() { Err(unknown("its name has no address".to_string())) } else { Ok(addresses) }
}

/// Where users of Swift log in, unless the address has a path.
pub const SWIFT_LOG_IN: &str = "/auth/v1.0";

/// The address at which users of Swift log in, if it is one.
///
/// # Errors
/// As [`address`]; it may have a path.
pub fn swift_address(text: &str) -> Result<Url, S3Error> {
    let mut url = parsed(text)?;
    if url.path() == "/" {
        url.set_path(SWIFT_LOG_IN);
    }
    Ok(url)
}

/// The address of a gateway, if it is one.
///
/// # Errors
/// It is none, or holds what does not belong there.
pub fn address(text: &str) -> Result<Url, S3Error> {
    let url = parsed(text)?;
    match url.path() {
        "/" => Ok(url),
        _ => Err(S3Error::Address {
            url: text.to_string(),
            why: "it has a path; the bucket is made by the run itself".to_string(),
        }),
    }
}

fn parsed(text: &str) -> Result<Url, S3Error> {
    // A password is never told again.
    let shown = || match (text.find("://"), text.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + 3 <= at => format!("{}…{}", &text[..scheme + 3], &text[at..]),
        (None, Some(at)) => format!("…{}", &text[at..]),
        _ => text.to_string(),
    };
    let wrong = |why: &str| Err(S3Error::Address { url: shown(), why: why.to_string() });
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return wrong("it does not begin with http:// or https://");
    }
    let url: Url = match text.parse() {
        Ok(url) => url,
        Err(error) => return wrong(&format!("{error}")),
    };
    match () {
        () if !url.username().is_empty() || url.password().is_some() => wrong(
            "keys do not belong into the address; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (by Swift ST_USER and ST_KEY)",
        ),
        () if url.query().is_some() || url.fragment().is_some() => wrong("it ends with the host and its port"),
        () => Ok(url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing::gateway;

    fn access() -> Access {
        Access { keys: Keys::new("AK", "hush"), authorities: None }
    }

    #[test]
    fn a_request_names_host_and_object_and_no_secret() {
        let requests = Requests::new(&gateway("http://127.0.0.1:8080"), "fathom-x", &access()).unwrap();
        let mut head = Vec::new();
        requests.put("fathom.r.4096.7", 4096, &mut head);
        let text = String::from_utf8(head).unwrap();
        assert!(text.starts_with("PUT /fathom-x/fathom.r.4096.7?X-Amz-"), "{text}");
        assert!(
            text.contains("\r\nHost: 127.0.0.1:8080\r\n") && text.ends_with("Content-Length: 4096\r\n\r\n"),
            "{text}"
        );
        assert!(!text.contains("hush"));
        let styled = Gateway { virtual_host: true, ..gateway("http://localhost:8080") };
        let requests = Requests::new(&styled, "fathom-x", &access()).unwrap();
        let mut head = Vec::new();
        requests.get("a", &mut head);
        let text = String::from_utf8(head).unwrap();
        assert!(text.starts_with("GET /a?") && text.contains("\r\nHost: fathom-x.localhost:8080\r\n"), "{text}");
    }

    #[test]
    fn another_bucket_of_the_gateway_differs_in_its_name_alone() {
        let asked = |gateway: &Gateway| {
            let first = Requests::new(gateway, "fathom-x", &access()).unwrap();
            let mut head = Vec::new();
            first.beside(gateway, "fathom-x-b2").unwrap().get("a", &mut head);
            String::from_utf8(head).unwrap()
        };
        let by_path = asked(&gateway("http://127.0.0.1:8080"));
        assert!(
            by_path.starts_with("GET /fathom-x-b2/a?") && by_path.contains("Host: 127.0.0.1:8080\r\n"),
            "{by_path}"
        );
        let by_host = asked(&Gateway { virtual_host: true, ..gateway("http://localhost:8080") });
        assert!(
            by_host.starts_with("GET /a?") && by_host.contains("Host: fathom-x-b2.localhost:8080\r\n"),
            "{by_host}"
        );
    }

    #[test]
    fn a_page_holds_names_that_follow_each_other() {
        let requests = Requests::new(&gateway("http://127.0.0.1:8080"), "fathom-x", &access()).unwrap();
        let page = |names: &[&str]| {
            let text: String = names.iter().map(|name| format!("<Contents><Key>{name}</Key></Contents>")).collect();
            requests.names_on(text.as_bytes(), "a.", "a.3")
        };
        assert_eq!((page(&["a.30", "a.4"]), page(&[])), (Some(2), Some(0)));
        for wrong in [&["a.4", "a.4"][..], &["a.2", "a.4"], &["a.4", "b.5"], &["a.5", "a.4"]] {
            assert_eq!(page(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_is_no_address_is_told() {
        for url in
            ["gateway:8080", "ftp://x", "http://", "", "http://[::1", "http://x/bucket", "http://x?y", "http://x:99999"]
        {
            let wrong = Requests::new(&gateway(url), "fathom-x", &access()).err().unwrap().to_string();
            assert!(wrong.starts_with(&format!("{url}: ")) && wrong.contains("http://HOST:PORT"), "{wrong}");
        }
        for url in ["http://user:secret@x:80", "https://secret@x", "user:secret@x"] {
            let wrong = address(url).unwrap_err().to_string();
            assert!(!wrong.contains("secret") && wrong.contains("@x"), "{wrong}");
        }
        let styled = Gateway { virtual_host: true, ..gateway("http://127.0.0.1:80") };
        let wrong = Requests::new(&styled, "fathom-x", &access()).err().unwrap().to_string();
        assert!(wrong.contains("leave --s3-virtual-host out"), "{wrong}");
    }
}
