//! What an NFS server exports, without a mount: that it is loaded and told by itself, and what is left where a run, or the server, is killed.

use super::*;
use crate::common::mount::Mount;
use crate::common::{Lab, eventually};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};

const SMALL: [&str; 8] = ["--passes", "1", "--duration", "1s", "--tree", "1x2x16", "--working-set", "8M"];

fn lab() -> Lab {
    Lab::up(&["--osds", "1", "--backing", "memory", "--with", "nfs"])
}

fn export(lab: &Lab) -> String {
    let services = lab.home.run(&["lab", "status", "--name", &lab.name, "--format", "json"]).json()["services"].clone();
    let nfs = services.as_array().unwrap().iter().find(|service| service["daemon"] == "nfs.a");
    nfs.unwrap()["url"].as_str().unwrap().to_string()
}

/// The run's own, once all of its files are there.
fn filled(top: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(top).unwrap().map(|entry| entry.unwrap().path());
    let own = entries.find(|path| path.to_string_lossy().ends_with(".nfs1"))?;
    own.join(TREE).join("job15.fathom/1.fathom/15.fathom").exists().then_some(own)
}

/// Killed in the middle, or to be.
fn under_way(lab: &Lab, url: &str, top: &Path) -> (Child, PathBuf) {
    let long = ["file", url, "--patterns", "create-delete", "--tree", "1x2x16", "--passes", "1", "--duration", "20s"];
    let child = lab.home.fathom(&long).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the run to make its files", 60, || filled(top).is_some());
    (child, filled(top).unwrap())
}

#[test]
fn an_export_is_loaded_without_a_mount_and_stands_beside_the_file_system() {
    let lab = lab();
    let (mount, url) = (Mount::of(&lab), export(&lab));
    theirs(mount.path());
    let patterns = "write-latency,read-parallel,create-delete,stat,stat-cached,open-read,list,rename,mixed";
    let words = ["run", "--lab", &lab.name, "--layers", "rados,file", "--patterns", patterns, "--format", "json"];
    let ran = lab.home.run(&[&words[..], &SMALL].concat());
    assert!([0, 4].contains(&ran.code), "{}\n{}", ran.out, ran.err);
    let report = ran.json();
    assert_eq!(report["errors"], serde_json::json!([]));
    let mut done: Vec<(&str, &str)> = Vec::new();
    for figure in report["figures"].as_array().unwrap().iter().filter(|figure| figure["target"] == url) {
        assert!(figure["operations"].as_u64().unwrap() > 0 && figure["errors"] == 0, "{figure}");
        done.push((figure["pattern"].as_str().unwrap(), figure["kind"].as_str().unwrap()));
    }
    // What a cache could answer is asked of the other one.
    let cached = ("stat-cached", "stat-cached");
    for wanted in [("write-latency", "write"), ("read-parallel", "read"), ("stat", "stat"), ("rename", "rename")] {
        assert!(done.contains(&wanted), "{wanted:?}: {done:?}");
    }
    assert!(!done.contains(&cached) && done.iter().any(|(pattern, _)| *pattern == "mixed"), "{done:?}");
    let chart = report["chart"].as_array().unwrap().iter().filter(|cell| cell["pattern"] == "write-latency");
    let rows: Vec<&str> = chart.filter_map(|cell| cell["door"].as_str()).collect();
    assert_eq!(rows, ["cephfs (libcephfs)", &url]);
    let doors: Vec<&str> =
        report["doors"].as_array().unwrap().iter().map(|door| door["target"].as_str().unwrap()).collect();
    assert!(doors.contains(&url.as_str()) && doors.contains(&"cephfs (libcephfs)"), "{doors:?}");
    let shown = lab.home.run(&["show", "last"]).ends(0, &[]).out.clone();
    assert!(shown.contains(&format!("file {url}")), "{shown}");
    only_theirs_is_left(mount.path());

    let only = ["file", &url, "--patterns", "stat-cached"];
    lab.home.run(&only).ends(2, &["stat-cached", "take stat instead"]);
    lab.home.run(&["file", &format!("{url}/nowhere")]).ends(2, &["nowhere", "No such file", "begins at its root"]);
    lab.home.run(&["file", &url, &url]).ends(2, &["named twice"]);
    lab.home.run(&["file", "nfs://127.0.0.1:1/x"]).ends(2, &["nfs://127.0.0.1:1/x", "Connection refused"]);
    lab.home.run(&["file", "nfs://"]).ends(2, &["no host", "nfs://HOST/FOLDER"]);
    lab.home.run(&["file", "127.0.0.1:/cephfs"]).ends(2, &["does not begin with nfs://", "nfs://HOST/FOLDER"]);
    let root = url.trim_end_matches("/cephfs");
    lab.home.run(&["file", root]).ends(2, &["above what a server exports", &url, "name what it exports"]);
    lab.home.run(&["file", &url, "--working-set", "90T"]).ends(2, &["90 TiB would be written", "has room for"]);
}

#[test]
fn what_a_killed_run_left_at_an_export_is_undone_and_what_others_put_there_stays() {
    let lab = lab();
    let (mut mount, url) = (Mount::of(&lab), export(&lab));
    theirs(mount.path());
    let (mut child, folder) = under_way(&lab, &url, mount.path());
    child.kill().unwrap();
    child.wait().unwrap();
    fs::write(folder.join(TREE).join("job0.fathom/notes"), "theirs").unwrap();
    // In another encoding than UTF-8.
    let foreign = folder.join(TREE).join("job1.fathom").join(OsStr::from_bytes(b"caf\xe9"));
    fs::write(&foreign, "theirs").unwrap();
    std::os::unix::fs::symlink(mount.join("theirs.fathom"), folder.join(TREE).join("job1.fathom/2.fathom")).unwrap();
    let told = lab.home.run(&["restore", "--yes"]);
    told.ends(0, &[]);
    let said = format!("{}{}", told.out, told.err);
    assert!(said.contains("but for what is left") && said.contains("it holds what is not Fathom's"), "{said}");
    assert_eq!(fs::read(folder.join(TREE).join("job0.fathom/notes")).unwrap(), b"theirs");
    assert!(fs::symlink_metadata(folder.join(TREE).join("job1.fathom/2.fathom")).unwrap().is_symlink());
    assert_eq!(fs::read(&foreign).unwrap(), b"theirs");
    assert!(!folder.join(TREE).join("job1.fathom/1.fathom").exists());
    assert!(!folder.join(TREE).join("job15.fathom").exists());
    fs::remove_dir_all(&folder).unwrap();
    only_theirs_is_left(mount.path());

    // The server dies in the middle of a step: the run ends, and what it could not undo is undone once the server is back.
    let (child, _) = under_way(&lab, &url, mount.path());
    lab.daemon("kill", "nfs.a");
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code().is_some_and(|code| code != 0) && !said.contains("panicked"), "{said}");
    assert!(said.contains(&url), "{said}");
    lab.daemon("start", "nfs.a");
    eventually("what is left to be undone", 100, || lab.home.run(&["restore", "--yes"]).code == 0);
    only_theirs_is_left(mount.path());
    mount.unmount();
}
