//! What real OSDs' stores do is seen while they are loaded: compactions that are asked for, that there was none, and from where reads came.

use crate::common::Lab;
use serde_json::Value;
use std::process::{Command, Stdio};

fn background(run: &Value) -> &Value {
    &run["figures"][0]["background"]
}

#[test]
fn compactions_during_a_slice_are_seen_and_so_is_that_there_were_none() {
    let lab = Lab::up(&[]);
    let load = ["rados", "--patterns", "write-parallel", "--depth", "16", "--passes", "1", "--working-set", "256M"];
    let load = [&load[..], &["--format", "json", "--quiet"]].concat();
    let quiet = lab.run(&[&load[..], &["--duration", "5s"]].concat());
    assert!(matches!(quiet.code, 0 | 4), "{}", quiet.err);
    let seen = background(&quiet.json()).clone();
    assert_eq!((&seen["osds"], &seen["of"], &seen["slices"]), (&3.into(), &3.into(), &1.into()), "{seen}");
    // Without the warm-up, which on a fresh lab may be long.
    assert!(seen["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0 && seconds < 6.0), "{seen}");
    // Nothing was written before that could be due; should the store flush all the same, then that is what is seen.
    if seen["busy"] == 0.0 {
        assert!(seen["says"].as_str().unwrap().starts_with("no compaction ran in 1 slice"), "{seen}");
        let shown = lab.home.run(&["show", "last", "--details"]).out.replace('\n', " ");
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

    reads_say_from_where_they_came(&lab);
}

/// Objects that a store keeps none of, and a set that fits into its memory.
fn reads_say_from_where_they_came(lab: &Lab) {
    let reads = |buffered: &str| {
        for osd in ["osd.0", "osd.1", "osd.2"] {
            let set = ["--conf", lab.conf(), "tell", osd, "config", "set", "bluestore_default_buffered_read", buffered];
            Command::new("ceph").args(set).output().unwrap();
        }
        let load = ["osd", "osd.0", "--patterns", "read-parallel", "--passes", "1", "--duration", "2s"];
        let ran = lab.run(&[&load[..], &["--working-set", "2M", "--format", "json", "--quiet"]].concat());
        assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
        let seen = background(&ran.json()).clone();
        (seen["reads"]["from_device"].as_f64().unwrap(), seen["reads"]["caches"].clone(), seen["says"].clone())
    };
    let (cold, caches, says) = reads("false");
    assert!(cold > 0.9 && caches == "cold" && says.as_str().unwrap().starts_with("cold: "), "{cold} {caches} {says}");
    // Each block comes from the device once, and then from memory; how often it is read again depends on the machine.
    let (warm, caches, says) = reads("true");
    assert!(warm < 0.75 && caches != "cold" && !says.as_str().unwrap().starts_with("cold: "), "{warm} {caches} {says}");
    let shown = lab.home.run(&["show", "last", "--details"]).out.replace('\n', " ");
    assert!(
        shown.contains("by the share of bytes that the OSDs took from their devices: osd read-parallel"),
        "{shown}"
    );
}
