//! What answers as a gateway would that does seldom things: it keeps buckets, objects and uploads in memory.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// What is odd about it.
#[derive(Clone, Copy, Default)]
pub struct Manner {
    /// Every fourth GET of an object is one too many (503).
    pub busy: bool,
    /// No bucket lists what is in it.
    pub lists_nothing: bool,
    /// A request that deletes several objects is answered with this.
    pub refuses_to_delete_many: Option<(u16, &'static str)>,
    /// A bucket in which objects are being put in parts is not deleted; each seventh request, if it puts a part, is refused.
    pub keeps_uploads: bool,
    /// A bucket is only made by who names this region.
    pub region: Option<&'static str>,
}

/// By their paths, `/BUCKET/` and `/BUCKET/OBJECT`; uploads by their ids.
#[derive(Default)]
pub struct Kept {
    pub objects: BTreeMap<String, Vec<u8>>,
    pub uploads: BTreeMap<String, (String, BTreeMap<u32, Vec<u8>>)>,
    /// Method, path and query of all that was asked, in its order.
    pub asked: Vec<(String, String, String)>,
    begun: u32,
}

pub struct Server {
    pub url: String,
    kept: Arc<Mutex<Kept>>,
}

impl Server {
    pub fn start(manner: Manner) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server { url: format!("http://{}", listener.local_addr().unwrap()), kept: Arc::default() };
        let kept = server.kept.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = kept.clone();
                std::thread::spawn(move || serve(stream, &kept, manner));
            }
        });
        server
    }

    pub fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap()
    }

    /// How often it was asked so.
    pub fn count(&self, is: impl Fn(&str, &str, &str) -> bool) -> usize {
        self.kept().asked.iter().filter(|(method, path, query)| is(method, path, query)).count()
    }
}

struct Request {
    method: String,
    path: String,
    query: String,
    body: Vec<u8>,
}

impl Request {
    /// `None`: nobody asks any more.
    fn read(input: &mut impl BufRead) -> Option<Request> {
        let mut line = String::new();
        if input.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        let mut words = line.split_whitespace();
        let (method, target) = (words.next()?.to_string(), words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, query) = (path.to_string(), query.to_string());
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
        input.read_exact(&mut body).ok()?;
        Some(Request { method, path, query, body })
    }

    fn of_query(&self, name: &str) -> Option<&str> {
        self.query.split('&').find_map(|part| part.split_once('=').filter(|(own, _)| *own == name)).map(|two| two.1)
    }
}

const XMLNS: &str = "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"";

fn error(status: u16, code: &str) -> (u16, Vec<u8>) {
    (status, format!("<Error><Code>{code}</Code></Error>").into_bytes())
}

fn serve(stream: TcpStream, kept: &Mutex<Kept>, manner: Manner) {
    let (mut input, mut output) = (BufReader::new(stream.try_clone().unwrap()), stream);
    for count in 0u64.. {
        let Some(request) = Request::read(&mut input) else { return };
        let mut kept = kept.lock().unwrap();
        kept.asked.push((request.method.clone(), request.path.clone(), request.query.clone()));
        let (status, body) = kept.answer(request, manner, count);
        drop(kept);
        let head = format!("HTTP/1.1 {status} X\r\nETag: \"e\"\r\nContent-Length: {}\r\n\r\n", body.len());
        if output.write_all(&[head.as_bytes(), &body].concat()).is_err() {
            return;
        }
    }
}

