//! A gateway that is none: it does what real ones do seldom.

use super::*;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::sync::{Arc, Mutex};

/// A gateway that has too much to do: what it did not do is told with the figure, and is in none.
#[test]
fn answers_that_are_errors_are_told_with_their_share_and_status() {
    let home = Home::new();
    let url = keeps_objects(true);
    let keys = [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "hush")];
    let words = ["object", "--s3-url", &url, "--patterns", "read-parallel", "--working-set", "256k", "--depth", "4"];
    let report = home.run_with(&[&words[..], &SHORT].concat(), &keys);
    let report = report.ends(4, &[]).json();
    let figure = &report["figures"][0];
    let (good, bad) = (figure["operations"].as_u64().unwrap(), figure["errors"].as_u64().unwrap());
    assert!(good > 100 && bad > 20, "{figure}");
    assert!(figure["first_error"].as_str().unwrap().contains("the gateway answered 503"), "{figure}");
    let shown = home.run(&["show", "last"]);
    assert!(shown.out.contains("of the operations failed") && shown.out.contains("503"), "{}", shown.out);
}

/// What can't be listed can't be found again to be deleted: then nothing is put.
#[test]
fn a_bucket_that_lists_nothing_is_not_filled() {
    let home = Home::new();
    let url = keeps_objects(false);
    let keys = [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "hush")];
    let words = ["object", "--s3-url", &url, "--patterns", "read-parallel", "--working-set", "256k", "--depth", "4"];
    let told = home.run_with(&[&words[..], &SHORT].concat(), &keys);
    told.ends(1, &["bucket fathom-", "it does not list what is in it", "--placement"]);
    assert_eq!(fs::read_dir(home.path().join("fathom/journal")).map_or(0, Iterator::count), 0);
}

/// A gateway that keeps objects, and gives every fourth GET of one a 503. Of a bucket it lists the mark alone, or nothing.
fn keeps_objects(lists: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let objects: Arc<Mutex<HashMap<String, Vec<u8>>>> = Arc::default();
    let serve = move |stream: TcpStream, objects: Arc<Mutex<HashMap<String, Vec<u8>>>>| {
        let (mut input, mut output) = (BufReader::new(stream.try_clone().unwrap()), stream);
        for count in 0u64.. {
            let mut line = String::new();
            if input.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let (method, path, query) = match words[1].split_once('?') {
                Some((path, query)) => (words[0], path.to_string(), query.to_string()),
                None => (words[0], words[1].to_string(), String::new()),
            };
            let mut bytes = 0;
            loop {
                let mut header = String::new();
                if input.read_line(&mut header).unwrap_or(0) <= 2 {
                    break;
                }
                if let Some(length) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                    bytes = length.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; bytes];
            input.read_exact(&mut body).unwrap();
            let mut objects = objects.lock().unwrap();
            let bucket = path.matches('/').count() < 3 && path.ends_with('/');
            let none = b"<Error><Code>NoSuchBucket</Code></Error>".to_vec();
            let (status, answer) = match method {
                "PUT" => (200, objects.insert(path, body).map_or(Vec::new(), |_| Vec::new())),
                "DELETE" => (204, objects.remove(&path).map_or(Vec::new(), |_| Vec::new())),
                "POST" => {
                    objects.retain(|name, _| name.ends_with('/'));
                    (200, b"<DeleteResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"></DeleteResult>".to_vec())
                }
                _ if bucket && !objects.contains_key(&path) => (404, none),
                _ if bucket => {
                    let asked = lists && query.contains("prefix=fathom.run");
                    let marked = asked && objects.contains_key(&format!("{path}fathom.run"));
                    let mark = if marked { "<Contents><Key>fathom.run</Key><Size>1</Size></Contents>" } else { "" };
                    let xmlns = "http://s3.amazonaws.com/doc/2006-03-01/";
                    (200, format!("<ListBucketResult xmlns=\"{xmlns}\">{mark}</ListBucketResult>").into_bytes())
                }
                _ if count % 4 == 3 => (503, b"<Error><Code>SlowDown</Code></Error>".to_vec()),
                _ => objects.get(&path).map_or((404, none), |body| (200, body.clone())),
            };
            let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", answer.len());
            if output.write_all(&[head.as_bytes(), &answer].concat()).is_err() {
                return;
            }
        }
    };
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (serve, objects) = (serve, objects.clone());
            std::thread::spawn(move || serve(stream, objects));
        }
    });
    url
}
