//! What can go wrong with a gateway, in words: what, where, why, and the mend.

use crate::answer::Answer;
use crate::tls::distrusted;
use instant_xml::FromXml;
use jiff::Timestamp;
use std::io;

#[derive(Debug, Clone, thiserror::Error)]
pub enum S3Error {
    #[error("{url}: {why}; a gateway's address is http://HOST:PORT or https://HOST")]
    Address { url: String, why: String },
    #[error(
        "there are no keys for {url}: {why}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile (AWS_PROFILE)"
    )]
    NoKeys { url: String, why: String },
    #[error("--s3-ca {file}: {why}; name a file with the certificate of who signed the gateway's (PEM)")]
    Authorities { file: String, why: String },
    #[error("{file} is not understood: {why}; mend it, or name another file (AWS_CONFIG_FILE)")]
    Config { file: String, why: String },
    #[error("there is no user, or no key, for {url}: {why}; set both")]
    NoUser { url: String, why: String },
    #[error("{url} is not reached: {why}")]
    Unreached { url: String, why: String },
    #[error("{what}: {why}")]
    Refused { what: String, status: u16, why: String },
}

impl S3Error {
    pub fn unreached(url: &str, error: &io::Error) -> S3Error {
        let by_kind = || match error.kind() {
            io::ErrorKind::ConnectionRefused => "nothing listens there (connection refused)".to_string(),
            io::ErrorKind::TimedOut if error.raw_os_error().is_some() => {
                "no connection is made; is it up, and is a firewall between?".to_string()
            }
            io::ErrorKind::TimedOut => "it takes connections, and did not answer in time (10 to 30 s)".to_string(),
            io::ErrorKind::UnexpectedEof => {
                "it closed the connection without an answer (if it speaks TLS, name https://HOST)".to_string()
            }
            _ if error.to_string().contains("InvalidContentType") => {
                "what it answers is no TLS; if it speaks plain HTTP, name http://HOST:PORT".to_string()
            }
            _ => error.to_string(),
        };
        let why = distrusted(error).unwrap_or_else(by_kind);
        S3Error::Unreached { url: url.to_string(), why }
    }

    /// The code in an error's body; empty: there is none.
    pub(crate) fn code(body: &[u8]) -> String {
        told(body).code
    }

    /// Is it an error, whatever its status says?
    pub fn is_error_body(body: &[u8]) -> bool {
        let text = &body[..body.len().min(256)];
        text.windows(7).any(|word| word == b"<Error>")
    }

    /// What a gateway answered that it will not do.
    pub fn refused(what: &str, answer: &Answer, body: &[u8]) -> S3Error {
        let Told { code, message } = told(body);
        let why = why(answer, &code, &message, Timestamp::now());
        S3Error::Refused { what: what.to_string(), status: answer.status, why }
    }

    /// Can no later request with these keys do better than one with this answer?
    pub fn hopeless(answer: &Answer, body: &[u8]) -> bool {
        match answer.status {
            301..=303 | 307 | 308 | 401 | 501 => true,
            400 => HOPELESS.contains(&told(body).code.as_str()),
            // A quota that is reached is one of these, and a bucket that is gone.
            403 | 404 => told(body).code != "NoSuchKey",
            _ => false,
        }
    }

