//! Things that break while a run goes on: the step ends or waits, the run goes on, everything is put back.

use crate::common::{Kind, Lab, Lent, eventually};
use ceph::{ClusterAccess, Rados};
use serde_json::{Value, json};
use std::process::{Child, Stdio};

/// There is so little to fill that the load that is seen is that of the step.
const ONE_SLICE: [&str; 8] =
    ["--patterns", "write-latency", "--passes", "1", "--working-set", "8M", "--format", "json"];

fn start(lab: &Lab, arguments: &[&str]) -> Child {
    let mut command = lab.fathom(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn finish(child: Child) -> (i32, Value, String) {
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {err}"));
    (output.status.code().unwrap_or(-1), document, err)
}

/// Waits until the run's load is on: its pool is there and is written to.
fn wait_for_load(lab: &Lab) {
    eventually("a load on a temporary pool", 60, || {
        let stats: Value = serde_json::from_str(&lab.ceph(&["osd", "pool", "stats", "--format", "json"])).unwrap();
        stats.as_array().unwrap().iter().any(|pool| {
            pool["pool_name"].as_str().is_some_and(|name| name.starts_with("fathom."))
                && pool["client_io_rate"]["write_op_per_sec"].as_u64().is_some_and(|rate| rate > 0)
        })
    });
}

#[test]
fn an_osd_killed_during_a_step_voids_the_figure_and_the_run_goes_on() {
    let lab = Lent::of(Kind::Worn);
    let before = lab.snapshot();
    let run = start(&lab, &[&["osd", "--duration", "10s"], &ONE_SLICE[..]].concat());
    wait_for_load(&lab);
    lab.daemon("kill", "osd.1");
    let (code, document, err) = finish(run);
    assert_eq!(code, 4, "{err}");
    let figures = document["figures"].as_array().unwrap();
    let void: Vec<&Value> = figures.iter().filter(|figure| figure["label"] == "void").collect();
    assert!(void.iter().any(|figure| figure["target"] == "osd.1"), "{figures:#?}");
    for figure in &void {
        assert!(figure["value"].is_null() && figure["ci95"].is_null(), "{figure}");
        assert!(figure["why"].as_str().is_some_and(|why| !why.is_empty()), "{figure}");
    }
    assert!(figures.iter().any(|figure| figure["label"] != "void"), "the run did not go on: {err}");
    others_write(&lab);
    lab.daemon("start", "osd.1");
    what_recovers_marks_figures_and_is_waited_for(&lab);
    what_is_trimmed_marks_figures(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
}

#[test]
fn a_second_osd_that_goes_down_while_the_first_is_down_ends_the_run() {
    let lab = Lent::of(Kind::Worn);
    let before = lab.snapshot();
    let mut run = start(&lab, &[&["osd", "--duration", "60s"], &ONE_SLICE[..]].concat());
    wait_for_load(&lab);
    let down = |osd: usize| eventually("it is down", 60, || lab.json(&["osd", "dump"])["osds"][osd]["up"] == 0);
    lab.daemon("kill", "osd.1");
    down(1);
    lab.daemon("kill", "osd.2");
    down(2);
    eventually("the run ends", 120, || run.try_wait().unwrap().is_some());
    let output = run.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && err.contains("osd.1, osd.2 are down at the same time"), "{err}");
    ["osd.1", "osd.2"].iter().for_each(|osd| lab.daemon("start", osd));
    let ill = ["degraded", "down", "peered", "peering", "stale", "undersized", "unknown"];
    eventually("all is well again", 120, || !ill.iter().any(|word| state(&lab, word)));
    assert_eq!(lab.snapshot(), before, "something was left behind");
}

#[test]
fn a_manager_that_answers_too_late_is_an_error_and_no_crash() {
    let lab = Lab::up(&["--backing", "memory"]);
    let limit = ("rados_mon_op_timeout".to_string(), "8".to_string());
    let access = ClusterAccess { conf: Some(lab.conf().into()), options: vec![limit], ..ClusterAccess::default() };
    let rados = Rados::connect(&access).unwrap();
    let ask = || rados.mgr_command(&json!({"prefix": "pg dump", "format": "json"}));
    ask().unwrap().json().unwrap();
    lab.daemon("stop", "mgr.x");
    let why = ask().unwrap_err().to_string();
    assert!(why.contains("pg dump: no answer in time"), "{why}");
    lab.daemon("cont", "mgr.x");
    // The answer to the first one comes before this one's.
    ask().unwrap().json().unwrap();
}

fn others_write(lab: &Lab) {
    let writes = ["-p", "rbd", "bench", "2", "write", "-b", "4096", "--no-cleanup"];
    crate::common::tool("rados", &[&["--conf", lab.conf()], &writes[..]].concat());
}

/// A run of one short slice, and the states of placement groups that its figure tells.
fn states_seen(lab: &Lab, arguments: &[&str]) -> (Value, String) {
    let short = ["rados", "--patterns", "read-latency", "--working-set", "8M", "--duration", "1s", "--passes", "1"];
    let ran = lab.run(&[&short[..], &["--format", "json"], arguments].concat());
    let document = ran.json();
    let figure = &document["figures"][0];
    assert!(figure["value"].is_number(), "{document:#}");
    let warned = document["warnings"].to_string().contains("not all placement groups");
    let states = &figure["pgs_seen"];
    assert_eq!(warned, *states != json!([]), "{document:#}");
    (document.clone(), states.to_string())
}

fn state(lab: &Lab, word: &str) -> bool {
    lab.ceph(&["pg", "stat"]).contains(word)
}

fn what_recovers_marks_figures_and_is_waited_for(lab: &Lab) {
    // Recovery is so slow that it lasts longer than a run; then it is done at once.
    lab.ceph(&["config", "set", "osd", "osd_recovery_sleep", "0.5"]);
    eventually("recovery", 60, || state(lab, "recovering"));
    let (_, states) = states_seen(lab, &[]);
    assert!(states.contains("recovering"), "{states}");
    lab.ceph(&["config", "set", "osd", "osd_recovery_sleep", "0.0001"]);
    lab.ceph(&["osd", "pool", "set", "rbd", "pg_autoscale_mode", "on"]);
    let (document, states) = states_seen(lab, &["--quiesce"]);
    assert_eq!(states, "[]", "--quiesce did not wait");
    for change in ["flag noscrub", "flag nodeep-scrub", "balancer off", "pool rbd: pg_autoscale_mode = off"] {
        let made = |made: &Value| made["what"] == change && made["undone"] == true;
        assert!(document["changes"].as_array().unwrap().iter().any(made), "{change}: {document:#}");
    }
    assert_eq!(lab.ceph(&["osd", "pool", "get", "rbd", "pg_autoscale_mode"]).trim(), "pg_autoscale_mode: on");
    let balancer: Value = serde_json::from_str(&lab.ceph(&["balancer", "status"])).unwrap();
    assert_eq!((&balancer["active"], &balancer["mode"]), (&json!(true), &json!("upmap")));
    lab.ceph(&["osd", "pool", "set", "rbd", "pg_autoscale_mode", "off"]);
    // If the balancer was off before, it stays off.
    lab.ceph(&["balancer", "off"]);
    states_seen(lab, &["--quiesce"]);
    let balancer: Value = serde_json::from_str(&lab.ceph(&["balancer", "status"])).unwrap();
    assert_eq!(balancer["active"], false);
    lab.ceph(&["balancer", "on"]);
    lab.ceph(&["config", "rm", "mgr", "mgr/balancer/active"]);
    lab.ceph(&["config", "rm", "osd", "osd_recovery_sleep"]);
}

fn what_is_trimmed_marks_figures(lab: &Lab) {
    lab.ceph(&["config", "set", "osd", "osd_snap_trim_sleep", "10"]);
    let write = ["bench", "rbd/trimmed", "--io-type", "write", "--io-size", "1M", "--io-total", "16M"];
    lab.rbd(&["create", "rbd/trimmed", "--size", "16M"]);
    lab.rbd(&write);
    lab.rbd(&["snap", "create", "rbd/trimmed@before"]);
    lab.rbd(&write);
    lab.rbd(&["snap", "rm", "rbd/trimmed@before"]);
    eventually("trimming", 60, || state(lab, "snaptrim"));
    let (_, states) = states_seen(lab, &[]);
    assert!(states.contains("snaptrim"), "{states}");
    lab.ceph(&["config", "rm", "osd", "osd_snap_trim_sleep"]);
    lab.rbd(&["rm", "rbd/trimmed"]);
}

#[test]
fn a_monitor_that_is_gone_for_ten_seconds_is_outlived() {
    let lab = Lent::of(Kind::Worn);
    let before = lab.snapshot();
    let run = start(&lab, &[&["rados", "--duration", "20s"], &ONE_SLICE[..]].concat());
    wait_for_load(&lab);
    lab.daemon("stop", "mon.a");
    std::thread::sleep(std::time::Duration::from_secs(10)); // The fault itself, not a wait for luck.
    lab.daemon("cont", "mon.a");
    let (code, document, err) = finish(run);
    assert!(matches!(code, 0 | 4), "{err}");
    let figure = &document["figures"][0];
    assert!(figure["value"].as_f64().is_some_and(|value| value > 0.0), "{figure}");
    one_operation_that_an_osd_holds_up_is_sent_once(&lab);
    an_operation_that_an_osd_holds_up_is_measured_as_long_as_it_took(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
}

const HELD_UP: std::time::Duration = std::time::Duration::from_secs(4);

fn one_operation_that_an_osd_holds_up_is_sent_once(lab: &Lab) {
    let access = ceph::ClusterAccess { conf: Some(lab.conf().into()), ..ceph::ClusterAccess::default() };
    let pool = std::sync::Arc::new(ceph::Rados::connect(&access).unwrap()).open_pool("rbd").unwrap();
    let (mut io, mut ended) = (pool.io(1, 4096).unwrap(), Vec::new());
    let mut end = |io: &mut ceph::PoolIo| {
        while io.in_flight() > 0 {
            io.wait(std::time::Duration::from_millis(100), &mut ended);
        }
    };
    io.write(0, c"held-up", 0, 0..4096).unwrap();
    end(&mut io);
    let before = lab.done_by_osds();
    std::thread::scope(|scope| {
        let holding = scope.spawn(|| lab.hold_up(HELD_UP));
        while !holding.is_finished() {
            // Writes and reads in turns, until one of them has been held up.
            io.write(0, c"held-up", 0, 0..4096).unwrap();
            end(&mut io);
            io.read(0, c"held-up", 0, 0..4096).unwrap();
            end(&mut io);
        }
    });
    let done = lab.done_by_osds();
    let (reads, writes) = ended[1..].iter().fold((0, 0), |(reads, writes), one| match one.result {
        4096 => (reads + 1, writes),
        0 => (reads, writes + 1),
        other => panic!("an operation ended with {other}"),
    });
    assert_eq!((done.0 - before.0, done.1 - before.1), (reads, writes));
    drop(io);
    crate::common::tool("rados", &["--conf", lab.conf(), "-p", "rbd", "rm", "held-up"]);
}

fn an_operation_that_an_osd_holds_up_is_measured_as_long_as_it_took(lab: &Lab) {
    let words = ["rados", "--patterns", "write-latency", "--duration", "8s", "--passes", "1", "--working-set", "8M"];
    let run = start(lab, &[&words[..], &["--format", "json"]].concat());
    wait_for_load(lab);
    lab.hold_up(HELD_UP);
    let (code, document, err) = finish(run);
    assert!(matches!(code, 0 | 4), "{err}");
    let figure = &document["figures"][0];
    let longest = figure["percentiles"]["100"].as_f64().unwrap();
    assert!((HELD_UP.as_secs_f64() * 1e3..10_000.0).contains(&longest), "{longest} ms: {figure:#}");
    assert_eq!(document["errors"], json!([]), "{document:#}");
}

#[test]
fn operations_that_get_stuck_end_the_step() {
    let lab = Lab::up(&[]);
    let before = lab.snapshot();
    // There is so little to fill that the load that is seen is that of the step.
    let small = ["--duration", "30s", "--working-set", "8M", "--format", "json"];
    let run = start(&lab, &[&["rados", "--patterns", "write-latency"], &small[..]].concat());
    wait_for_load(&lab);
    // Every operation is one to complain about.
    lab.ceph(&["tell", "osd.*", "config", "set", "osd_op_complaint_time", "0.0001"]);
    let (code, document, err) = finish(run);
    assert_eq!(code, 4, "{err}");
    let figure = &document["figures"][0];
    assert_eq!(figure["label"], "void", "{figure}");
    assert!(figure["why"].as_str().is_some_and(|why| why.contains("slow ops")), "{figure}");
    assert_eq!(lab.snapshot(), before, "something was left behind");
}

#[test]
fn ctrl_c_ends_the_run_in_order() {
    let lab = Lent::lab();
    let before = lab.snapshot();
    for times in [1, 2] {
        let run = start(&lab, &["rados", "--format", "json"]);
        wait_for_load(&lab);
        for _ in 0..times {
            crate::common::tool("kill", &["-INT", &run.id().to_string()]);
            std::thread::sleep(std::time::Duration::from_millis(300)); // Two signals at once count as one.
        }
        let output = run.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        // The load that was seen may have been what fills the pool: then nothing was measured.
        assert!(output.status.code().is_some_and(|code| [1, 4, 130].contains(&code)), "{:?}: {err}", output.status);
        assert_eq!(lab.snapshot(), before, "something was left behind after {times}: {err}");
    }
    one_signal_while_pools_are_made_is_no_failure(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
}

fn one_signal_while_pools_are_made_is_no_failure(lab: &Lab) {
    for milliseconds in [100, 300, 600] {
        let mut run = lab.fathom(&["rados", "--pgs", "8"]);
        let run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        eventually("the signals are listened to", 20, || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
            u64::from_str_radix(caught, 16).unwrap() >> 14 & 1 == 1
        });
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        crate::common::tool("kill", &["-TERM", &run.id().to_string()]);
        let output = run.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "after {milliseconds} ms: {err}");
        assert!(!err.contains("error"), "after {milliseconds} ms: {err}");
    }
}

/// Somebody sets a quota, or makes another pool of the same name, while the run goes on.
#[test]
fn pools_that_others_change_meanwhile() {
    let lab = Lent::of(Kind::Worn);
    lab.ceph(&["osd", "pool", "create", "theirs", "8"]);
    lab.ceph(&["osd", "pool", "application", "enable", "theirs", "rbd"]);
    let before = lab.snapshot();
    images_of_a_pool_that_becomes_full_are_removed(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
    what_is_in_a_users_pool_goes_under_its_new_name(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
    another_pool_of_the_runs_name_stays_and_that_is_told(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
    a_renamed_pool_is_left_and_its_new_name_told(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
    // The size is asked for when a pool is made; where that may not be set later it is not.
    lab.ceph(&["config", "set", "global", "osd_pool_default_flag_nosizechange", "true"]);
    let ran = lab.run(&[&["osd", "--duration", "1s"], &ONE_SLICE[..]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    lab.ceph(&["config", "rm", "global", "osd_pool_default_flag_nosizechange"]);
    assert_eq!(lab.snapshot(), before, "something was left behind");
    lab.ceph(&["osd", "pool", "delete", "theirs", "theirs", "--yes-i-really-really-mean-it"]);
}

fn images_of_a_pool_that_becomes_full_are_removed(lab: &Lab) {
    let words = ["rbd", "--pool", "theirs", "--patterns", "write-parallel", "--passes", "1", "--duration", "40s"];
    let mut run = start(lab, &[&words[..], &["--working-set", "64M", "--format", "json"]].concat());
    eventually("a load on the pool", 60, || {
        let stats = lab.json(&["osd", "pool", "stats", "theirs"]);
        stats[0]["client_io_rate"]["write_op_per_sec"].as_u64().is_some_and(|rate| rate > 0)
    });
    lab.ceph(&["osd", "pool", "set-quota", "theirs", "max_bytes", "1"]);
    eventually("the run ends", 150, || run.try_wait().unwrap().is_some());
    let output = run.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code == 4 || code == 1), "{:?}: {err}", output.status);
    lab.ceph(&["osd", "pool", "set-quota", "theirs", "max_bytes", "0"]);
    eventually("the pool is full no more", 60, || {
        let dump = lab.json(&["osd", "dump"]);
        let mut pools = dump["pools"].as_array().unwrap().iter();
        pools.any(|pool| pool["pool_name"] == "theirs" && !pool["flags_names"].as_str().unwrap().contains("full"))
    });
    if output.status.code() == Some(1) {
        // librbd deletes no image where there is no room for its notes.
        assert!(err.contains("fathom restore"), "{err}");
        lab.run(&["restore", "--yes"]).ends(0, &[]);
    }
}

/// Also where another pool has got the old name.
fn what_is_in_a_users_pool_goes_under_its_new_name(lab: &Lab) {
    let rename = |from: &str, to: &str| lab.ceph(&["osd", "pool", "rename", from, to]);
    for (layer, another) in [("rbd", false), ("rados", true)] {
        let run = start(lab, &[&[layer, "--pool", "theirs", "--duration", "8s"], &ONE_SLICE[..]].concat());
        eventually("a load on the pool", 60, || {
            let stats = lab.json(&["osd", "pool", "stats", "theirs"]);
            stats[0]["client_io_rate"]["write_op_per_sec"].as_u64().is_some_and(|rate| rate > 0)
        });
        rename("theirs", "moved");
        if another {
            lab.ceph(&["osd", "pool", "create", "theirs", "8"]);
        }
        let output = run.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        let left = crate::common::tool("rados", &["--conf", lab.conf(), "-p", "moved", "ls"]);
        assert!(!left.contains("fathom.") && lab.rbd(&["ls", "moved"]).trim().is_empty(), "{layer}: {left}\n{err}");
        if another {
            lab.ceph(&["osd", "pool", "delete", "theirs", "theirs", "--yes-i-really-really-mean-it"]);
        }
        rename("moved", "theirs");
    }
}

fn another_pool_of_the_runs_name_stays_and_that_is_told(lab: &Lab) {
    let mut run =
        lab.fathom(&["rados", "--pgs", "8", "--patterns", "write-latency", "--duration", "20s", "--passes", "1"]);
    let run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_load(lab);
    let pools = lab.json(&["osd", "pool", "ls"]);
    let own =
        pools.as_array().unwrap().iter().filter_map(|name| name.as_str()).find(|name| name.starts_with("fathom."));
    let own = own.unwrap();
    let signal = |name: &str| crate::common::tool("kill", &["-s", name, &run.id().to_string()]);
    signal("STOP");
    lab.ceph(&["osd", "pool", "delete", own, own, "--yes-i-really-really-mean-it"]);
    lab.ceph(&["osd", "pool", "create", own, "8"]);
    signal("CONT");
    let output = run.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains(&format!("left as it is: pool {own}")), "{err}");
    assert!(!err.contains(&format!("undone: pool {own}")), "{err}");
    assert!(lab.ceph(&["osd", "pool", "ls"]).contains(own), "{err}");
    lab.ceph(&["osd", "pool", "delete", own, own, "--yes-i-really-really-mean-it"]);
}

/// Whoever renames a pool has a use for it.
fn a_renamed_pool_is_left_and_its_new_name_told(lab: &Lab) {
    let run = start(lab, &[&["rbd", "--pgs", "8", "--duration", "6s"], &ONE_SLICE[..]].concat());
    wait_for_load(lab);
    let own = lab.ceph(&["osd", "pool", "ls"]).lines().find(|name| name.starts_with("fathom.")).unwrap().to_string();
    lab.ceph(&["osd", "pool", "rename", &own, "moved"]);
    let output = run.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains(&format!("left as it is: pool {own}")) && err.contains("renamed to moved"), "{err}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let changes = document["changes"].as_array().unwrap();
    let left =
        changes.iter().filter(|change| change["left_as_it_is"].as_str().is_some_and(|why| why.contains("moved")));
    assert_eq!(left.count(), changes.len(), "its images went with it: {changes:#?}");
    assert!(!err.contains("undone: "), "{err}");
    lab.ceph(&["osd", "pool", "delete", "moved", "moved", "--yes-i-really-really-mean-it"]);
}
