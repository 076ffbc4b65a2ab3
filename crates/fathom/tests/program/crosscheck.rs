//! `fathom crosscheck` with the real fio: figures of both, nothing left behind, clear words where it can't be done.

#[path = "../../../report/tests/texts/schema/mod.rs"]
mod schema;
use crate::common::{Home, Lab, LoopDevice, eventually};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SHORT: [&str; 8] = ["--duration", "300ms", "--front", "200ms", "--rounds", "3", "--working-set", "16M"];

/// Where memory is, if there is any: a file there is as fast on every machine.
fn in_memory(name: &str) -> PathBuf {
    let folder = Path::new("/dev/shm");
    let folder = if folder.is_dir() { folder.to_path_buf() } else { std::env::temp_dir() };
    folder.join(format!("fathom-test-{}-{name}", std::process::id()))
}

/// Both sides of a row, in this document's words, and a verdict that fits the exit code.
#[track_caller]
fn compared(document: &Value, code: i32, rows: usize) {
    assert_eq!(schema::faults(document), [""; 0]);
    assert_eq!(document["rows"].as_array().unwrap().len(), rows, "{document:#}");
    for row in document["rows"].as_array().unwrap() {
        assert_eq!(row["why"], Value::Null);
        for measure in ["iops", "latency_mean", "latency_p99"] {
            let side = |side: &str| row[measure][side].as_f64().unwrap();
            assert!(side("ours") > 0.0 && side("theirs") > 0.0, "{row:#}");
        }
        // However noisy the machine: the same quantity in the same unit. A disk may stand still for a part of a load, of one side and not of
        // the other, but not in each pair.
        for measure in ["iops", "mean_ms", "p99_ms"] {
            let ratio = |pair: &Value| Some(pair["ours"][measure].as_f64()? / pair["theirs"][measure].as_f64()?);
            let alike = |pair: &Value| ratio(pair).is_some_and(|ratio| (0.002..500.0).contains(&ratio));
            assert!(row["pairs"].as_array().unwrap().iter().any(alike), "{measure} {row:#}");
        }
        let ratio = row["iops"]["ratio"].as_f64().unwrap();
        let interval = |end: usize| row["iops"]["ci95"][end].as_f64().unwrap();
        assert!(interval(0) <= ratio && ratio <= interval(1), "{row:#}");
    }
    let expected = [("agrees", 0), ("open", 4), ("differs", 5)];
    assert!(expected.contains(&(document["finds"].as_str().unwrap(), code)), "{code}: {}", document["finds"]);
}

#[test]
fn a_file_by_both() {
    let (home, path) = (Home::new(), in_memory("both"));
    let mut arguments = vec!["crosscheck", "disk", path.to_str().unwrap(), "--format", "json", "--block-size", "64k"];
    arguments.extend(SHORT);
    let ran = home.run(&arguments);
    let document = ran.json();
    compared(&document, ran.code, 4);
    let engines: Vec<&Value> = document["rows"].as_array().unwrap().iter().map(|row| &row["peer_engine"]).collect();
    assert_eq!(engines, ["psync", "psync", "io_uring", "io_uring"]);
    let firsts: Vec<bool> =
        document["rows"][0]["pairs"].as_array().unwrap().iter().map(|pair| pair["ours_first"] == true).collect();
    // A machine that stands still for as long as a load leaves a pair out.
    match document["rows"][0]["left_out"].as_u64().unwrap() {
        0 => assert_eq!(firsts, [true, false, false]),
        left_out => assert_eq!(firsts.len() as u64 + left_out, 3),
    }
    assert!(!path.exists(), "{} is left", path.display());
}

/// As soon as it may be said whether they agree; however noisy the machine, not before, and not after.
#[test]
fn pairs_end_when_it_is_known() {
    let (home, path) = (Home::new(), in_memory("known"));
    let arguments = ["crosscheck", "disk", path.to_str().unwrap(), "--patterns", "read-latency", "--format", "json"];
    let mut all = arguments.to_vec();
    all.extend(["--block-size", "1M", "--working-set", "16M", "--duration", "300ms", "--front", "100ms"]);
    all.extend(["--rounds", "14", "--tolerance", "90%"]);
    let ran = home.run(&all);
    compared(&ran.json(), ran.code, 1);
    let document = ran.json();
    let row = &document["rows"][0];
    let (pairs, left_out) = (row["pairs"].as_array().unwrap().len(), row["left_out"].as_u64().unwrap() as usize);
    match document["finds"].as_str() {
        Some("open") => assert_eq!(pairs + left_out, 14),
        _ => assert!((6..=14).contains(&pairs) && pairs % 2 == 0, "{pairs} pairs"),
    }
}

