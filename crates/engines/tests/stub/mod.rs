//! A server that keeps what it is put and gives it back, by HTTP: not the limit of any load here, and without a care for signatures.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

type Objects = Arc<Mutex<HashMap<String, Arc<Vec<u8>>>>>;

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
        let (method, path) = (words.next()?.to_string(), words.next()?.split('?').next()?.to_string());
        let mut bytes = 0;
        loop {
            let mut header = String::new();
            input.read_line(&mut header).ok()?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(length) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                bytes = length.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; bytes];
        input.read_exact(&mut body).ok()?;
        let found = match method.as_str() {
            "PUT" => {
                objects.lock().unwrap().insert(path, Arc::new(body));
                Some(Arc::default())
            }
            _ => objects.lock().unwrap().get(&path).cloned(),
        };
        let status = if found.is_some() { "200 OK" } else { "404 Not Found" };
        let body = found.unwrap_or_default();
        // Some clients want to know when it was changed, and of which version it is.
        let head = format!(
            "HTTP/1.1 {status}\r\nETag: \"0\"\r\nLast-Modified: Fri, 27 Nov 2026 14:00:00 GMT\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        output.write_all(&[head.as_bytes(), &body].concat()).ok()?;
    }
}
