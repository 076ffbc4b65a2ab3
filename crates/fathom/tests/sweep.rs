//! Sweeps of a real file and of a real pool: every point, in every face, stopped and gone on with.

mod common;
use common::{Home, Lab, Ran, eventually};
use serde_json::Value;
use std::fs;
use std::process::Stdio;

const SMALL: [&str; 6] = ["--working-set", "8M", "--duration", "1s", "--passes", "2"];

fn sweep(home: &Home, folder: &str, more: &[&str]) -> Ran {
    let mut arguments = vec!["sweep", "disk", folder];
    arguments.extend(SMALL);
    arguments.extend(more);
    home.run(&arguments)
}

/// What each point of this axis was.
fn along(document: &Value, axis: &str) -> Vec<u64> {
    let points = document["sweep"]["points"].as_array().unwrap();
    points.iter().map(|point| point["at"][axis].as_u64().unwrap()).collect()
}

#[test]
fn a_file_is_swept_and_every_face_shows_it() {
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().display().to_string();
    let axes = ["--axis", "depth=1,4..16", "--axis", "jobs=1,2", "--format", "json"];
    let ran = sweep(&home, &path, &axes);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let document = ran.json();
    assert_eq!(along(&document, "depth"), [1, 4, 4, 8, 8, 16, 16], "one point has more jobs than depth");
    assert_eq!((&document["sweep"]["left_out"], &document["chart"]), (&1.into(), &Value::Array(vec![])));
    for (point, figure) in document["sweep"]["points"].as_array().unwrap().iter().zip(0..) {
        let figure = &document["figures"][figure];
        let (rate, latency) = (point["throughput"].as_f64().unwrap(), point["latency"].as_f64().unwrap());
        assert_eq!((&figure["slices"], &figure["workload"]["jobs"]), (&2.into(), &point["at"]["jobs"]));
        let in_flight = rate * latency / 1000.0;
        let depth = point["at"]["depth"].as_f64().unwrap();
        assert!(in_flight > 0.3 * depth && in_flight < 1.1 * depth, "{point}");
    }
    let knees = document["sweep"]["knees"].as_array().unwrap();
    assert_eq!(knees.len(), 2, "{knees:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "the file is still there");

    let text = home.run(&["show"]).ends(0, &[]).out.clone();
    assert!(text.contains("over depth × jobs") && text.contains("◄ ") && text.contains("Knee at jobs 2:"), "{text}");
    let markdown = home.run(&["show", "--format", "markdown"]).ends(0, &[]).out.clone();
    assert!(markdown.contains("## Sweep of device") && markdown.contains("| jobs | depth |"), "{markdown}");
    let page = folder.path().join("sweep.html");
    home.run(&["report", "-o", &page.display().to_string()]).ends(0, &[]);
    assert!(fs::read_to_string(page).unwrap().contains("\"sweep\":{"));
    let again = home.run(&["show", "--format", "json"]).json();
    assert_eq!(again["sweep"], document["sweep"]);

    // Points of two sweeps pair by their workloads.
    sweep(&home, &path, &["--axis", "depth=4,16", "--quiet"]);
    let runs = home.run(&["runs", "--format", "json"]).json();
    let [new, old] = [0, 1].map(|at| runs["runs"][at]["run"].as_str().unwrap().to_string());
    let compared = home.run(&["compare", &old, &new, "--format", "json"]).json();
    assert_eq!(compared["differences"].as_array().unwrap().len(), 2, "{compared}");
    let depths = compared["differences"].as_array().unwrap().iter().map(|one| one["workload"]["depth"].as_u64());
    assert_eq!(depths.collect::<std::collections::BTreeSet<_>>().len(), 2, "{compared}");
    let told = home.run(&["compare", &old, &new]).out.clone();
    assert!(told.contains("depth 4, over") && told.contains("depth 16, over"), "{told}");
    // No point hides another in what other programs read.
    let metrics = home.run(&["show", &old, "--format", "openmetrics"]).out.clone();
    assert_eq!(metrics.lines().filter(|line| line.starts_with("fathom_settled{")).count(), 7, "{metrics}");
}

#[test]
fn a_mixed_load_has_a_curve_for_reads_and_one_for_writes() {
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().display().to_string();
    let ran = sweep(&home, &path, &["--axis", "read-share=0,50,100", "--depth", "8", "--format", "json"]);
    let document = ran.json();
    assert_eq!(along(&document, "read-share"), [0, 50, 50, 100]);
    assert_eq!(document["sweep"]["knees"], Value::Array(vec![]));
    let text = home.run(&["show"]).out.clone();
    assert!(text.contains("its reads over read-share") && text.contains("its writes over read-share"), "{text}");
}

#[test]
fn killed_or_stopped_it_goes_on_and_is_one_run() {
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().display().to_string();
    let mut arguments = vec!["sweep", "disk", &path, "--axis", "depth=1,4,16", "--quiet"];
    arguments.extend(SMALL);
    let slices = || {
        let runs = home.run(&["runs", "--format", "json"]);
        runs.json()["runs"].as_array().and_then(|runs| runs.first()?["slices"].as_u64()).unwrap_or(0)
    };
    let begin = |signal: nix::sys::signal::Signal| {
        let mut run = home.fathom(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        eventually("the second slice", 60, || slices() >= 2);
        // While it lives nobody else goes on with it.
        home.run(&["sweep", "--resume", "last"]).ends(2, &["still going on"]);
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(run.id() as i32), signal).unwrap();
        run.wait().unwrap();
    };
    for signal in [nix::sys::signal::Signal::SIGKILL, nix::sys::signal::Signal::SIGINT] {
        begin(signal);
        let before = home.run(&["show", "--format", "json"]).json();
        let ran = home.run(&["sweep", "--resume", "last", "--format", "json"]);
        assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
        let document = ran.json();
        assert_eq!(document["run"], before["run"], "{signal}");
        assert_eq!(along(&document, "depth"), [1, 4, 16]);
        assert!(document["figures"].as_array().unwrap().iter().all(|figure| figure["slices"] == 2), "{document}");
        assert!(document["changes"].as_array().unwrap().iter().all(|change| change["undone"] == true));
        assert_eq!(document["finished"], true);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{signal}: the file is still there");
        home.run(&["sweep", "--resume", "last"]).ends(ran.code, &["has all its points"]);
        home.run(&["rm", "last"]).ends(0, &[]);
    }
}

#[test]
fn what_cannot_be_swept_is_refused_before_anything_is_done() {
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().display().to_string();
    for (more, words) in [
        (&[][..], ["--axis", "required"]),
        (&["--axis", "depth"], ["depth=1,2,4", "--axis"]),
        (&["--axis", "width=1,2"], ["width", "block-size"]),
        (&["--axis", "depth=1,2,2"], ["second time", "depth"]),
        (&["--axis", "depth=0,1"], ["whole number", "65536"]),
        (&["--axis", "block-size=4k,5x"], ["5x", "4KiB"]),
        (&["--axis", "depth=1,2", "--axis", "depth=4"], ["twice", "one list"]),
        (&["--axis", "depth=1,2", "--depth", "4"], ["fixed value", "depth"]),
        (&["--axis", "depth=1,2", "--rate", "100"], ["--rate", "keeps a depth"]),
        (&["--axis", "depth=1,2", "--ab", "engine=io_uring,psync"], ["--ab", "two sweeps"]),
        (&["--axis", "depth=1,2", "--verify"], ["--verify", "own command"]),
        (&["--axis", "images=1,2"], ["images", "device layer"]),
        (&["--axis", "pgs=8,16"], ["pgs", "device layer"]),
        (&["--axis", "jobs=2,4", "--depth", "1"], ["nothing to measure", "device"]),
        (&["--axis", "depth=1..200+1", "--axis", "block-size=4k..64k+4k"], ["too many", "1000"]),
        (&["--axis", "depth=1,2", "--passes", "0"], ["--passes", "1..=100"]),
        (&["--axis", "depth=1,2", "--duration", "never"], ["never", "30s"]),
    ] {
        let mut arguments = vec!["sweep", "disk", &path];
        arguments.extend(more);
        home.run(&arguments).ends(2, &words);
    }
    home.run(&["sweep"]).ends(2, &["--resume RUN", "disk"]);
    home.run(&["sweep", "--lab"]).ends(2, &["--resume"]);
    home.run(&["sweep", "--resume", "x", "disk", &path, "--axis", "depth=1,2"]).ends(2, &["known already"]);
    home.run(&["sweep", "--resume", "last"]).ends(1, &["no archive"]);
    home.run(&["sweep", "disk", &path, "--axis", "depth=1,2", "--dry-run"]).ends(0, &[]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    home.run(&["disk", &path, "--quick", "--patterns", "read-latency", "--working-set", "8M"]);
    home.run(&["sweep", "--resume", "last"]).ends(2, &["is no sweep"]);
}

#[test]
fn pools_are_swept_by_depth_and_placement_groups_and_leave_nothing() {
    let lab = Lab::up(&[]);
    let before = lab.snapshot();
    let small = ["--working-set", "8M", "--duration", "1s", "--passes", "1", "--format", "json"];
    let run = |more: &[&str]| {
        let mut arguments = vec!["sweep"];
        arguments.extend(more);
        arguments.extend(small);
        let ran = lab.run(&arguments);
        assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
        ran.json()
    };
    let document = run(&["rados", "--axis", "depth=1,8", "--axis", "pgs=8,16"]);
    assert_eq!(along(&document, "pgs"), [8, 16, 8, 16]);
    let targets = |document: &Value| {
        let figures = document["figures"].as_array().unwrap();
        figures.iter().map(|figure| figure["target"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(targets(&document), ["pool of 8 PGs", "pool of 16 PGs", "pool of 8 PGs", "pool of 16 PGs"]);
    assert!(document["figures"].as_array().unwrap().iter().all(|figure| figure["operations"].as_u64() > Some(0)));
    let document = run(&["rbd", "--axis", "images=1,2", "--depth", "4", "--read-share", "0"]);
    assert_eq!(along(&document, "images"), [1, 2]);
    let document = run(&["osd", "--axis", "block-size=4k,64k", "--depth", "2"]);
    assert_eq!(along(&document, "block-size"), [4096, 65536], "all OSDs at once are one point");
    assert_eq!(lab.snapshot(), before, "something was left behind");

    // Killed in the middle, it goes on: its pools are made anew.
    let arguments = ["sweep", "rados", "--axis", "depth=1,4,8", "--working-set", "8M", "--passes", "1"];
    let mut killed = lab.fathom(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let slices = || lab.run(&["runs", "--format", "json"]).json()["runs"][0]["slices"].as_u64();
    let runs = || lab.run(&["runs", "--format", "json"]).json()["runs"].as_array().unwrap().len();
    eventually("a slice", 90, || runs() == 4 && slices() >= Some(1));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let ran = lab.run(&["sweep", "--resume", "last", "--format", "json"]);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    assert_eq!(along(&ran.json(), "depth"), [1, 4, 8]);
    assert_eq!(lab.snapshot(), before, "something was left behind");
}
