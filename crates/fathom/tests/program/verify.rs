//! `--verify`: what is changed beneath a loop device, or in a pool, is seen as what it is; what nobody touched is clean.

use crate::common::hosts::{Hosts, Odd};
use crate::common::{Home, Lent, eventually, tool};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

const BLOCK: usize = 4096;
const SPAN: usize = 1 << 20;

/// A loop device whose backing file is at hand. The file is changed through the page cache, as the device does, which is
/// opened past its own cache: both see the same bytes.
struct Beneath {
    device: String,
    file: tempfile::NamedTempFile,
}

impl Beneath {
    fn new() -> Beneath {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(4 * SPAN as u64).unwrap();
        let device = tool("losetup", &["--find", "--show", &file.path().display().to_string()]);
        Beneath { device, file }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; SPAN];
        File::open(self.file.path()).unwrap().read_exact_at(&mut bytes, 0).unwrap();
        bytes
    }

    fn put(&self, block: usize, bytes: &[u8]) {
        self.file.as_file().write_all_at(bytes, (block * BLOCK) as u64).unwrap();
    }
}

impl Drop for Beneath {
    fn drop(&mut self) {
        let _ = std::process::Command::new("/usr/sbin/losetup").args(["-d", &self.device]).output();
    }
}

fn start(home: &Home, arguments: &[&str]) -> Child {
    home.fathom(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn finish(child: Child) -> (i32, Value, String) {
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {err}"));
    (output.status.code().unwrap_or(-1), document, err)
}

/// What a run says while it goes on, line by line.
struct Told {
    lines: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Told {
    fn of(run: &mut Child) -> Told {
        let (lines, err) = (Arc::new(Mutex::new(String::new())), BufReader::new(run.stderr.take().unwrap()));
        let into = lines.clone();
        let reader = thread::spawn(move || {
            for line in err.lines() {
                *into.lock().unwrap() += &(line.unwrap() + "\n");
            }
        });
        Told { lines, reader }
    }

    #[track_caller]
    fn wait_for(&self, word: &str) {
        eventually(word, 60, || self.lines.lock().unwrap().contains(word) || self.reader.is_finished());
        assert!(self.lines.lock().unwrap().contains(word), "it ended without {word}: {}", self.lines.lock().unwrap());
    }

    /// Once the run is over.
    fn all(self) -> String {
        self.reader.join().unwrap();
        self.lines.lock().unwrap().clone()
    }
}

/// All flaws of all figures: kind, place, offset.
fn flaws(document: &Value) -> Vec<(String, String, u64)> {
    let figures = document["figures"].as_array().unwrap().iter();
    let all = figures.flat_map(|figure| figure["verified"]["flaws"].as_array().cloned().unwrap_or_default());
    let text = |value: &Value| value.as_str().unwrap().to_string();
    all.map(|flaw| (text(&flaw["kind"]), text(&flaw["place"]), flaw["offset"].as_u64().unwrap())).collect()
}

fn count(document: &Value, what: &str) -> u64 {
    document["figures"].as_array().unwrap().iter().filter_map(|figure| figure["verified"][what].as_u64()).sum()
}

#[test]
fn what_nobody_touches_is_clean_in_every_pattern_and_with_both_engines() {
    let home = Home::new();
    for engine in ["io_uring", "psync"] {
        let file = home.path().join("load").to_string_lossy().into_owned();
        let depth = if engine == "psync" { "1" } else { "16" };
        let load = ["--working-set", "8M", "--duration", "1s", "--engine", engine, "--depth", depth, "--verify"];
        let all = "write-latency,read-latency,write-parallel,read-parallel,write-linear,read-linear";
        let ran = home.run(&[&["disk", &file, "--patterns", all, "--format", "json"], &load[..]].concat());
        assert!(matches!(ran.code, 0 | 4), "{}: {}", ran.code, ran.err);
        let document = ran.json();
        assert_eq!(flaws(&document), []);
        for figure in document["figures"].as_array().unwrap() {
            assert!(figure["verified"]["bytes"].as_u64().unwrap() > 0, "{figure}");
            assert_eq!(
                (figure["verified"]["unknown"].as_u64(), &figure["workload"]["verify"]),
                (Some(0), &true.into())
            );
            let read_back = &figure["verified"]["read_back"];
            assert_eq!(read_back.is_null(), figure["kind"] == "read", "{figure}");
        }
        let mixed = ["disk", &file, "--read-share", "50", "--depth", depth, "--access", "zipf:1.1", "--format", "json"];
        let ran = home.run(&[&mixed[..], &load[..6], &["--verify"]].concat());
        assert!(matches!(ran.code, 0 | 4), "{}: {}", ran.code, ran.err);
        assert_eq!(flaws(&ran.json()), []);
        assert!(count(&ran.json(), "bytes") > 0);
    }
}

/// Filled, then written all over, then read: what is changed in that last part is seen as exactly what it is.
#[test]
fn each_change_beneath_a_loop_device_is_seen() {
    changes_are_seen(&Home::new(), &[]);
}

/// The agent stamps and checks, and what it finds is told here as if it were here.
#[test]
fn each_change_beneath_a_loop_device_of_another_host_is_seen() {
    let hosts = Hosts::new(&[Odd::default()]);
    changes_are_seen(&hosts.home, &["--hosts", &hosts.list(), "--ssh-config", &hosts.config()]);
}

fn changes_are_seen(home: &Home, on: &[&str]) {
    let beneath = Beneath::new();
    let load = ["--working-set", "1M", "--patterns", "write-parallel,read-latency", "--duration", "4s"];
    // Of this seed, the write comes first.
    let words = ["--seed", "2", "--format", "json"];
    let mut run = start(home, &[&["disk", &beneath.device, "--verify"], on, &load, &words].concat());
    let told = Told::of(&mut run);
    let empty = |bytes: &[u8]| bytes.chunks(BLOCK).filter(|block| block.iter().all(|byte| *byte == 0)).count();
    eventually("the filling, or the end of the run", 60, || {
        run.try_wait().unwrap().is_some() || empty(&beneath.bytes()) == 0
    });
    if run.try_wait().unwrap().is_some() {
        panic!("it filled nothing: {}", told.all());
    }
    let before = beneath.bytes();
    told.wait_for("step 1 of 2"); // Told at its end: nothing is written any more.
    let last = beneath.bytes();
    let block = |of: &[u8], n: usize| of[n * BLOCK..(n + 1) * BLOCK].to_vec();
    assert!([20, 30].iter().all(|n| block(&before, *n) != block(&last, *n)), "not written over");
    let mut flipped = block(&last, 10);
    flipped[700] ^= 4;
    beneath.put(10, &flipped);
    beneath.put(20, &block(&before, 20));
    beneath.put(30, &block(&before, 30)[..BLOCK / 2]);
    beneath.put(40, &block(&last, 41));
    let (code, document, _) = finish(run);
    let err = told.all();
    let mut seen = flaws(&document);
    seen.sort_by_key(|flaw| flaw.2);
    let expected = [("wrong", 10), ("stale", 20), ("torn", 30), ("misplaced", 40)];
    let expected = expected.map(|(kind, n)| (kind.to_string(), beneath.device.clone(), (n * BLOCK) as u64));
    assert_eq!(seen, expected, "{err}");
    for (kind, ..) in &expected {
        assert_eq!(count(&document, kind), 1);
    }
    assert_eq!(code, 1, "{err}");
    assert!(document["errors"][0].as_str().unwrap().contains("not as"), "{}", document["errors"]);
    // The archive has it, in every form.
    let text = home.run(&["show", "last"]);
    text.ends(0, &[]);
    for word in ["Verified", "misplaced", &beneath.device, "40960"] {
        assert!(text.out.contains(word), "{word}: {}", text.out);
    }
    assert!(home.run(&["show", "last", "--format", "markdown"]).out.contains("## Verified"));
    assert_eq!(flaws(&home.run(&["show", "last", "--format", "json"]).json()).len(), 4);
}

#[test]
fn what_cannot_be_verified_is_refused() {
    let home = Home::new();
    let network = home.run(&["network", "--verify", "--duration", "1s"]);
    network.ends(2, &["unexpected argument '--verify'"]);
    let file = home.path().join("data");
    std::fs::write(&file, vec![7; SPAN]).unwrap();
    let path = file.to_string_lossy().into_owned();
    // Reads alone must be of what Fathom wrote, so that this is a write to something that holds data.
    home.run(&["disk", &path, "--verify", "--patterns", "read-latency", "--duration", "1s"]).ends(3, &[&path]);
    assert!(std::fs::read(&file).unwrap() == vec![7; SPAN]);
    let new = home.path().join("new").to_string_lossy().into_owned();
    home.run(&["disk", &new, "--verify", "--engine", "null", "--duration", "1s"]).ends(2, &["moves no data"]);
}

#[test]
fn objects_and_images_of_a_lab_are_clean_and_an_object_that_was_overwritten_is_seen() {
    let lab = Lent::lab();
    let before = lab.snapshot();
    lab.run(&["store", "--verify", "--quick"]).ends(2, &["unexpected argument '--verify'"]);
    for layer in ["osd", "rados", "rbd"] {
        let load = ["--verify", "--working-set", "8M", "--duration", "1s", "--format", "json"];
        let patterns = ["--patterns", "write-parallel,read-parallel,read-linear"];
        let ran = lab.run(&[&[layer], &load[..], &patterns[..]].concat());
        assert!(matches!(ran.code, 0 | 4), "{layer} {}: {}", ran.code, ran.err);
        let document = ran.json();
        assert_eq!((flaws(&document), count(&document, "unknown")), (vec![], 0), "{layer}");
        for figure in document["figures"].as_array().unwrap() {
            assert!(figure["verified"]["bytes"].as_u64().unwrap() > 0, "{figure}");
        }
    }
    let reading = ["--patterns", "read-latency", "--duration", "8s", "--working-set", "1M", "--object-size", "64k"];
    let all = [&["rados", "--verify", "--format", "json"], &reading[..]].concat();
    let run = lab.fathom(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let rados = |arguments: &[&str]| tool("rados", &[&["--conf", lab.conf()], arguments].concat());
    let mut pool = String::new();
    eventually("a filled pool", 60, || {
        let pools = lab.ceph(&["osd", "pool", "ls"]);
        pool = pools.lines().find(|pool| pool.starts_with("fathom.")).unwrap_or_default().to_string();
        !pool.is_empty() && rados(&["-p", &pool, "ls"]).lines().count() == 16
    });
    let object = rados(&["-p", &pool, "ls"]).lines().next().unwrap().to_string();
    let other = lab.home.path().join("other");
    std::fs::write(&other, vec![9; 64 << 10]).unwrap();
    rados(&["-p", &pool, "put", &object, &other.to_string_lossy()]);
    let (code, document, err) = finish(run);
    let seen = flaws(&document);
    assert_eq!((code, seen.len()), (1, 16), "{err}");
    assert!(seen.iter().all(|(kind, place, _)| kind == "wrong" && place.contains(&object)), "{seen:?}");
    assert_eq!(lab.snapshot(), before, "something was left behind");
}
