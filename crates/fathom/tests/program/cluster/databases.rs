//! OSDs with databases on devices of their own: both devices are told apart, a slow one is named with what it costs, and what spills over is seen.

use crate::common::{Lab, Ran, tool};
use serde_json::Value;
use std::fs;

/// Operations a second of a slow device: a commit waits for four or five of them. With less there are few writes in a diagnosis, and little to
/// tell an OSD by.
const SLOW: &str = "60";
/// The same of the data's device, which only every second commit waits for.
const SLOWER: &str = "15";

#[test]
fn a_slow_database_device_is_named_and_priced_and_not_taken_for_a_disk() {
    if !nix::unistd::geteuid().is_root() || !fs::exists("/sys/fs/cgroup/blkio").unwrap_or(false) {
        eprintln!("skipped: loop devices with limits need root and control groups of version 1");
        return;
    }
    let lab = Lab::up(&["--backing", "loop", "--db", "--hosts", "3", "--size", "2G"]);
    let (data, db) = devices(&lab);
    let metadata = lab.json(&["osd", "metadata", "1"]);
    assert_eq!((&metadata["bluefs_dedicated_db"], metadata["bluefs_db_devices"].as_str()), (&"1".into(), Some(&*db)));
    assert!(lab.home.run(&["lab", "status", "--name", &lab.name]).out.contains(&format!("DB /dev/{db}")));
    assert!(lab.home.run(&["lab", "list"]).out.contains("DB apart"));

    fault(&lab, &["on", "wrong-db-device", "osd.1", "--value", SLOW]);
    let slow = parts_of_stores(&lab, [&data, &db]);
    assert!(slow[1].log > 4.0 * slow[1].data, "{slow:?}");
    let shown = lab.home.run(&["show", "last", "--details"]).out;
    assert!(shown.contains("What stores wait for: store write-latency") && shown.contains(&db), "{shown}");

    // Other tests go on beside this one, and whoever is held up as well is told, too.
    let mut told = Vec::new();
    let wanted = |finding: &Value| {
        let [id, target, standing] =
            ["id", "target", "standing"].map(|field| finding[field].as_str().unwrap_or_default());
        (id, target, standing) == ("osd-db-slow", "osd.1", "confirmed")
    };
    let found = (0..3).find_map(|_| {
        let found = diagnosed(&lab);
        told.extend(found.clone());
        found.into_iter().find(wanted)
    });
    let of_osd = found.unwrap_or_else(|| panic!("{told:#?}"));
    let text = |field: &str| of_osd[field].to_string();
    let device = format!("the device of its database and log ({db}), not that of its data ({data})");
    assert!(text("says").contains(&device), "{}", text("says"));
    assert!(text("evidence").contains("as the primary it adds"), "{}", text("evidence"));
    fault(&lab, &["off", "wrong-db-device"]);

    // The same limit on the device of the data.
    fault(&lab, &["on", "disk-iops", "osd.1", "--value", SLOWER]);
    let slow = parts_of_stores(&lab, [&data, &db]);
    assert!(slow[1].data > slow[1].log, "{slow:?}");
    fault(&lab, &["off"]);
    lab.home.run(&["lab", "down", "--name", &lab.name]).ends(0, &[]);
    assert!(!tool("losetup", &["--list"]).contains(&lab.name));
}

#[test]
fn a_database_that_spills_over_is_told_with_how_much() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("skipped: loop devices need root");
        return;
    }
    // A log is reserved ahead, and is larger than this device.
    let lab = Lab::up(&["--backing", "loop", "--db=256M", "--osds", "1", "--size", "2G"]);
    let load = ["store", "--patterns", "write-latency", "--passes", "1", "--duration", "1s", "--format", "json"];
    let run = measured(&lab.run(&[&load[..], &["--quiet"]].concat()));
    let spilled = run["stores"][0]["database"]["spilled"].as_u64().unwrap();
    assert!(spilled > 0, "{:#?}", run["stores"]);
    let found = run["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == "osd-db-spilled").unwrap();
    assert_eq!(found["target"], "osd.0");
    let evidence = found["evidence"].to_string();
    assert!(evidence.contains("of its database lie on the device of its data"), "{evidence}");
    let shown = lab.home.run(&["show", "last", "--details"]).out;
    assert!(shown.contains("in part") && shown.contains("of its database lie"), "{shown}");
}

/// Kernel names of both devices of osd.1.
fn devices(lab: &Lab) -> (String, String) {
    let status = lab.home.run(&["lab", "status", "--name", &lab.name, "--format", "json"]).ends(0, &[]).json();
    let name = |field: &str| status["osds"][1][field].as_str().unwrap().trim_start_matches("/dev/").to_string();
    (name("device"), name("db"))
}

fn fault(lab: &Lab, words: &[&str]) {
    lab.home.run(&[&["lab", "fault"], words, &["--name", &lab.name]].concat()).ends(0, &[]);
}

/// Of a mean commit, ms.
#[derive(Debug)]
struct Commit {
    commit: f64,
    data: f64,
    log: f64,
}

/// Of each OSD's store, loaded alone; `devices`: those of osd.1.
fn parts_of_stores(lab: &Lab, devices: [&str; 2]) -> Vec<Commit> {
    let load = ["store", "--alone", "--patterns", "write-latency", "--passes", "1", "--duration", "3s"];
    let run = measured(&lab.run(&[&load[..], &["--format", "json", "--quiet"]].concat()));
    let stores = run["stores"].as_array().unwrap();
    assert_eq!(stores.len(), 3, "{stores:#?}");
    let own = &stores[1]["devices"];
    assert_eq!([&own["data"][0], &own["log"][0]], devices.map(Value::from).each_ref());
    assert_eq!(own["apart"], true);
    let ms = |value: &Value| value.as_f64().unwrap();
    let commit = |store: &Value| Commit {
        commit: ms(&store["commit"]),
        data: ms(&store["parts"]["data"]),
        log: ms(&store["parts"]["log"]),
    };
    let all: Vec<Commit> = stores.iter().map(commit).collect();
    assert!(all.iter().all(|one| one.data + one.log <= 1.01 * one.commit), "{all:?}");
    all
}

fn measured(ran: &Ran) -> Value {
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    ran.json()
}

fn diagnosed(lab: &Lab) -> Vec<Value> {
    let words = ["diagnose", "--lab", &lab.name, "--layers", "rados", "--time-max", "1m", "--format", "json"];
    let run = measured(&lab.home.run(&[&words[..], &["--quiet"]].concat()));
    run["findings"].as_array().unwrap().clone()
}
