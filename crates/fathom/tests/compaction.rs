//! What RocksDB does in real OSDs is seen while they are loaded: compactions that are asked for, and that there was none.

mod common;
use common::Lab;
use serde_json::Value;
use std::process::{Command, Stdio};

fn background(run: &Value) -> &Value {
    &run["figures"][0]["background"]
}

#[test]
fn compactions_during_a_slice_are_seen_and_so_is_that_there_were_none() {
    let lab = Lab::up(&[]);
    let load =
        ["rados", "--patterns", "write-parallel", "--depth", "16", "--passes", "1", "--format", "json", "--quiet"];
    let quiet = lab.run(&[&load[..], &["--duration", "5s"]].concat());
    assert!(matches!(quiet.code, 0 | 4), "{}", quiet.err);
    let seen = background(&quiet.json()).clone();
    assert_eq!((&seen["osds"], &seen["of"], &seen["slices"]), (&3.into(), &3.into(), &1.into()), "{seen}");
    // Without the warm-up, which on a fresh lab may be long.
    assert!(seen["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0 && seconds < 6.0), "{seen}");
    // Nothing was written before that could be due; should the store flush all the same, then that is what is seen.
    if seen["busy"] == 0.0 {
        assert!(seen["says"].as_str().unwrap().starts_with("no compaction ran in 1 slice"), "{seen}");
        let shown = lab.home.run(&["show", "last"]).out.replace('\n', " ");
        assert!(shown.contains("No RocksDB compaction ran"), "{shown}");
    }

    let mut command = lab.fathom(&[&load[..], &["--duration", "12s"]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Before it, and while it is measured: when that begins nobody here knows.
    while child.try_wait().unwrap().is_none() {
        for osd in ["osd.0", "osd.1", "osd.2"] {
            Command::new("ceph").args(["--conf", lab.conf(), "tell", osd, "compact"]).output().unwrap();
        }
    }
    let run = lab.home.run(&["show", "last", "--format", "json"]).json();
    let seen = background(&run);
    let share = seen["busy"].as_f64().unwrap();
    assert!(share > 0.05 && share <= 1.0 && seen["quiet"] == 0, "{seen}");
    assert!(seen["in_step"].as_u64() <= seen["dips"].as_u64(), "{seen}");
    // The report has them as marks.
    let path = lab.home.path().join("report.html");
    lab.home.run(&["report", "last", "-o", path.to_str().unwrap()]).ends(0, &[]);
    assert!(std::fs::read_to_string(path).unwrap().contains("\"compaction\":[["));
}
