//! A client at a server that does as a test wants: which requests it gets.

use crate::{Client, File, NfsError, Stable};
use model::NfsExport;
use nfs::v4::protocol::{Bitmap, FATTR4_MAXREAD, FATTR4_MAXWRITE, FATTR4_NUMLINKS, FATTR4_SIZE, FATTR4_TYPE};
use nfs::xdr::{Decoder, Encode, Encoder};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MIB: usize = 1 << 20;

/// What is odd about it.
#[derive(Clone, Copy)]
struct Manner {
    /// The latest minor version that it speaks.
    minor_version: u32,
    /// It has lost what was written, when it is asked to make it stable.
    forgets: bool,
    /// Whatever it is asked for, it makes it stable at once.
    writes_through: bool,
}

const USUAL: Manner = Manner { minor_version: 2, forgets: false, writes_through: false };

/// Each call's minor version and what it does, in words.
type Asked = Arc<Mutex<Vec<(u32, String)>>>;

fn server(manner: Manner) -> (NfsExport, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Asked::default();
    let all = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let asked = all.clone();
            std::thread::spawn(move || while answered(&stream, manner, &asked).is_some() {});
        }
    });
    (NfsExport { host: "127.0.0.1".to_string(), port, path: "/".to_string() }, asked)
}

/// One call and its answer; `None`: nobody calls any more.
fn answered(mut stream: &TcpStream, manner: Manner, asked: &Asked) -> Option<()> {
    let mut mark = [0; 4];
    stream.read_exact(&mut mark).ok()?;
    let mut record = vec![0; (u32::from_be_bytes(mark) & !(1 << 31)) as usize];
    stream.read_exact(&mut record).ok()?;
    let mut call = Decoder::new(&record);
    let transaction = call.read_u32().unwrap();
    call.read_fixed_opaque(5 * 4).unwrap();
    for _credential_and_verifier in 0..2 {
        call.read_u32().unwrap();
        call.read_opaque(400).unwrap();
    }
    call.read_string(100).unwrap();
    let minor_version = call.read_u32().unwrap();
    call.read_u32().unwrap();
    let (what, results) = done(&mut call, manner);
    asked.lock().unwrap().push((minor_version, what));
    let mut answer = Encoder::new();
    // A reply, accepted, without a verifier, done.
    [transaction, 1, 0, 0, 0, 0].iter().for_each(|word| answer.write_u32(*word));
    match minor_version <= manner.minor_version {
        true => {
            [0, 0, results.len() as u32].iter().for_each(|word| answer.write_u32(*word));
            results.iter().for_each(|result| answer.write_fixed_opaque(result));
        }
        // NFS4ERR_MINOR_VERS_MISMATCH, no tag, nothing done.
        false => [10021, 0, 0].iter().for_each(|word| answer.write_u32(*word)),
    }
    let answer = answer.into_bytes();
    let mark = (1 << 31) | answer.len() as u32;
    stream.write_all(&[&mark.to_be_bytes()[..], &answer].concat()).ok()
}

/// The result of an operation that succeeded.
fn good(operation: u32, write: impl FnOnce(&mut Encoder)) -> Vec<u8> {
    let mut result = Encoder::new();
    result.write_u32(operation);
    result.write_u32(0);
    write(&mut result);
    result.into_bytes()
}

fn words(result: &mut Encoder, words: &[u32]) {
    words.iter().for_each(|word| result.write_u32(*word));
}

/// As far as these tests ask: what it is called, and its results.
fn done(call: &mut Decoder<'_>, manner: Manner) -> (String, Vec<Vec<u8>>) {
    let channel = [0, 2 * MIB as u32, 2 * MIB as u32, 4096, 16, 1, 0];
    match call.read_u32().unwrap() {
        42 => {
            // Client 7; no protection, a server without a name or words of its own.
            let known = good(42, |result| words(result, &[0, 7, 1, 0, 0, 0, 0, 0, 0, 0]));
            ("exchange-id".to_string(), vec![known])
        }
        43 => {
            let made = good(43, |result| {
                result.write_fixed_opaque(&[1; 16]);
                words(result, &[1, 0]);
                words(result, &channel);
                words(result, &channel);
            });
            ("create-session".to_string(), vec![made])
        }
        53 => {
            call.read_fixed_opaque(32).unwrap();
            let sequence = good(53, |result| {
                result.write_fixed_opaque(&[1; 16]);
                words(result, &[1, 0, 0, 0, 0]);
            });
            let (what, then) = in_session(call, manner);
            (what, std::iter::once(sequence).chain(then).collect())
        }
        other => (format!("operation {other}"), vec![good(other, |_| {})]),
    }
}

fn attributes(which: &[u32], values: &[&[u8]]) -> Vec<u8> {
    good(9, |result| {
        Bitmap::from_attrs(which).encode(result).unwrap();
        result.write_opaque(&values.concat(), 100).unwrap();
    })
}

const VERIFIER: [u8; 8] = [9; 8];