    pub fn status(&self) -> Option<u16> {
        match self {
            S3Error::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }
}

/// The body of an error.
#[derive(Default)]
struct Told {
    code: String,
    message: String,
}

#[derive(FromXml)]
#[xml(rename = "Error")]
struct ErrorBody {
    #[xml(rename = "Code")]
    code: Option<String>,
    #[xml(rename = "Message")]
    message: Option<String>,
}

fn told(body: &[u8]) -> Told {
    let text = String::from_utf8_lossy(body);
    let read = instant_xml::from_str::<ErrorBody>(&text).ok();
    read.map(|body| Told { code: body.code.unwrap_or_default(), message: body.message.unwrap_or_default() })
        .unwrap_or_default()
}

/// Of requests that are no better the next time.
const HOPELESS: [&str; 6] = [
    "ExpiredToken",
    "InvalidToken",
    "TokenRefreshRequired",
    "AuthorizationHeaderMalformed",
    "AuthorizationQueryParametersError",
    "InvalidBucketName",
];

/// A signature is valid within 15 minutes of the gateway's clock.
const SKEW_SECONDS: i64 = 15 * 60;

fn why(answer: &Answer, code: &str, message: &str, now: Timestamp) -> String {
    let status = answer.status;
    let said = match (code, message) {
        ("", "") => format!("it answered {status}"),
        (code, "") => format!("it answered {status} {code}"),
        (code, message) => format!("it answered {status} {code} ({message})"),
    };
    let apart = answer.date.as_deref().and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
    let apart = apart.map_or(0, |date| now.as_second() - date.timestamp().as_second());
    let mend = match (status, code) {
        (403, _) if apart.abs() > SKEW_SECONDS => format!(
            "this host's clock is {} s {} of the gateway's: set it right",
            apart.abs(),
            if apart > 0 { "ahead" } else { "behind" }
        ),
        (_, "RequestTimeTooSkewed") => "this host's clock and the gateway's differ too much: set it right".to_string(),
        (_, "InvalidAccessKeyId") => "it does not know this access key".to_string(),
        (_, "SignatureDoesNotMatch") => {
            "the secret key is not that of this access key, or the region is another one (--s3-region)".to_string()
        }
        (_, "ExpiredToken" | "TokenRefreshRequired") => "the session's keys have expired: fetch new ones".to_string(),
        (_, "QuotaExceeded") => "a quota of the user or the bucket is reached".to_string(),
        (_, "TooManyBuckets") => "this user may have no more buckets".to_string(),
        (_, "InvalidLocationConstraint") => {
            "it has no such placement; radosgw-admin zonegroup placement list names those that there are (a new one it knows when it has been restarted)"
                .to_string()
        }
        (_, "AccessDenied") => "this user may not do that".to_string(),
        (_, "NoSuchBucket") => "the bucket is gone: somebody deleted it".to_string(),
        (301..=303 | 307 | 308, _) => match &answer.location {
            Some(location) => format!("it sends to {location}, and redirects are not followed: name that gateway"),
            None => "it sends elsewhere, and redirects are not followed: name the right gateway or region".to_string(),
        },
        (503, _) => "it is overloaded, or not ready".to_string(),
        (401, "") => "it does not know this user, or the key is another one".to_string(),
        (501, _) => "it does not know this operation".to_string(),
        _ => return said,
    };
    format!("{said}: {mend}")
}

/// A status in words, for an operation that is counted as an error.
pub fn status_in_words(status: u16) -> &'static str {
    match status {
        404 => "the gateway answered 404: there is no such object",
        409 => "the gateway answered 409: another request was in its way",
        429 => "the gateway answered 429: too many requests",
        500 => "the gateway answered 500: something is wrong within it",
        502 => "the gateway answered 502: what is behind it does not answer",
        503 => "the gateway answered 503: it is overloaded, or not ready",
        504 => "the gateway answered 504: what is behind it does not answer in time",
        400..500 => "the gateway refused it (4xx)",
        _ => "the gateway answered neither success nor an error that is known",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, date: Option<&str>) -> Answer {
        Answer { status, date: date.map(str::to_string), ..Answer::default() }
    }

    fn said(answer: &Answer, body: &str) -> String {
        let Told { code, message } = told(body.as_bytes());
        why(answer, &code, &message, "2026-11-27T14:00:00Z".parse().unwrap())
    }

    const KEY: &str = r#"<?xml version="1.0" encoding="UTF-8"?><Error><Code>InvalidAccessKeyId</Code><RequestId>tx0</RequestId><HostId>h</HostId></Error>"#;

    #[test]
    fn an_answer_is_told_with_its_mend() {
        assert_eq!(
            said(&answer(403, None), KEY),
            "it answered 403 InvalidAccessKeyId: it does not know this access key"
        );
        assert_eq!(said(&answer(418, None), "no xml"), "it answered 418");
        assert_eq!(said(&answer(503, None), ""), "it answered 503: it is overloaded, or not ready");
        let late = said(&answer(403, Some("Fri, 27 Nov 2026 13:00:00 GMT")), KEY);
        assert!(late.ends_with("this host's clock is 3600 s ahead of the gateway's: set it right"), "{late}");
        let near = said(&answer(403, Some("Fri, 27 Nov 2026 13:59:00 GMT")), KEY);
        assert!(near.ends_with("does not know this access key"), "{near}");
        let there = Answer { location: Some("http://b:80/".into()), ..answer(301, None) };
        assert!(said(&there, "").contains("sends to http://b:80/"));
    }

    #[test]
    fn only_what_cannot_get_better_ends_a_step() {
        let code = |code: &str| format!("<Error><Code>{code}</Code></Error>");
        assert!(S3Error::hopeless(&answer(403, None), KEY.as_bytes()));
        assert!(S3Error::hopeless(&answer(404, None), code("NoSuchBucket").as_bytes()));
        assert!(!S3Error::hopeless(&answer(404, None), code("NoSuchKey").as_bytes()));
        assert!(!S3Error::hopeless(&answer(503, None), code("SlowDown").as_bytes()));
        assert!(S3Error::hopeless(&answer(302, None), b""));
        assert!(S3Error::hopeless(&answer(400, None), code("ExpiredToken").as_bytes()));
        assert!(!S3Error::hopeless(&answer(400, None), code("BadDigest").as_bytes()));
        assert!(!S3Error::hopeless(&answer(500, None), b""));
    }
}
