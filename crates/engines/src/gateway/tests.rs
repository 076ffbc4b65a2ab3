//! Sessions at what answers as a test wants it.

use super::names::Names;
use super::session::GatewaySession;
use super::spread::Spread;
use crate::api::{EngineError, Op, Session};
use model::testing::gateway;
use model::{OpClass, Pattern, Workload};
use s3::{Access, Keys, Requests};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Status, headers and body of the answer to a request: its number, its method, and what it asks for.
type Answers = fn(usize, &str, &str) -> (u16, &'static str, String);

/// What was asked, over which of its connections.
type Asked = Arc<Mutex<Vec<(usize, String)>>>;

fn server(answers: Answers) -> (SocketAddr, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, asked) = (listener.local_addr().unwrap(), Asked::default());
    let all = asked.clone();
    std::thread::spawn(move || {
        for (connection, stream) in listener.incoming().flatten().enumerate() {
            let asked = all.clone();
            std::thread::spawn(move || serve(stream, connection, answers, &asked));
        }
    });
    (address, asked)
}

fn serve(stream: TcpStream, connection: usize, answers: Answers, asked: &Asked) {
    let (mut input, mut output) = (BufReader::new(stream.try_clone().unwrap()), stream);
    loop {
        let (mut line, mut bytes) = (String::new(), 0);
        if input.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut header = String::new();
            if input.read_line(&mut header).unwrap_or(0) <= 2 {
                break;
            }
            if let Some(length) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                bytes = length.trim().parse().unwrap();
            }
        }
        input.read_exact(&mut vec![0; bytes]).unwrap();
        let number = {
            let mut asked = asked.lock().unwrap();
            asked.push((connection, line.clone()));
            asked.len() - 1
        };
        let words: Vec<&str> = line.split(' ').collect();
        let (status, headers, body) = answers(number, words[0], words[1]);
        let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        if output.write_all(&[head.as_bytes(), body.as_bytes()].concat()).is_err() {
            return;
        }
    }
}

fn opened(addresses: &[SocketAddr], workload: &Workload, lane: u32) -> Result<GatewaySession, EngineError> {
    let access = Access { keys: Keys::new("A", "hush"), authorities: None };
    let requests = Requests::new(&gateway("http://127.0.0.1:9"), "fathom-r", &access).unwrap();
    let requests = s3::testing::at_addresses(requests, addresses.to_vec());
    let spread = Spread::of(requests.addresses(), workload, lane);
    let names = Names::of_lane("fathom.r.", workload, lane);
    GatewaySession::open(vec![requests], names, workload, (workload.lane_depth(lane).max(1), workload.seed, spread))
}

/// Operations of one slot, one after the other; how many succeeded.
fn done(session: &mut GatewaySession, kind: OpClass, bytes: u32, count: usize) -> usize {
    let (mut ended, op) = (Vec::new(), Op { slot: 0, kind, offset: 0, len: bytes, due: 0 });
    for nth in 1..=count {
        session.submit(&[op]).unwrap();
        while ended.len() < nth {
            session.reap(Duration::from_secs(10), &mut ended).unwrap();
        }
    }
    ended.iter().filter(|done| done.result.is_ok()).count()
}

fn of(pattern: Pattern, jobs: u32, depth: u32, seed: u64) -> Workload {
    Workload { jobs, depth, object: Some(4096), ..Workload::canonical(pattern, 1 << 20, seed) }
}

#[test]
fn all_addresses_of_a_name_are_loaded_whatever_the_depth() {
    let taken: Answers = |_, _, _| (200, "", String::new());
    let (first, second) = (server(taken), server(taken));
    let addresses = [first.0, second.0];
    let counts = || [&first.1, &second.1].map(|asked| std::mem::take(&mut *asked.lock().unwrap()).len());
    // One at a time: each operation goes to the other one, in each slice.
    for seed in 0..3 {
        let mut session = opened(&addresses, &of(Pattern::WriteLatency, 1, 1, seed), 0).unwrap();
        assert_eq!(done(&mut session, OpClass::Write, 4096, 10), 10);
        assert_eq!(counts(), [5, 5]);
    }
    // Eight lanes of one slot: four at each.
    for lane in 0..8 {
        let mut session = opened(&addresses, &of(Pattern::WriteParallel, 8, 8, 5), lane).unwrap();
        assert_eq!(done(&mut session, OpClass::Write, 4096, 3), 3);
    }
    assert_eq!(counts(), [12, 12]);
}

