//! Signed requests of one bucket, as they go over the wire. The signature is a part of the address (a presigned one), and does not cover
//! the body, as with the AWS tools over TLS.

use crate::bucket::ANSWER_WITHIN;
use crate::connection::Connection;
use crate::errors::S3Error;
use crate::keys::{Access, Keys};
use crate::tls::Tls;
use jiff::Timestamp;
use model::Gateway;
use rusty_s3::actions::{CreateBucket, DeleteBucket, DeleteObjects, ListObjectsV2, ObjectIdentifier};
use rusty_s3::actions::{GetObject, PutObject, S3Action};
use rusty_s3::{Bucket, UrlStyle};
use std::io::{self, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::{Duration, Instant};
use url::{Position, Url};

/// How long a signature is valid: it stands in the gateway's log, and clocks may differ by some minutes.
const VALID: Duration = Duration::from_secs(900);

/// For a second address of a name, once the first has answered.
const SECOND_ADDRESS_WITHIN: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Requests {
    bucket: Bucket,
    keys: Keys,
    /// `HOST:PORT`, as in the header.
    host: String,
    addresses: Vec<SocketAddr>,
    tls: Option<Tls>,
    /// As the user named it.
    pub url: String,
}

impl Requests {
    /// # Errors
    /// The address is none, or its host's name is not known.
    pub fn new(gateway: &Gateway, bucket: &str, access: &Access) -> Result<Requests, S3Error> {
        let wrong = |why: String| S3Error::Address { url: gateway.url.clone(), why };
        let url = address(&gateway.url)?;
        if gateway.virtual_host && !matches!(url.host(), Some(url::Host::Domain(_))) {
            return Err(wrong(
                "a bucket's name can't be a part of an IP address: leave --s3-virtual-host out".to_string(),
            ));
        }
        let style = if gateway.virtual_host { UrlStyle::VirtualHost } else { UrlStyle::Path };
        let made = Bucket::new(url.clone(), style, bucket.to_string(), gateway.region.clone());
        let bucket = made.map_err(|error| wrong(format!("{error}")))?;
        let base = bucket.base_url();
        let host = base[Position::BeforeHost..Position::AfterPort].to_string();
        let named = || Some((url.host_str()?.trim_matches(['[', ']']).to_string(), url.port_or_known_default()?));
        let (name, port) = named().ok_or_else(|| wrong("it names no host".to_string()))?;
        let unknown = |why: String| S3Error::Unreached { url: gateway.url.clone(), why };
        let found = (name.as_str(), port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
        let addresses: Vec<SocketAddr> = found.collect();
        if addresses.is_empty() {
            return Err(unknown("its name has no address".to_string()));
        }
        let tls = (url.scheme() == "https").then(|| {
            let own =
                bucket.base_url().host_str().map_or(name.clone(), |host| host.trim_matches(['[', ']']).to_string());
            Tls::new(&gateway.url, &own, access.authorities.as_deref())
        });
        let (tls, keys) = (tls.transpose()?, access.keys.clone());
        Ok(Requests { bucket, keys, host, addresses, tls, url: gateway.url.clone() })
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
        self.head("PUT", PutObject::new(&self.bucket, Some(&self.keys), key), Some(bytes), &[], head);
    }

    /// Writes the request for a whole object.
    pub fn get(&self, key: &str, head: &mut Vec<u8>) {
        self.head("GET", GetObject::new(&self.bucket, Some(&self.keys), key), None, &[], head);
    }

    pub(crate) fn create_bucket(&self, head: &mut Vec<u8>) {
        self.head("PUT", CreateBucket::new(&self.bucket, &self.keys), Some(0), &[], head);
    }

    pub(crate) fn delete_bucket(&self, head: &mut Vec<u8>) {
        self.head("DELETE", DeleteBucket::new(&self.bucket, &self.keys), None, &[], head);
    }

    /// The first names that begin so.
    pub(crate) fn list(&self, prefix: &str, most: usize, head: &mut Vec<u8>) {
        let mut action = ListObjectsV2::new(&self.bucket, Some(&self.keys));
        action.with_max_keys(most);
        action.with_prefix(prefix);
        self.head("GET", action, None, &[], head);
    }

    /// Writes the head; returns the body.
    pub(crate) fn delete(&self, names: &[String], head: &mut Vec<u8>) -> String {
        let objects: Vec<ObjectIdentifier> = names.iter().cloned().map(ObjectIdentifier::new).collect();
        let mut action = DeleteObjects::new(&self.bucket, Some(&self.keys), objects.iter());
        action.set_quiet(true);
        let url = action.sign_with_time(VALID, &Timestamp::now());
        let (body, md5) = action.body_with_md5();
        self.write("POST", &url, Some(body.len()), &[("Content-MD5", &md5)], head);
        body
    }

    fn head<'a>(
        &'a self,
        method: &str,
        action: impl S3Action<'a>,
        bytes: Option<usize>,
        headers: &[(&str, &str)],
        head: &mut Vec<u8>,
    ) {
        self.write(method, &action.sign_with_time(VALID, &Timestamp::now()), bytes, headers, head);
    }

    fn write(&self, method: &str, url: &Url, bytes: Option<usize>, headers: &[(&str, &str)], head: &mut Vec<u8>) {
        head.clear();
        let what = &url[Position::BeforePath..Position::AfterQuery];
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

/// The address of a gateway, if it is one.
///
/// # Errors
/// It is none, or holds what does not belong there.
pub fn address(text: &str) -> Result<Url, S3Error> {
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
        () if !url.username().is_empty() || url.password().is_some() => {
            wrong("keys do not belong into the address; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        }
        () if url.query().is_some() || url.fragment().is_some() => wrong("it ends with the host and its port"),
        () if url.path() != "/" => wrong("it has a path; the bucket is made by the run itself"),
        () => Ok(url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gateway(url: &str) -> Gateway {
        let (url, region) = (url.to_string(), "us-east-1".to_string());
        Gateway { url, region, virtual_host: false, credentials: None, profile: None, authorities: None }
    }

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
