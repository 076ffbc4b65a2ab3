//! `fathom rbd --states`: what a write and a read cost in each state of an image, and what is left of the images.

use crate::common::{Lab, eventually};
use serde_json::Value;
use std::process::Stdio;

/// A pool of somebody else's, with an image and a snapshot.
fn theirs(lab: &Lab) {
    lab.ceph(&["osd", "pool", "create", "vms", "8"]);
    lab.ceph(&["osd", "pool", "application", "enable", "vms", "rbd"]);
    // What was made a moment ago is not counted at once.
    eventually("the pool to be clean", 60, || {
        let listed = lab.json(&["pg", "ls-by-pool", "vms"])["pg_stats"].clone();
        let listed = listed.as_array().cloned().unwrap_or_default();
        listed.len() == 8 && listed.iter().all(|pg| pg["state"] == "active+clean")
    });
    lab.rbd(&["create", "vms/theirs", "--size", "8M"]);
    lab.rbd(&["snap", "create", "vms/theirs@fathom.base"]);
    // Removed images would stay there.
    lab.rbd(&["config", "pool", "set", "vms", "rbd_move_to_trash_on_remove", "true"]);
}

fn only_theirs_is_left(lab: &Lab) {
    assert_eq!(lab.rbd(&["ls", "vms"]).trim(), "theirs");
    assert_eq!(lab.rbd(&["trash", "ls", "--all", "vms"]).trim(), "");
    assert!(lab.rbd(&["snap", "ls", "vms/theirs"]).contains("fathom.base"));
}

fn number(states: &Value, state: &str, operation: &str, field: &str) -> f64 {
    let found = states.as_array().unwrap().iter().find(|one| one["state"] == state && one["operation"] == operation);
    let found = found.unwrap_or_else(|| panic!("{state} {operation}: {states}"));
    found[field].as_f64().unwrap_or_else(|| panic!("{field}: {found}"))
}

#[test]
fn first_writes_to_a_clone_are_dearer_than_later_ones_and_nothing_is_left_of_it() {
    let lab = Lab::up(&["--osds", "3", "--backing", "memory"]);
    theirs(&lab);
    let ran = lab.run(&["rbd", "--states", "--pool", "vms", "--quick", "--working-set", "32M", "--format", "json"]);
    let states = ran.ends(0, &[]).json()["image_states"]["states"].clone();
    only_theirs_is_left(&lab);
    // Six states with three operations each, and two writers.
    assert_eq!(states.as_array().unwrap().len(), 6 * 3 + 1, "{states}");
    for one in states.as_array().unwrap() {
        assert!(one["rounds"].as_u64().unwrap() >= 3 && one["mean"].as_f64().unwrap() > 0.0, "{one}");
        assert_eq!(one["times"].is_null(), one["state"] == "filled", "{one}");
    }
    // Each object once in a round.
    let first = |field: &str| number(&states, "clone", "first-write", field);
    let objects = first("operations") / first("rounds");
    assert_eq!(objects, 8.0, "{states}");
    assert_eq!(number(&states, "fresh", "later-write", "operations"), 2.0 * first("operations"));
    // 4 MiB are read and written three times against 4 KiB: many times dearer, on any machine.
    assert!(first("times") > 2.0, "{states}");
    assert!(first("mean") > 2.0 * number(&states, "clone", "later-write", "mean"), "{states}");
    let told = lab.run(&["show", "last"]).ends(0, &[]).out.clone();
    assert!(told.contains("States of an image") && told.contains("first write"), "{told}");
    assert!(told.lines().take(12).any(|line| line.contains("A write to a filled image takes")), "{told}");
    // A pool of the run's own goes with all of it.
    let before = lab.snapshot();
    lab.run(&["rbd", "--states", "--quick", "--working-set", "32M"]).ends(0, &[]);
    assert_eq!(lab.snapshot(), before);
    let plan = lab.run(&["rbd", "--states", "--pool", "vms", "--dry-run"]);
    plan.ends(0, &[]);
    let says = |words: &&str| plan.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(words);
    assert!(["a clone of", "deleted after it", "first write to each object"].iter().all(says), "{}", plan.out);
    only_theirs_is_left(&lab);
    lab.run(&["rbd", "--states", "--working-set", "1M"]).ends(2, &["32 MiB or more"]);
    lab.run(&["rbd", "--states", "--block-size", "3k"]).ends(2, &["divides it"]);
    lab.run(&["rbd", "--states", "--working-set", "100T"]).ends(3, &["8 images of 100 TiB", "has room for"]);
    lab.run(&["show", "last", "--format", "csv"]).ends(2, &["--format text"]);
    lab.run(&["rbd", "--states", "--pool", "nowhere"]).ends(2, &["pool nowhere does not exist", "vms"]);
    lab.run(&["rbd", "--states", "--patterns", "read-latency"]).ends(2, &["--states", "--patterns"]);
}

#[test]
fn what_a_killed_run_left_is_undone_clones_before_their_parent_and_a_snapshot_of_others_stays() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory"]);
    theirs(&lab);
    let words = ["rbd", "--states", "--pool", "vms", "--settle", "1%", "--working-set", "32M"];
    let mut child = lab.fathom(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the run to make its clones", 120, || lab.rbd(&["ls", "vms"]).contains("state.clone"));
    child.kill().unwrap();
    child.wait().unwrap();
    let images = lab.rbd(&["ls", "vms"]);
    let overwritten = images.lines().find(|name| name.ends_with("state.overwritten")).unwrap();
    lab.rbd(&["snap", "create", &format!("vms/{overwritten}@theirs")]);
    // Somebody has a use for another one.
    let filled = images.lines().find(|name| name.ends_with("state.filled")).unwrap();
    lab.rbd(&["rename", &format!("vms/{filled}"), "vms/kept"]);
    let told = lab.run(&["restore", "--yes"]);
    assert!(told.code != 0, "{}", told.err);
    let left = lab.rbd(&["ls", "vms"]);
    let left: Vec<&str> = left.lines().collect();
    assert_eq!(left, [overwritten, "kept", "theirs"], "{}", told.err);
    let said = format!("{}{}", told.out, told.err);
    assert!(said.contains("gave it another name") && said.contains("not this run's"), "{said}");
    lab.rbd(&["rm", "vms/kept"]);
    lab.rbd(&["trash", "purge", "vms"]);
    lab.rbd(&["snap", "rm", &format!("vms/{overwritten}@theirs")]);
    lab.run(&["restore", "--yes"]).ends(0, &[]);
    only_theirs_is_left(&lab);
}

#[test]
fn too_few_objects_are_refused_and_an_osd_that_dies_in_a_round_ends_the_run() {
    let lab = Lab::up(&["--osds", "3", "--backing", "memory"]);
    theirs(&lab);
    lab.ceph(&["config", "set", "client", "rbd_default_order", "25"]);
    let few = lab.run(&["rbd", "--states", "--pool", "vms", "--working-set", "32M"]);
    few.ends(2, &["objects of 32 MiB", "rbd_default_order", "--working-set"]);
    lab.ceph(&["config", "rm", "client", "rbd_default_order"]);
    only_theirs_is_left(&lab);

    let words = ["rbd", "--states", "--pool", "vms", "--settle", "1%", "--working-set", "32M"];
    let child = lab.fathom(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the run to be in its rounds", 120, || lab.rbd(&["ls", "vms"]).contains("state.clone"));
    lab.daemon("kill", "osd.2");
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code().is_some_and(|code| code != 0) && said.contains("osd.2 went down"), "{said}");
    lab.daemon("start", "osd.2");
    only_theirs_is_left(&lab);
}
