//! A server that keeps what it is put and gives it back, by HTTP: not the limit of any load here, and without a care for signatures. Whoever
//! logs in at [`SWIFT_LOG_IN`] is told that its containers are here, too.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

type Objects = Arc<Mutex<BTreeMap<String, Arc<Vec<u8>>>>>;

/// Where users of Swift log in.
pub const SWIFT_LOG_IN: &str = "/auth/v1.0";

/// Its address. It ends with this process.
pub fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let objects = Objects::default();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let objects = objects.clone();
            std::thread::spawn(move || serve(stream, &objects));
        }
    });
    url
}

fn serve(stream: TcpStream, objects: &Objects) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut input = BufReader::new(stream.try_clone().ok()?);
    let mut output = stream;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let mut words = line.split_whitespace();
        let (method, what) = (words.next()?.to_string(), words.next()?.to_string());
        let (path, query) = what.split_once('?').unwrap_or((&what, ""));
        let (path, mut bytes, mut range) = (path.to_string(), 0, None);
        loop {
            let mut header = String::new();
            input.read_line(&mut header).ok()?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(length) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                bytes = length.trim().parse().ok()?;
            }
            if let Some(asked) = header.to_ascii_lowercase().strip_prefix("range: bytes=") {
                let (from, to) = asked.trim().split_once('-')?;
                range = Some((from.parse::<usize>().ok()?, to.parse::<usize>().ok()?));
            }
        }
        let mut body = vec![0; bytes];
        input.read_exact(&mut body).ok()?;
        let found = match method.as_str() {
            "GET" if path == SWIFT_LOG_IN => {
                let storage = format!("http://{}/swift/v1", output.local_addr().ok()?);
                let head = format!(
                    "HTTP/1.1 200 OK\r\nX-Storage-Url: {storage}\r\nX-Auth-Token: token\r\nContent-Length: 0\r\n\r\n"
                );
                output.write_all(head.as_bytes()).ok()?;
                continue;
            }
            "PUT" => {
                objects.lock().unwrap().insert(path, Arc::new(body));
                Some(Arc::default())
            }
            "DELETE" => objects.lock().unwrap().remove(&path).map(|_| Arc::default()),
            "GET" if query.contains("list-type=2") => Some(Arc::new(listed(&path, query, objects).into_bytes())),
            _ => objects.lock().unwrap().get(&path).cloned(),
        };
        let whole = found.clone().unwrap_or_default();
        let (status, of, body) = match (found.is_some(), range) {
            (false, _) => ("404 Not Found", String::new(), &whole[..]),
            (true, None) => ("200 OK", String::new(), &whole[..]),
            (true, Some((from, to))) => {
                let of = format!("Content-Range: bytes {from}-{to}/{}\r\n", whole.len());
                ("206 Partial Content", of, whole.get(from..=to)?)
            }
        };
        // Some clients want to know when it was changed, and of which version it is.
        let head = format!(
            "HTTP/1.1 {status}\r\nETag: \"0\"\r\nLast-Modified: Fri, 27 Nov 2026 14:00:00 GMT\r\n{of}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let body = if method == "HEAD" { &[] } else { body };
        output.write_all(&[head.as_bytes(), body].concat()).ok()?;
    }
}

/// A page of names.
fn listed(bucket: &str, query: &str, objects: &Objects) -> String {
    let asked = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    };
    let bucket = format!("{}/", bucket.trim_end_matches('/'));
    let (prefix, after) = (format!("{bucket}{}", asked("prefix")), format!("{bucket}{}", asked("start-after")));
    let objects = objects.lock().unwrap();
    let names = objects.keys().filter(|name| name.starts_with(&prefix) && **name > after);
    let page = names.take(asked("max-keys").parse().unwrap_or(1000));
    page.map(|name| format!("<Contents><Key>{}</Key></Contents>", &name[bucket.len()..])).collect()
}
