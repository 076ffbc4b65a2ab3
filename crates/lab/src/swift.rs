//! A client of the lab's object gateway by Swift, as little of it as faults need: no other protocol of objects does without signatures.

use crate::errors::LabError;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

/// A gateway that is stuck holds nobody up for longer.
const ANSWER: Duration = Duration::from_secs(60);

/// One connection, which may do one thing after the other.
pub(crate) struct Swift {
    stream: BufReader<TcpStream>,
    address: String,
    token: String,
    /// `/swift/v1`
    path: String,
}

impl Swift {
    /// `keys`: the lab's file, in which the user of Swift has a profile.
    ///
    /// # Errors
    /// The gateway does not answer, or does not take the keys.
    pub fn connect(address: &str, keys: &Path) -> Result<Swift, LabError> {
        let failed = LabError::io("cannot reach the object gateway by Swift at", address.as_ref());
        let text = std::fs::read_to_string(keys).map_err(LabError::io("cannot read", keys))?;
        Self::begun(address, &text).map_err(failed)
    }

    fn begun(address: &str, keys: &str) -> io::Result<Swift> {
        let own = keys.split_once(&format!("[{}]", crate::rgw::SWIFT_PROFILE)).map_or("", |(_, own)| own);
        let key = |name: &str| own.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_prefix('='));
        let missing = || io::Error::other("the lab's file of keys has none for Swift");
        let user = key("aws_access_key_id").ok_or_else(missing)?.trim();
        let secret = key("aws_secret_access_key").ok_or_else(missing)?.trim();
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_nodelay(true)?;
        let (stream, address) = (BufReader::new(stream), address.to_owned());
        let mut swift = Swift { stream, address, token: String::new(), path: String::new() };
        let fields = swift.ask("GET", "/auth/1.0", &format!("X-Auth-User: {user}\r\nX-Auth-Key: {secret}\r\n"))?;
        let field = |name: &str| {
            let line = fields.iter().find(|line| line.to_ascii_lowercase().starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let refused = || io::Error::other("it gave no token");
        swift.token = field("x-auth-token").ok_or_else(refused)?;
        let url = field("x-storage-url").ok_or_else(refused)?;
        swift.path = url
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('/'))
            .map_or_else(String::new, |(_, path)| format!("/{path}"));
        Ok(swift)
    }

    /// Makes a container, or an object without content: `name`, `name/object`.
    pub fn put(&mut self, name: &str) -> io::Result<()> {
        let (path, token) = (format!("{}/{name}", self.path), format!("X-Auth-Token: {}\r\n", self.token));
        self.ask("PUT", &path, &token).map(drop)
    }

    /// The fields of the answer.
    fn ask(&mut self, method: &str, path: &str, fields: &str) -> io::Result<Vec<String>> {
        let host = &self.address;
        let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n{fields}\r\n");
        self.stream.get_mut().write_all(request.as_bytes())?;
        let status = self.line()?;
        let mut told = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            told.push(line);
        }
        let length = told.iter().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        io::copy(&mut (&mut self.stream).take(length.unwrap_or(0)), &mut io::sink())?;
        let done = status.split(' ').nth(1).is_some_and(|code| code.starts_with('2'));
        if done { Ok(told) } else { Err(io::Error::other(format!("{method} {path}: {status}"))) }
    }

    fn line(&mut self) -> io::Result<String> {
        const LONGEST: u64 = 64 << 10;
        let mut line = String::new();
        if (&mut self.stream).take(LONGEST).read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}