impl Kept {
    fn answer(&mut self, request: Request, manner: Manner, count: u64) -> (u16, Vec<u8>) {
        let Request { method, path, .. } = &request;
        let bucket = path.matches('/').count() < 3 && path.ends_with('/');
        let upload = request.of_query("uploadId").map(str::to_string);
        if let Some(id) = upload {
            return self.answer_upload(request, &id, manner);
        }
        match method.as_str() {
            "PUT" if bucket && manner.region.is_some_and(|region| !names(&request.body, region)) => {
                error(400, "IllegalLocationConstraintException")
            }
            "PUT" => {
                self.objects.insert(path.clone(), request.body);
                (200, Vec::new())
            }
            "POST" if bucket => self.delete_many(path, &request.body, manner),
            "POST" => {
                self.begun += 1;
                let id = format!("u{}", self.begun);
                self.uploads.insert(id.clone(), (path.clone(), BTreeMap::new()));
                (200, format!("<InitiateMultipartUploadResult {XMLNS}><Bucket>b</Bucket><Key>k</Key><UploadId>{id}</UploadId></InitiateMultipartUploadResult>").into_bytes())
            }
            "DELETE" if bucket && self.is_filled(path) => error(409, "BucketNotEmpty"),
            "DELETE" => {
                self.objects.remove(path);
                (204, Vec::new())
            }
            _ if bucket && !self.objects.contains_key(path) => error(404, "NoSuchBucket"),
            _ if bucket && request.of_query("uploads").is_some() => self.list_uploads(path),
            _ if bucket => {
                let prefix = format!("{path}{}", request.of_query("prefix").unwrap_or_default());
                let own = self.objects.keys().filter(|name| name.starts_with(&prefix) && *name != path);
                let own =
                    own.map(|name| format!("<Contents><Key>{}</Key><Size>1</Size></Contents>", &name[path.len()..]));
                let own: String = own.take(if manner.lists_nothing { 0 } else { 1000 }).collect();
                (200, format!("<ListBucketResult {XMLNS}>{own}</ListBucketResult>").into_bytes())
            }
            _ if manner.busy && count % 4 == 3 => error(503, "SlowDown"),
            _ => self.objects.get(path).map_or_else(|| error(404, "NoSuchKey"), |body| (200, body.clone())),
        }
    }

    /// Are there objects or, where that counts, uploads in it?
    fn is_filled(&self, bucket: &str) -> bool {
        self.objects.keys().any(|name| name.starts_with(bucket) && name != bucket)
            || self.uploads.values().any(|(path, _)| path.starts_with(bucket))
    }

    fn delete_many(&mut self, bucket: &str, body: &[u8], manner: Manner) -> (u16, Vec<u8>) {
        if let Some((status, body)) = manner.refuses_to_delete_many {
            return (status, body.as_bytes().to_vec());
        }
        for key in String::from_utf8_lossy(body).split("<Key>").skip(1) {
            self.objects.remove(&format!("{bucket}{}", key.split('<').next().unwrap()));
        }
        (200, format!("<DeleteResult {XMLNS}></DeleteResult>").into_bytes())
    }

    fn list_uploads(&self, bucket: &str) -> (u16, Vec<u8>) {
        let own = self.uploads.iter().filter_map(|(id, (path, _))| {
            Some(format!("<Upload><Key>{}</Key><UploadId>{id}</UploadId></Upload>", path.strip_prefix(bucket)?))
        });
        let own: String = own.take(1000).collect();
        (200, format!("<ListMultipartUploadsResult {XMLNS}>{own}</ListMultipartUploadsResult>").into_bytes())
    }

    fn answer_upload(&mut self, request: Request, id: &str, manner: Manner) -> (u16, Vec<u8>) {
        let number = request.of_query("partNumber").map(|number| number.parse::<u32>().unwrap());
        match request.method.as_str() {
            "PUT" => {
                let Some((_, parts)) = self.uploads.get_mut(id) else { return error(404, "NoSuchUpload") };
                if manner.keeps_uploads && self.asked.len().is_multiple_of(7) {
                    return error(503, "SlowDown");
                }
                parts.insert(number.unwrap(), request.body);
                (200, Vec::new())
            }
            "POST" => {
                let Some((path, parts)) = self.uploads.remove(id) else { return error(404, "NoSuchUpload") };
                self.objects.insert(path, parts.into_values().collect::<Vec<_>>().concat());
                (200, format!("<CompleteMultipartUploadResult {XMLNS}></CompleteMultipartUploadResult>").into_bytes())
            }
            _ => match self.uploads.remove(id) {
                Some(_) => (204, Vec::new()),
                None => error(404, "NoSuchUpload"),
            },
        }
    }
}

fn names(body: &[u8], region: &str) -> bool {
    String::from_utf8_lossy(body).contains(&format!("<LocationConstraint>{region}</LocationConstraint>"))
}