#[test]
fn what_the_two_would_not_do_alike_is_refused() {
    let (home, path) = (Home::new(), in_memory("refused"));
    let cases: [(&[&str], &str); 8] = [
        (&["--time-max", "1s"], "--time-max: one pair of loads"),
        (&["--sync", "fsync", "--patterns", "write-latency"], "fio times the sync apart"),
        (&["--access", "zipf"], "draw hot blocks differently"),
        (&["--access", "sequential", "--read-share", "50"], "sequential mix"),
        (&["--depth", "8", "--jobs", "3"], "multiple of --jobs"),
        (&["--depth", "8", "--engine", "psync"], "one operation in flight"),
        (&["--depth", "8", "--peer-engine", "psync"], "one operation in flight"),
        (&["--engine", "nonsense"], "no engine"),
    ];
    for (more, words) in cases {
        let mut arguments = vec!["crosscheck", "disk", path.to_str().unwrap()];
        arguments.extend(more);
        home.run(&arguments).ends(2, &[words]);
        assert!(!path.exists());
    }
    let odd = in_memory("a$b");
    let mut arguments = vec!["crosscheck", "disk", odd.to_str().unwrap(), "--patterns", "read-latency"];
    arguments.extend(SHORT);
    home.run(&arguments).ends(2, &["fio can't be told this path"]);
    assert!(!odd.exists());
}

#[test]
fn a_device_that_holds_something_is_refused() {
    let (home, device) = (Home::new(), LoopDevice::of(32 << 20));
    crate::common::tool("mkfs.ext4", &["-q", "-F", &device.path]);
    let before = fs::read(&device.path).unwrap();
    home.run(&["crosscheck", "disk", &device.path]).ends(3, &["ext"]);
    let mut arguments = vec!["crosscheck", "disk", &device.path, "--patterns", "read-latency", "--format", "json"];
    arguments.extend(SHORT);
    let ran = home.run(&arguments);
    compared(&ran.json(), ran.code, 1);
    assert!(fs::read(&device.path).unwrap() == before, "{} was written to", device.path);
}

#[test]
fn without_fio_or_its_engine_the_package_is_named() {
    let (home, path) = (Home::new(), in_memory("nofio"));
    let folder = tempfile::tempdir().unwrap();
    let ran = |arguments: &[&str]| {
        let mut all = vec!["crosscheck"];
        all.extend(arguments);
        let output = home.fathom(&all).env("PATH", folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, err) = ran(&["disk", path.to_str().unwrap()]);
    assert!(code == Some(1) && err.contains("apt-get install fio"), "{err}");
    // A fio that was built without Ceph.
    let program = folder.path().join("fio");
    fs::write(&program, "#!/bin/sh\necho fio-3.1\necho psync\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for (layer, package) in [("rbd", "fio-engine-rbd"), ("rados", "fio-engine-rados")] {
        let (code, err) = ran(&[layer, "--conf", "/nowhere"]);
        assert!(code == Some(1) && err.contains(package) && err.contains("no engine"), "{err}");
    }
    let (code, err) = ran(&["disk", path.to_str().unwrap(), "--peer-engine", "libaio"]);
    assert!(code == Some(1) && err.contains("no engine libaio"), "{err}");
    assert!(!path.exists());
}

/// The children of this process that are fio under load.
fn fio_of(parent: u32) -> Vec<String> {
    let output = Command::new("pgrep").args(["-f", "eta=never", "-P", &parent.to_string()]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

#[test]
fn however_it_ends_no_fio_goes_on() {
    for (signal, code) in [("-INT", Some(4)), ("-KILL", None)] {
        let (home, path) = (Home::new(), in_memory("ended"));
        let arguments =
            ["crosscheck", "disk", path.to_str().unwrap(), "--patterns", "read-latency", "--working-set", "16M"];
        let mut command = home.fathom(&arguments);
        command.args(["--duration", "8s", "--front", "100ms", "--rounds", "2", "--quiet"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        eventually("fio", 90, || !fio_of(child.id()).is_empty());
        let fio = fio_of(child.id());
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), code);
        eventually("the end of fio", 10, || fio.iter().all(|pid| !Path::new("/proc").join(pid).exists()));
        home.run(&["restore", "--yes"]).ends(0, &[]);
        assert!(!path.exists(), "{} is left after {signal}", path.display());
    }
}

#[test]
fn images_and_objects_by_both_and_nothing_is_left() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory"]);
    let before = lab.snapshot();
    for (layer, rows) in [("rbd", 2), ("rados", 2)] {
        let mut arguments = vec!["crosscheck", layer, "--depth", "4", "--format", "json"];
        arguments.extend(SHORT);
        let ran = lab.run(&arguments);
        compared(&ran.json(), ran.code, rows);
    }
    assert_eq!(lab.snapshot(), before);
}