fn in_session(call: &mut Decoder<'_>, manner: Manner) -> (String, Vec<Vec<u8>>) {
    let handle = || good(10, |result| result.write_opaque(&[5], 8).unwrap());
    let first = call.read_u32().unwrap();
    if first == 24 {
        // The root, its handle, and how much it takes at once: a megabyte.
        let most = (MIB as u64).to_be_bytes();
        let limits = attributes(&[FATTR4_MAXREAD, FATTR4_MAXWRITE], &[&most, &most]);
        return ("export".to_string(), vec![good(24, |_| {}), handle(), limits]);
    }
    if first != 22 {
        return (format!("operation {first}"), vec![good(first, |_| {})]);
    }
    call.read_opaque(128).unwrap();
    let (found, operation) = (good(22, |_| {}), call.read_u32().unwrap());
    let (what, then) = match operation {
        18 => {
            let opened = good(18, |result| {
                // State, change, flags, attributes, no delegation.
                words(result, &[1, 2, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0]);
            });
            let (kind, size, names) = (1u32.to_be_bytes(), 0u64.to_be_bytes(), 1u32.to_be_bytes());
            let of = attributes(&[FATTR4_TYPE, FATTR4_SIZE, FATTR4_NUMLINKS], &[&kind, &size, &names]);
            ("open".to_string(), vec![opened, handle(), of])
        }
        38 => {
            call.read_fixed_opaque(16 + 8).unwrap();
            let stable = call.read_u32().unwrap();
            let bytes = call.read_opaque(2 * MIB).unwrap().len();
            let committed = if manner.writes_through { 2 } else { stable };
            let written = good(38, |result| {
                words(result, &[bytes as u32, committed]);
                result.write_fixed_opaque(&VERIFIER);
            });
            (format!("write {bytes} {}", ["unstable", "data-sync", "file-sync"][stable as usize]), vec![written])
        }
        5 => {
            let verifier = if manner.forgets { [8; 8] } else { VERIFIER };
            ("commit".to_string(), vec![good(5, |result| result.write_fixed_opaque(&verifier))])
        }
        4 => ("close".to_string(), vec![good(4, |result| words(result, &[1, 2, 2, 2]))]),
        other => (format!("operation {other}"), vec![good(other, |_| {})]),
    };
    (what, std::iter::once(found).chain(then).collect())
}

fn connected(manner: Manner) -> (Result<Client, NfsError>, Asked) {
    let (export, asked) = server(manner);
    (Client::connect(&export, Duration::from_secs(10)), asked)
}

#[test]
fn a_server_that_speaks_only_the_version_before_is_asked_in_that() {
    let (client, asked) = connected(Manner { minor_version: 1, ..USUAL });
    drop(client.unwrap());
    let asked = asked.lock().unwrap().clone();
    let (tried, used) = asked.split_at(1);
    assert_eq!(tried, [(2, "exchange-id".to_string())]);
    assert_eq!(used[0], (1, "exchange-id".to_string()));
    assert!(used.iter().all(|(minor_version, _)| *minor_version == 1), "{used:?}");
    // One that speaks the later one is asked in that alone.
    let (client, asked) = connected(USUAL);
    drop(client.unwrap());
    assert!(asked.lock().unwrap().iter().all(|(minor_version, _)| *minor_version == 2));
    // One that speaks neither says so.
    let (client, asked) = connected(Manner { minor_version: 0, ..USUAL });
    let error = client.err().unwrap();
    assert!(error.is_of_version() && error.to_string().contains("10021"), "{error}");
    assert_eq!(asked.lock().unwrap().iter().filter(|(_, what)| what == "exchange-id").count(), 2);
}

/// What is asked for a write of so much that is to be stable, between opening and closing the file.
fn asked_for(bytes: usize, manner: Manner) -> (Result<(), NfsError>, Vec<String>) {
    let (client, asked) = connected(manner);
    let mut client = client.unwrap();
    let root = client.root();
    let file = File::make(&mut client, &root, "f").unwrap();
    asked.lock().unwrap().clear();
    let written = file.write(&mut client, 0, &vec![1; bytes], Stable::File).map(drop);
    let all = asked.lock().unwrap().iter().map(|(_, what)| what.clone()).collect();
    (written, all)
}

#[test]
fn what_takes_several_requests_is_made_stable_by_one_commit() {
    let (written, asked) = asked_for(4 * MIB, USUAL);
    written.unwrap();
    let piece = format!("write {MIB} unstable");
    assert_eq!(asked, [&piece[..], &piece, &piece, &piece, "commit"]);
    // What one request holds is stable with it.
    let (written, asked) = asked_for(MIB, USUAL);
    written.unwrap();
    assert_eq!(asked, [format!("write {MIB} file-sync")]);
    // Of a server that writes through nothing is left to be made stable.
    let (written, asked) = asked_for(2 * MIB, Manner { writes_through: true, ..USUAL });
    written.unwrap();
    assert_eq!(asked, [&piece[..], &piece]);
    let (written, _) = asked_for(2 * MIB, Manner { forgets: true, ..USUAL });
    assert!(written.unwrap_err().to_string().contains("lost what was written before"));
}
