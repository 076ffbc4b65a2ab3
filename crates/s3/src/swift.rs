//! Swift, with its first way of authentication (v1): who asks for a token is told where the objects are.

use crate::answer::Answer;
use crate::bucket::{ANSWER_WITHIN, waited};
use crate::connection::Connection;
use crate::errors::S3Error;
use crate::keys::Access;
use crate::requests::{SWIFT_LOG_IN, resolved};
use crate::tls::Tls;
use model::Gateway;
use std::io::Write;
use std::time::Instant;
use url::{Position, Url};

/// A container of an account, with a token.
#[derive(Clone)]
pub(crate) struct Container {
    /// Where the account's containers are.
    pub storage: Url,
    name: String,
    token: String,
}

/// The head of a request, but for what every request has.
pub(crate) struct Asked {
    /// Path and query.
    pub what: String,
    pub headers: Vec<(&'static str, String)>,
}

/// What the answer to a log-in holds, or an error.
const ANSWER_MOST: usize = 4096;

impl Container {
    /// Logs in.
    ///
    /// # Errors
    /// Nothing is reached there, it does not let this user in, or what answers is no Swift.
    pub fn of(gateway: &Gateway, name: &str, access: &Access) -> Result<Container, S3Error> {
        let url = crate::requests::swift_address(&gateway.url)?;
        let addresses = resolved(&url, &gateway.url)?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let tls = (url.scheme() == "https").then(|| Tls::new(&gateway.url, host, access.authorities.as_deref()));
        let tls = tls.transpose()?;
        let mut last = None;
        for address in addresses {
            let mut body = vec![0; ANSWER_MOST];
            let asked = Connection::to(&address, tls.as_ref()).and_then(|mut connection| {
                connection.finish(Instant::now() + ANSWER_WITHIN)?;
                connection.begin(|head| log_in(&url, access, head));
                waited(&mut connection, &[], &mut body, ANSWER_WITHIN)
            });
            match asked {
                Ok(answer) => return Container::told(gateway, name, access, (&answer, &body)),
                Err(error) => last = Some(S3Error::unreached(&gateway.url, &error)),
            }
        }
        Err(last.unwrap_or_else(|| no_swift(gateway, "its name has no address")))
    }

    fn told(
        gateway: &Gateway,
        name: &str,
        access: &Access,
        (answer, body): (&Answer, &[u8]),
    ) -> Result<Container, S3Error> {
        if !matches!(answer.status, 200 | 204) {
            let told = &body[..(answer.bytes as usize).min(body.len())];
            let what = format!(
                "logging in at {} with ST_USER and ST_KEY (the address of Ceph's gateways is http://HOST:PORT{SWIFT_LOG_IN})",
                gateway.url
            );
            // Whatever the answer repeats.
            let told = String::from_utf8_lossy(told).replace(access.keys.secret(), "…");
            return Err(S3Error::refused(&what, answer, told.as_bytes()));
        }
        let (Some(storage), Some(token)) = (&answer.storage, &answer.token) else {
            return Err(no_swift(gateway, "it tells no token, or not where objects are kept"));
        };
        let storage: Url = storage.trim_end_matches('/').parse().map_err(|_| no_swift(gateway, storage))?;
        if gateway.url.starts_with("https:") && storage.scheme() != "https" {
            return Err(no_swift(
                gateway,
                "it sends to an address without TLS, where the token could be read by others",
            ));
        }
        if storage.host_str().is_none() {
            return Err(no_swift(gateway, storage.as_str()));
        }
        Ok(Container { storage, name: name.to_string(), token: token.clone() })
    }

    /// Another one of the same account, with the same token.
    pub fn beside(&self, name: &str) -> Container {
        Container { name: name.to_string(), ..self.clone() }
    }

    pub fn object(&self, key: &str) -> Asked {
        self.asked(&format!("/{}/{key}", self.name), &[])
    }

    pub fn container(&self) -> Asked {
        self.asked(&format!("/{}", self.name), &[])
    }

    /// The names that begin so and come after another, one a line.
    pub fn list(&self, prefix: &str, after: &str, most: usize) -> Asked {
        let most = most.to_string();
        let asked = [("format", "plain"), ("prefix", prefix), ("marker", after), ("limit", &most)];
        self.asked(&format!("/{}", self.name), &asked)
    }

    /// The request that deletes several objects; its body.
    pub fn delete_all(&self, names: &[String]) -> (Asked, String) {
        let Asked { what, mut headers } = self.asked("", &[("bulk-delete", "")]);
        headers.push(("Content-Type", "text/plain".to_string()));
        let body = names.iter().map(|name| format!("/{}/{name}\n", self.name)).collect();
        (Asked { what, headers }, body)
    }

