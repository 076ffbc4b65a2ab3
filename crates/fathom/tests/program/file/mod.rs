//! Files on mounted file systems: what reached the metadata server by its own counters, and that nothing is left or touched, however a run
//! ends.

mod loads;
mod nfs;
mod sizes;
mod undone;

use crate::common::Home;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Files of 4 KiB in two folders of 16 for each job.
const TREE: &str = "4096.1x2x16.fathom";
const NAMES: &str = "create-delete,stat,stat-cached,open-read,list,rename";

/// A folder with something of somebody else's in it.
fn theirs(folder: &Path) {
    fs::create_dir_all(folder.join("theirs.fathom")).unwrap();
    fs::write(folder.join("theirs.fathom/1.fathom"), "theirs").unwrap();
    fs::write(folder.join("fathom.kept"), "kept").unwrap();
}

#[track_caller]
fn only_theirs_is_left(folder: &Path) {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.retain(|name| name != "lost+found");
    assert_eq!(names, ["fathom.kept", "theirs.fathom"]);
    assert_eq!(fs::read(folder.join("theirs.fathom/1.fathom")).unwrap(), b"theirs");
    assert_eq!(fs::read(folder.join("fathom.kept")).unwrap(), b"kept");
}

fn journals(home: &Home) -> usize {
    fs::read_dir(home.path().join("fathom/journal")).map_or(0, Iterator::count)
}

/// By pattern and class of operations: how many there were, and how many failed.
type Operations = BTreeMap<(String, String), (u64, u64)>;

fn operations(report: &Value) -> Operations {
    let figures = report["figures"].as_array().unwrap().iter();
    let text = |figure: &Value, name: &str| figure[name].as_str().unwrap().to_string();
    let of = |figure: &Value| {
        let counts = (figure["operations"].as_u64().unwrap(), figure["errors"].as_u64().unwrap());
        ((text(figure, "pattern"), text(figure, "kind")), counts)
    };
    figures.map(of).collect()
}
