//! Other tools' files: fio's job files do the same work here as there, results are taken and compared, Prometheus looks on.

use crate::common::{Home, eventually};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import").join(name).display().to_string()
}

/// A job file, and a place in memory for its load.
fn job(home: &Home, text: &str) -> (String, tempfile::TempDir) {
    let folder = tempfile::Builder::new().prefix("fathom-test-").tempdir_in("/dev/shm").unwrap();
    let load = folder.path().join("load").display().to_string();
    let file = home.path().join("job.fio");
    std::fs::write(&file, text.replace("LOAD", &load)).unwrap();
    (file.display().to_string(), folder)
}

const JOBS: &str = "[global]\nfilename=LOAD\nsize=16m\nioengine=psync\nruntime=1\ntime_based\ngroup_reporting\n\
                    [mixed]\nrw=randrw\nrwmixread=70\nbs=8k\nnumjobs=2\n[flushed]\nstonewall\nrw=write\nbs=64k\nfdatasync=1\n";

#[test]
fn a_job_file_does_the_same_work_as_with_fio() {
    let home = Home::new();
    let (file, _folder) = job(&home, JOBS);
    let ours = home.run(&["fio", &file, "--format", "json"]);
    assert!(matches!(ours.code, 0 | 4), "{}", ours.err);
    let ours = ours.json();
    let theirs = home.path().join("theirs.json");
    crate::common::tool("fio", &["--output-format=json", &format!("--output={}", theirs.display()), &file]);
    home.run(&["import", theirs.to_str().unwrap()]).ends(0, &[]);
    let theirs: Value = home.run(&["show", "last", "--format", "json"]).ends(0, &[]).json();
    assert!(theirs["imported"]["tool"].as_str().unwrap().starts_with("fio-"), "{}", theirs["imported"]);
    let (ours, theirs) = (ours["figures"].as_array().unwrap(), theirs["figures"].as_array().unwrap());
    assert_eq!((ours.len(), theirs.len()), (3, 3));
    for (our, their) in ours.iter().zip(theirs) {
        for field in ["layer", "target", "pattern", "kind"] {
            assert_eq!(our[field], their[field], "{our}\n{their}");
        }
        for field in ["block", "depth", "jobs", "read_percent", "access", "durability", "span", "object", "options"] {
            assert_eq!(our["workload"][field], their["workload"][field], "{field}");
        }
        let each = |figure: &Value| figure["bytes"].as_f64().unwrap() / figure["operations"].as_f64().unwrap();
        assert_eq!(each(our), each(their));
    }
    let reads = |figures: &[Value]| {
        let ops = |kind: &str| {
            let of_kind =
                figures.iter().filter(|figure| figure["kind"] == kind && figure["workload"]["read_percent"] == 70);
            of_kind.map(|figure| figure["operations"].as_f64().unwrap()).sum::<f64>()
        };
        ops("read") / (ops("read") + ops("write"))
    };
    assert!(
        (reads(ours) - 0.7).abs() < 0.02 && (reads(theirs) - 0.7).abs() < 0.02,
        "{} {}",
        reads(ours),
        reads(theirs)
    );
    // The same figures: they can be compared.
    let runs = home.run(&["runs", "--format", "json"]).json();
    let names: Vec<&str> = runs["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    let compared = home.run(&["compare", names[1], names[0], "--format", "json"]);
    assert_eq!(compared.json()["differences"].as_array().unwrap().len(), 3, "{}", compared.out);
}

#[test]
fn what_a_job_file_asks_for_in_vain_is_named_with_its_lines_and_nothing_is_done() {
    let home = Home::new();
    let (file, folder) =
        job(&home, "[a]\nfilename=LOAD\nsize=1m\nverify=crc32c\nrate_min=10m\n[b]\nbs=8k\nfilename=LOAD\n");
    let at = |line: u32| format!("{file}:{line}: ");
    home.run(&["fio", &file]).ends(2, &[&at(4), "verify=crc32c", &at(5), "rate_min=10m", &at(6), "stonewall"]);
    home.run(&["fio", &file, "--section", "c"]).ends(2, &["[c]", "a, b"]);
    home.run(&["fio", "/nowhere.fio"]).ends(2, &["/nowhere.fio"]);
    std::fs::write(&file, "[a]\nfilename=/root\nsize=1m\n").unwrap();
    home.run(&["fio", &file]).ends(2, &[&format!("{file}:1: "), "add direct=1"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    home.run(&["runs"]).ends(0, &[]);
}

#[test]
fn a_job_file_does_not_write_to_what_holds_anything() {
    let home = Home::new();
    let (file, folder) = job(&home, "[a]\nfilename=LOAD\nsize=1m\nrw=randwrite\nruntime=1\ntime_based\n");
    let load: PathBuf = folder.path().join("load");
    std::fs::write(&load, vec![7u8; 1 << 20]).unwrap();
    home.run(&["fio", &file]).ends(3, &["holds 1 MiB", "--destroy-data-on"]);
    assert!(std::fs::read(&load).unwrap() == vec![7u8; 1 << 20]);
    let given_up = home.run(&["fio", &file, "--destroy-data-on", load.to_str().unwrap()]);
    assert!(matches!(given_up.code, 0 | 4), "{}", given_up.err);
}

#[test]
fn results_of_other_tools_are_runs_of_the_archive() {
    let home = Home::new();
    let names = [
        "fio.json+",
        "fio-two-jobs.json",
        "fio-group.json",
        "fio-rbd.json",
        "fio-rados.json",
        "rados-short.txt",
        "rados-short.json",
        "rados-rand.json",
        "rados-write.txt",
        "rados-show-time.txt",
        "rados-write.json",
        "elbencho.csv",
        "elbencho.json",
    ];
    let files: Vec<String> = names.iter().map(|name| fixture(name)).collect();
    let arguments: Vec<&str> = std::iter::once("import").chain(files.iter().map(String::as_str)).collect();
    let told = home.run(&[&arguments[..], &["--format", "json"]].concat()).ends(0, &[]).json();
    let runs: Vec<&str> = told["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(runs.len(), names.len());
    for run in &runs {
        for format in ["text", "json", "markdown", "csv", "windows", "fio-json", "openmetrics"] {
            home.run(&["show", run, "--format", format]).ends(0, &[]);
        }
        let page = home.path().join("page.html");
        home.run(&["report", run, "-o", page.to_str().unwrap()]).ends(0, &[]);
        assert!(home.run(&["show", run]).out.contains("not by Fathom"));
    }
    // A total has no interval; seconds are windows, from which there is one.
    let first: Value = home.run(&["show", runs[0], "--format", "json"]).json();
    let figure = &first["figures"][0];
    assert_eq!(
        (&figure["ci95"][1], &figure["label"], &first["goal"]),
        (&Value::Null, &"imprecise".into(), &Value::Null)
    );
    assert!(figure["why"].as_str().unwrap().contains("no interval"), "{figure}");
    let seconds: Value = home.run(&["show", runs[8], "--format", "json"]).json();
    assert!(seconds["figures"][0]["ci95"][1].as_f64().is_some(), "{}", seconds["figures"][0]);
    home.run(&["import", &files[0]]).ends(2, &["in the archive already", runs[0]]);
}

#[test]
fn what_is_no_result_is_an_error_and_none_of_the_files_is_taken() {
    let home = Home::new();
    let none = home.path().join("none.txt");
    std::fs::write(&none, "no result").unwrap();
    home.run(&["import", &fixture("fio.json+"), none.to_str().unwrap(), "/nowhere"])
        .ends(2, &["none.txt: is no result", "/nowhere: No such"]);
    assert_eq!(home.run(&["runs", "--format", "json"]).json()["runs"].as_array().unwrap().len(), 0);
    home.run(&["import", &fixture("elbencho.csv"), "--target", "x"]).ends(2, &["several", "/mnt/ceph"]);
    home.run(&["import", &fixture("rados-write.txt"), "--target", "pool vms"]).ends(0, &[]);
    assert_eq!(home.run(&["show", "last", "--format", "json"]).json()["figures"][0]["target"], "pool vms");
}

/// Status line, headers and body; `None`: nothing listens there.
fn get(address: &str, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

#[test]
fn prometheus_looks_on_while_a_run_goes_on() {
    let home = Home::new();
    let folder = tempfile::Builder::new().prefix("fathom-test-").tempdir_in("/dev/shm").unwrap();
    // A port that is free now.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let path = folder.path().to_str().unwrap();
    let load = ["disk", path, "--patterns", "write-latency,read-parallel", "--working-set", "8M", "--duration", "2s"];
    let mut command = home.fathom(&[&load[..], &["--listen", &address]].concat());
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("an answer with a figure", 60, || {
        get(&address, "/metrics").is_some_and(|answer| answer.contains("fathom_settled"))
    });
    let answer = get(&address, "/metrics").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"),
        "{answer}"
    );
    assert!(
        answer.ends_with("# EOF\n") && answer.contains("fathom_pass{") && answer.contains("bound=\"low\""),
        "{answer}"
    );
    assert!(get(&address, "/").unwrap().starts_with("HTTP/1.1 404"));
    // The port is taken: said before anything is measured.
    home.run(&[&load[..], &["--listen", &address]].concat()).ends(2, &["--listen", &address, "in use"]);
    assert!(matches!(run.wait().unwrap().code(), Some(0 | 4)));
    assert!(get(&address, "/metrics").is_none());
    home.run(&["disk", path, "--listen", "nowhere"]).ends(2, &["nowhere", "127.0.0.1:9750"]);
    home.run(&["disk", path, "--listen", "127.0.0.1:99999"]).ends(2, &["99999"]);
    // An address for documentation (RFC 5737), which no host has.
    home.run(&["disk", path, "--listen", "192.0.2.1:9750"]).ends(2, &["192.0.2.1:9750", "no such address"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn those_who_look_on_and_say_nothing_or_read_nothing_hold_up_neither_the_run_nor_its_end() {
    let home = Home::new();
    let folder = tempfile::Builder::new().prefix("fathom-test-").tempdir_in("/dev/shm").unwrap();
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let path = folder.path().to_str().unwrap();
    let load = ["disk", path, "--patterns", "read-latency", "--working-set", "8M", "--duration", "3s", "--passes", "1"];
    let mut command = home.fathom(&[&load[..], &["--listen", &address]].concat());
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("somebody who listens", 60, || TcpStream::connect(&address).is_ok());
    let mute: Vec<TcpStream> = (0..100).filter_map(|_| TcpStream::connect(&address).ok()).collect();
    let mut deaf: Vec<TcpStream> = (0..100).filter_map(|_| TcpStream::connect(&address).ok()).collect();
    deaf.iter_mut().for_each(|stream| drop(stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n")));
    eventually("the end of the run", 60, || run.try_wait().unwrap().is_some());
    assert!(matches!(run.wait().unwrap().code(), Some(0 | 4)));
    assert!(mute.len() + deaf.len() > 100);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The file that a job file makes is Fathom's own and goes; one that was there stays, and holds nothing of a run's journal.
#[test]
fn however_a_job_file_ends_its_own_file_goes_and_one_that_was_there_stays() {
    let text = "[a]\nfilename=LOAD\nsize=16m\nrw=randwrite\nruntime=20\ntime_based\n";
    for (signal, there) in [("-INT", false), ("-INT", true), ("-KILL", false), ("-KILL", true)] {
        let home = Home::new();
        let (file, folder) = job(&home, text);
        let load = folder.path().join("load");
        let mut arguments = vec!["fio", &file];
        if there {
            std::fs::write(&load, vec![7u8; 16 << 20]).unwrap();
            arguments.extend(["--destroy-data-on", load.to_str().unwrap()]);
        }
        let mut command = home.fathom(&arguments);
        let mut run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        // Filled, and under load.
        let err = run.stderr.take().unwrap();
        let ready = |line: &str| line.contains("load: 100 %") || line.contains("100 %");
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(err)).map(Result::unwrap);
        assert!(lines.any(|line| ready(&line)), "nothing was filled");
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert!(std::process::Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap().success());
        let rest = std::thread::spawn(move || lines.for_each(drop));
        let code = run.wait().unwrap().code();
        rest.join().unwrap();
        assert_eq!(code, if signal == "-INT" { Some(4) } else { None }, "{signal}");
        if signal == "-KILL" {
            home.run(&["restore", "--yes"]).ends(0, &[]);
        }
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, if there { vec!["load"] } else { vec![] }, "{signal}");
        assert!(!there || std::fs::metadata(&load).unwrap().len() == 16 << 20);
        home.run(&["restore"]).ends(0, &[]);
    }
}