    fn asked(&self, path: &str, query: &[(&str, &str)]) -> Asked {
        let mut url = self.storage.clone();
        url.set_path(&format!("{}{path}", self.storage.path()));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let what = url[Position::BeforePath..Position::AfterQuery].to_string();
        Asked { what, headers: vec![("X-Auth-Token", self.token.clone())] }
    }
}

fn log_in(url: &Url, access: &Access, head: &mut Vec<u8>) {
    head.clear();
    let what = &url[Position::BeforePath..Position::AfterQuery];
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let (user, key) = (access.keys.key(), access.keys.secret());
    // Writing to memory does not fail.
    let _ = write!(head, "GET {what} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: fathom\r\n");
    let _ = write!(head, "X-Auth-User: {user}\r\nX-Auth-Key: {key}\r\n\r\n");
}

fn no_swift(gateway: &Gateway, why: &str) -> S3Error {
    S3Error::Unreached { url: gateway.url.clone(), why: format!("what answers there does not speak Swift: {why}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container() -> Container {
        let answer = Answer {
            status: 204,
            storage: Some("http://10.0.0.1:8080/swift/v1/".to_string()),
            token: Some("T".to_string()),
            ..Answer::default()
        };
        Container::told(&gateway(), "fathom-x", &access(), (&answer, &[])).unwrap()
    }

    fn access() -> Access {
        Access { keys: crate::keys::Keys::new("fathom:swift", "hush"), authorities: None }
    }

    #[test]
    fn a_key_is_never_told_again_and_no_token_goes_where_others_read() {
        let body = b"<Error><Code>no</Code><Message>bad key hush</Message></Error>";
        let answer = Answer { status: 401, bytes: body.len() as u64, ..Answer::default() };
        let wrong = Container::told(&gateway(), "x", &access(), (&answer, body)).err().unwrap().to_string();
        assert!(wrong.contains("bad key …") && !wrong.contains("hush"), "{wrong}");
        let (storage, token) = (Some("http://a:1/v1".to_string()), Some("T".to_string()));
        let answer = Answer { status: 200, storage, token, ..Answer::default() };
        let gateway = Gateway { url: "https://a/auth/v1.0".to_string(), ..gateway() };
        let wrong = Container::told(&gateway, "x", &access(), (&answer, &[])).err().unwrap().to_string();
        assert!(wrong.contains("without TLS"), "{wrong}");
    }

    fn gateway() -> Gateway {
        let (url, region) = ("http://10.0.0.1:8080/auth/v1.0".to_string(), String::new());
        let (credentials, profile, authorities) = (None, None, None);
        Gateway { url, region, virtual_host: false, swift: true, credentials, profile, authorities }
    }

    #[test]
    fn requests_go_where_the_log_in_sends() {
        let container = container();
        let object = container.object("fathom.x.4096.7");
        assert_eq!(object.what, "/swift/v1/fathom-x/fathom.x.4096.7");
        assert_eq!(object.headers, [("X-Auth-Token", "T".to_string())]);
        assert_eq!(
            container.list("fathom.", "a b", 10).what,
            "/swift/v1/fathom-x?format=plain&prefix=fathom.&marker=a+b&limit=10"
        );
        let (all, body) = container.delete_all(&["a".to_string(), "b".to_string()]);
        assert_eq!((all.what.as_str(), body.as_str()), ("/swift/v1?bulk-delete=", "/fathom-x/a\n/fathom-x/b\n"));
    }

    #[test]
    fn what_is_no_log_in_is_told() {
        let of =
            |answer: &Answer| Container::told(&gateway(), "x", &access(), (answer, &[])).err().unwrap().to_string();
        assert!(of(&Answer { status: 200, ..Answer::default() }).contains("does not speak Swift"));
        let wrong = of(&Answer { status: 401, ..Answer::default() });
        assert!(wrong.contains("it answered 401") && wrong.contains("user"), "{wrong}");
    }

    #[test]
    fn who_logs_in_names_user_and_key() {
        let mut head = Vec::new();
        log_in(&gateway().url.parse().unwrap(), &access(), &mut head);
        let text = String::from_utf8(head).unwrap();
        assert!(text.starts_with("GET /auth/v1.0 HTTP/1.1\r\nHost: 10.0.0.1:8080\r\n"), "{text}");
        assert!(text.contains("X-Auth-User: fathom:swift\r\nX-Auth-Key: hush\r\n\r\n"), "{text}");
    }
}