#[test]
fn what_could_not_be_put_before_a_slice_is_put_again() {
    // Every third request is one too many.
    let busy: Answers = |number, method, _| match (number % 3, method) {
        (1, "PUT") => (503, "", "<Error><Code>SlowDown</Code></Error>".to_string()),
        _ => (200, "", String::new()),
    };
    let (address, asked) = server(busy);
    let mut session = opened(&[address], &of(Pattern::CreateDelete, 1, 2, 1), 0).unwrap();
    let puts = asked.lock().unwrap().len();
    assert!(puts > 10, "{puts} for ten objects");
    assert_eq!(done(&mut session, OpClass::Delete, 0, 10), 10);
    // What no later request does better ends it.
    let forbidden: Answers = |_, _, _| (403, "", "<Error><Code>AccessDenied</Code></Error>".to_string());
    let (address, asked) = server(forbidden);
    let why = opened(&[address], &of(Pattern::CreateDelete, 1, 1, 1), 0).err().unwrap().to_string();
    assert!(why.contains("this user may not do that"), "{why}");
    assert_eq!(asked.lock().unwrap().len(), 1);
}

const MIB: u64 = 1 << 20;

fn in_parts() -> Workload {
    let block = 12 * MIB;
    Workload { depth: 1, block, part: Some(5 * MIB), ..Workload::canonical(Pattern::WriteLinear, block, 1) }
}

const BEGUN: &str = "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Bucket>b</Bucket><Key>k</Key>\
                     <UploadId>u1</UploadId></InitiateMultipartUploadResult>";

fn aborts(asked: &Asked) -> usize {
    asked.lock().unwrap().iter().filter(|(_, line)| line.starts_with("DELETE ") && line.contains("uploadId=u1")).count()
}

#[test]
fn an_upload_that_failed_and_one_that_is_under_way_are_given_up_at_the_end() {
    // Its second part is refused.
    let refuses: Answers = |_, method, what| match method {
        "POST" => (200, "", BEGUN.to_string()),
        "PUT" if what.contains("partNumber=2&") => (503, "", String::new()),
        "PUT" => (200, "ETag: \"e\"\r\n", String::new()),
        _ => (204, "", String::new()),
    };
    let (address, asked) = server(refuses);
    let mut session = opened(&[address], &in_parts(), 0).unwrap();
    assert_eq!(done(&mut session, OpClass::Write, 12 << 20, 2), 0);
    assert_eq!(aborts(&asked), 0, "not while it is measured");
    drop(session);
    assert_eq!(aborts(&asked), 2);
    // The slice ends while the second part has no answer.
    let waits: Answers = |number, method, what| {
        if what.contains("partNumber=2&") {
            std::thread::sleep(Duration::from_secs(2));
        }
        match (number, method) {
            (_, "POST") => (200, "", BEGUN.to_string()),
            (_, "PUT") => (200, "ETag: \"e\"\r\n", String::new()),
            _ => (204, "", String::new()),
        }
    };
    let (address, asked) = server(waits);
    let mut session = opened(&[address], &in_parts(), 0).unwrap();
    session.submit(&[Op { slot: 0, kind: OpClass::Write, offset: 0, len: 12 << 20, due: 0 }]).unwrap();
    let part = || asked.lock().unwrap().iter().any(|(_, line)| line.contains("partNumber=2&"));
    while !part() {
        session.reap(Duration::from_millis(20), &mut Vec::new()).unwrap();
    }
    drop(session);
    assert_eq!(aborts(&asked), 1);
    // What was put together is none.
    let whole: Answers = |_, method, what| match method {
        "POST" if what.contains("uploads") => (200, "", BEGUN.to_string()),
        "POST" => (200, "", "<CompleteMultipartUploadResult/>".to_string()),
        "PUT" => (200, "ETag: \"e\"\r\n", String::new()),
        _ => (204, "", String::new()),
    };
    let (address, asked) = server(whole);
    let mut session = opened(&[address], &in_parts(), 0).unwrap();
    assert_eq!(done(&mut session, OpClass::Write, 12 << 20, 2), 2);
    drop(session);
    assert_eq!(aborts(&asked), 0);
}
