//! Sweeps of a real file and of a real pool: every point, in every face, stopped and gone on with.

use crate::common::{Home, Lab, Lent, Ran, eventually};
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
    // On a terminal cells are wrapped, the wider the intervals the more.
    let told = home.run(&["compare", &old, &new, "--format", "markdown"]).out.clone();
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
    // Where a line ends depends on how long the folder's name is.
    let text = home.run(&["show"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
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
        (&["--axis", "depth=1,2", "--rate", "100"], ["--rate", "unexpected argument"]),
        (&["--axis", "depth=1,2", "--ab", "engine=io_uring,psync"], ["--ab", "unexpected argument"]),
        (&["--axis", "depth=1,2", "--verify"], ["--verify", "unexpected argument"]),
        (&["--axis", "images=1,2"], ["images", "device layer"]),
        (&["--axis", "pgs=8,16"], ["pgs", "device layer"]),
        (&["--axis", "clients=1,2"], ["clients", "device layer"]),
        (&["--axis", "osds=1,2"], ["osds", "device layer"]),
        (&["--axis", "depth=8,16", "--clients", "2"], ["--clients", "device layer"]),
        (&["--axis", "option:osd/osd_max_backfills=1,2"], ["option:osd", "device layer"]),
        (&["--axis", "option:osd_max_backfills=1,2"], ["whose option", "osd/osd_op_queue"]),
        (&["--axis", "jobs=2,4", "--depth", "1"], ["nothing to measure", "device"]),
        (&["--axis", "depth=1..200+1", "--axis", "block-size=4k..64k+4k"], ["too many", "1000"]),
        (&["--axis", "depth=1,2", "--passes", "0"], ["--passes", "from 1 to 100"]),
        (&["--axis", "depth=1,2", "--duration", "never"], ["never", "30s"]),
    ] {
        let mut arguments = vec!["sweep", "disk", &path];
        arguments.extend(more);
        home.run(&arguments).ends(2, &words);
    }
    home.run(&["sweep"]).ends(2, &["--resume <RUN>", "disk"]);
    home.run(&["sweep", "--lab"]).ends(2, &["--resume"]);
    home.run(&["sweep", "--resume", "x", "disk", &path, "--axis", "depth=1,2"]).ends(2, &["cannot be used with"]);
    home.run(&["sweep", "--resume", "last"]).ends(2, &["no archive"]);
    home.run(&["sweep", "disk", &path, "--axis", "depth=1,2", "--dry-run"]).ends(0, &[]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    home.run(&["disk", &path, "--quick", "--patterns", "read-latency", "--working-set", "8M"]);
    home.run(&["sweep", "--resume", "last"]).ends(2, &["is no sweep"]);
}

#[test]
fn pools_are_swept_by_depth_and_placement_groups_and_leave_nothing() {
    let lab = Lent::lab();
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
    let document = run(&["osd", "--axis", "block-size=4k,1M", "--depth", "2"]);
    assert_eq!(along(&document, "block-size"), [4096, 1 << 20], "all OSDs at once are one point");
    for figure in document["figures"].as_array().unwrap() {
        assert_eq!(figure["errors"], 0, "it reads what was never written: {figure:#}");
    }
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

const QUICK: [&str; 7] = ["--working-set", "4M", "--duration", "500ms", "--passes", "1", "--quiet"];

/// A quick sweep of a layer of the lab; its document.
#[track_caller]
fn quick(lab: &Lab, layer: &str, more: &[&str]) -> Value {
    let ran = lab.run(&[&["sweep", layer], &QUICK[..], &["--format", "json"], more].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    ran.json()
}

#[test]
fn options_are_swept_and_put_back_whatever_happens() {
    let lab = Lent::lab();
    lab.ceph(&["config", "set", "osd", "osd_max_backfills", "3"]);
    let before = lab.snapshot();
    let value = || lab.ceph(&["config", "get", "osd", "osd_max_backfills"]).trim().to_string();

    let axes = ["--axis", "option:osd/osd_max_backfills=1..4+1", "--axis", "depth=1,4"];
    let document = quick(&lab, "rados", &axes);
    assert_eq!(along(&document, "option:osd/osd_max_backfills"), [1, 1, 2, 2, 3, 3, 4, 4]);
    let settings = |at: usize| document["figures"][at]["workload"]["settings"]["osd/osd_max_backfills"].as_str();
    assert_eq!((settings(0), settings(7)), (Some("1"), Some("4")));
    assert!(document["figures"].as_array().unwrap().iter().all(|figure| figure["operations"].as_u64() > Some(0)));
    let made: Vec<&str> =
        document["changes"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect();
    let set = |value: u32| made.contains(&format!("option osd/osd_max_backfills = {value}").as_str());
    assert_eq!([1, 2, 3, 4].map(set), [true, true, false, true], "3 is there already: {made:?}");
    assert!(document["changes"].as_array().unwrap().iter().all(|change| change["undone"] == true), "{document}");
    assert_eq!(lab.snapshot(), before, "something was left behind");

    words_are_shown_as_they_are(&lab);
    let refused = |axis: &str, words: &[&str]| {
        let ran = lab.run(&[&["sweep", "rados", "--axis", axis], &QUICK[..]].concat());
        ran.ends(2, words);
        assert_eq!(ran.err.matches("fathom: ").count(), 1, "{}", ran.err);
    };
    refused("option:osd/osd_no_such_thing=1,2", &["has no option osd_no_such_thing", "config ls"]);
    refused("option:osd.77/osd_max_backfills=1,2", &["osd.77 does not exist", "osd.2"]);
    refused("option:osd/osd_max_backfills=1,many", &["can't be `many`"]);
    refused("option:nobody/osd_max_backfills=1,2", &["can't be `1`"]);
    assert_eq!(lab.snapshot(), before, "something was left behind by what was refused");
    let plan = lab.run(&[&["sweep", "rados", "--dry-run"], &axes[..]].concat()).ends(0, &[]).out.clone();
    assert!(plan.contains("option osd/osd_max_backfills = 1, 2, 3, 4: before each slice"), "{plan}");

    // Killed while a value of the sweep stands, and gone on with; ended with Ctrl-C.
    let arguments =
        ["sweep", "rados", "--axis", "option:osd/osd_max_backfills=7,8", "--working-set", "4M", "--passes", "2"];
    let begin = |signal: nix::sys::signal::Signal| {
        let mut run = lab.fathom(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let process = nix::unistd::Pid::from_raw(run.id() as i32);
        let send = |signal| nix::sys::signal::kill(process, signal).unwrap();
        let slices = || lab.run(&["runs", "--format", "json"]).json()["runs"][0]["slices"].as_u64();
        eventually("a slice with a value of the sweep", 90, || slices() == Some(1));
        // Stopped while one is looked at: between two slices the value of the lab stands again for a moment.
        eventually("a value of the sweep", 90, || {
            send(nix::sys::signal::Signal::SIGSTOP);
            std::thread::sleep(std::time::Duration::from_millis(300)); // What was on its way to the monitor arrives.
            let stands = ["7", "8"].contains(&value().as_str());
            if !stands {
                send(nix::sys::signal::Signal::SIGCONT);
            }
            stands
        });
        send(signal);
        send(nix::sys::signal::Signal::SIGCONT);
        run.wait().unwrap();
    };
    begin(nix::sys::signal::Signal::SIGKILL);
    assert_ne!(value(), "3", "nobody has undone it yet");
    lab.run(&["restore", "--yes"]).ends(0, &[]);
    assert_eq!(lab.snapshot(), before, "something was left behind by the restoring");
    let ran = lab.run(&["sweep", "--resume", "last", "--format", "json"]);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    assert_eq!(along(&ran.json(), "option:osd/osd_max_backfills"), [7, 8]);
    assert!(ran.json()["figures"].as_array().unwrap().iter().all(|figure| figure["slices"] == 2), "{}", ran.out);
    begin(nix::sys::signal::Signal::SIGINT);
    assert_eq!(lab.snapshot(), before, "something was left behind by Ctrl-C");
    lab.ceph(&["config", "rm", "osd", "osd_max_backfills"]);
}

/// An option that OSDs read when they start: the values are words, and the report says that nothing was changed by them.
fn words_are_shown_as_they_are(lab: &Lab) {
    let axis = "option:osd/osd_op_queue=wpq,mclock_scheduler";
    let ran = lab.run(&["sweep", "rbd", "--axis", axis, "--working-set", "4M", "--duration", "500ms", "--passes", "1"]);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    assert!(
        ran.err.contains("read it when they start") && ran.err.contains("goes on with osd_op_queue"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("             wpq ") && ran.out.contains("mclock_scheduler "), "{}", ran.out);
    let document = lab.run(&["show", "last", "--format", "json"]).json();
    assert_eq!(document["sweep"]["axes"][0]["values"], serde_json::json!(["wpq", "mclock_scheduler"]));
    assert_eq!(document["sweep"]["points"][1]["at"]["option:osd/osd_op_queue"], "mclock_scheduler");
    let warnings: Vec<&str> = document["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for words in ["read it when they start", "goes on with"] {
        assert!(warnings.iter().any(|warning| warning.contains(words)), "{warnings:?}");
    }
}

#[test]
fn clients_have_sessions_of_their_own() {
    let lab = Lent::lab();
    let before = lab.snapshot();
    let document = quick(&lab, "rados", &["--axis", "clients=1,2,4", "--depth", "8"]);
    assert_eq!(along(&document, "clients"), [1, 2, 4]);
    let workload = |at: usize, of: &str| document["figures"][at]["workload"][of].as_u64();
    assert_eq!([0, 1, 2].map(|at| workload(at, "jobs")), [Some(4); 3], "nothing but the clients differs");
    assert_eq!([0, 1, 2].map(|at| workload(at, "clients")), [None, Some(2), Some(4)]);
    let document = quick(&lab, "rbd", &["--axis", "clients=1,2", "--axis", "jobs=1,2", "--depth", "4"]);
    assert_eq!((along(&document, "clients"), &document["sweep"]["left_out"]), (vec![1, 1, 2], &1.into()));
    let document = quick(&lab, "osd", &["--axis", "clients=2,3", "--depth", "4"]);
    assert_eq!(along(&document, "clients"), [2, 3]);

    // Who does the operations, in the OSDs' own words.
    let arguments =
        ["rados", "--clients", "3", "--depth", "12", "--block-size", "4k", "--working-set", "4M", "--duration", "60s"];
    let mut run = lab.fathom(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let clients = || {
        let ops =
            (0..3).map(|osd| lab.ceph(&["tell", &format!("osd.{osd}"), "dump_ops_in_flight", "--format", "json"]));
        let ops: Vec<Value> = ops.map(|ops| serde_json::from_str(&ops).unwrap()).collect();
        let all = ops.iter().flat_map(|ops| ops["ops"].as_array().unwrap()).filter_map(|op| op["description"].as_str());
        let ours =
            all.filter(|op| op.contains("fathom.")).filter_map(|op| op.split("client.").nth(1)?.split('.').next());
        ours.map(String::from).collect::<Vec<_>>()
    };
    let mut seen = std::collections::BTreeSet::new();
    eventually("operations of three clients", 60, || {
        seen.extend(clients());
        seen.len() >= 3
    });
    assert_eq!(seen.len(), 3, "{seen:?}");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(run.id() as i32), nix::sys::signal::Signal::SIGINT).unwrap();
    run.wait().unwrap();
    for (more, words) in [
        (&["rados", "--clients", "4", "--jobs", "2"][..], "2 jobs are too few"),
        (&["rados", "--clients", "4", "--depth", "2"], "a depth of 2"),
        (&["store", "--clients", "2"], "store layer has no clients"),
        (&["sweep", "rados", "--axis", "clients=1,2", "--clients", "2"], "fixed value"),
    ] {
        lab.run(more).ends(2, &[words]);
    }
    let plan = lab.run(&["rados", "--clients", "2", "--patterns", "read-parallel,read-latency", "--dry-run"]);
    assert_eq!(plan.ends(0, &[]).out.matches("2 clients").count(), 1, "{}", plan.out);
    assert_eq!(lab.snapshot(), before, "something was left behind");
}

#[test]
fn pools_lie_on_as_many_osds_of_a_lab_as_wanted_and_others_where_they_were() {
    let lab = Lab::up(&["--osds", "4"]);
    // Where each pool's placement groups lie: the OSDs, and how many of the groups.
    let groups = |pool: &str| -> std::collections::BTreeMap<String, usize> {
        let dump = lab.json(&["pg", "ls-by-pool", pool]);
        let mut found = std::collections::BTreeMap::new();
        for group in dump["pg_stats"].as_array().unwrap() {
            *found.entry(group["acting"].to_string()).or_default() += 1;
        }
        found
    };
    let others = || (lab.ceph(&["osd", "crush", "dump"]), lab.ceph(&["osd", "tree"]), groups("rbd"));
    let (before, places) = (lab.snapshot(), others());
    let upmaps = || lab.ceph(&["osd", "dump"]).lines().filter(|line| line.starts_with("pg_upmap")).count();
    let sweep = |more: &[&str]| {
        let mut command =
            lab.home.fathom(&["sweep", "rados", "--lab", &lab.name, "--working-set", "4M", "--depth", "8"]);
        command.args(more).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut killed = sweep(&["--axis", "osds=1,2,4", "--passes", "2"]).spawn().unwrap();
    let runs = || lab.run(&["runs", "--format", "json"]).json();
    eventually("a slice", 90, || runs()["runs"][0]["slices"].as_u64() >= Some(1));
    let pools = lab.ceph(&["osd", "pool", "ls"]);
    let pool = |count: u32| pools.lines().find(|pool| pool.ends_with(&format!(".osds{count}"))).unwrap();
    let of = |count: u32| groups(pool(count)).into_iter().collect::<Vec<_>>();
    assert_eq!(of(1), [("[0]".into(), 64)]);
    assert_eq!(of(2), [("[0]".into(), 32), ("[1]".into(), 32)]);
    assert_eq!(of(4), [0, 1, 2, 3].map(|osd| (format!("[{osd}]"), 16)));
    assert_eq!(others(), places, "something else was moved");
    assert!(last_note(&lab) > last_move(&lab, &[1, 2, 4].map(pool)), "no map after the last move: read leases of 0 s");
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(upmaps() > 0);
    lab.run(&["restore", "--yes"]).ends(0, &[]);
    assert_eq!((lab.snapshot(), upmaps()), (before.clone(), 0), "something was left behind");
    let ran = lab.home.run(&["sweep", "--resume", "last", "--format", "json"]);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    assert_eq!(along(&ran.json(), "osds"), [1, 2, 4]);
    let text = lab.run(&["show", "last"]).out.clone();
    assert_eq!(text.matches("Sweep of rados pool read-parallel over osds").count(), 1, "one table: {text}");

    // Three replicas at each point.
    let more = ["--axis", "osds=3,4", "--duration", "500ms", "--passes", "1", "--read-share", "0"];
    assert!(matches!(sweep(&more).status().unwrap().code(), Some(0 | 4)));
    let changes = lab.run(&["show", "last", "--format", "json"]).json()["changes"].clone();
    assert!(changes.as_array().unwrap().iter().all(|change| change["undone"] == true), "{changes}");
    let refused = |more: &[&str], code: i32, words: &[&str]| {
        lab.run(&[&["sweep", "rados"], more].concat()).ends(code, words);
    };
    refused(&["--axis", "osds=1,2"], 3, &["only in a lab", "--lab"]);
    refused(&["--axis", "osds=1,5", "--lab", &lab.name], 2, &["more than the 4 OSDs"]);
    refused(&["--axis", "osds=1,2", "--lab", &lab.name, "--pool", "rbd"], 2, &["--pool"]);
    refused(&["--axis", "osds=1,4", "--lab", &lab.name, "--pgs", "2"], 2, &["2 placement groups"]);
    assert_eq!((lab.snapshot(), upmaps(), others()), (before, 0, places), "something was left behind");
    every_osd_gets_objects_whatever_the_weights(&lab);
    assert_eq!(upmaps(), 0, "something was left behind");
}

/// The map of OSDs in which a placement group of these pools came to where it is.
fn last_move(lab: &Lab, pools: &[&str]) -> Option<u64> {
    let of = |pool: &&str| lab.json(&["pg", "ls-by-pool", pool])["pg_stats"].as_array().unwrap().clone();
    pools.iter().flat_map(of).map(|group| group["mapping_epoch"].as_u64().unwrap()).max()
}

/// The last map in which something was said of a pool of Fathom's.
fn last_note(lab: &Lab) -> Option<u64> {
    let dump = lab.json(&["osd", "dump"]);
    let ours = |pool: &&Value| pool["pool_name"].as_str().unwrap().starts_with("fathom.");
    let pools = dump["pools"].as_array().unwrap().iter().filter(ours);
    pools.map(|pool| pool["last_change"].as_str().unwrap().parse().unwrap()).max()
}

/// Two OSDs to which CRUSH gives next to nothing, and a pool that monitors make too small first and let grow.
fn every_osd_gets_objects_whatever_the_weights(lab: &Lab) {
    for osd in ["osd.2", "osd.3"] {
        lab.ceph(&["osd", "crush", "reweight", osd, "0.0001"]);
    }
    lab.ceph(&["config", "set", "mon", "mon_osd_max_initial_pgs", "8"]);
    let ran = lab.run(&[&["osd", "--patterns", "read-latency", "--format", "json"], &QUICK[..]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let document = ran.json();
    let figures = document["figures"].as_array().unwrap();
    for osd in ["osd.0", "osd.1", "osd.2", "osd.3", "osd.*"] {
        let own = figures.iter().find(|figure| figure["target"] == osd).unwrap();
        assert!(own["value"].is_number() && own["errors"] == 0, "{own:#} {}", document["errors"]);
    }
}
