//! What is loaded, by other witnesses, and how it is told. These take all processors that there are.

use super::*;
use crate::common::mount::Mount;
use crate::common::{Home, Lab, Ran};
use std::collections::BTreeSet;

#[test]
fn blocks_and_names_are_measured_on_any_file_system_and_shown_again() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    theirs(folder.path());
    let path = folder.path().to_str().unwrap();
    let words = ["file", path, "--passes", "1", "--duration", "500ms", "--working-set", "16M", "--jobs", "2"];
    let tree = ["--tree", "2x3x10", "--format", "json"];
    let ran = home.run(&[&words[..], &tree].concat());
    assert!([0, 4].contains(&ran.code), "{}\n{}", ran.out, ran.err);
    let report = ran.json();
    assert_eq!(report["errors"], serde_json::json!([]));
    let done = operations(&report);
    let classes = [
        ("create-delete", "create"),
        ("create-delete", "delete"),
        ("stat", "stat"),
        ("stat-cached", "stat-cached"),
        ("open-read", "open"),
        ("list", "list"),
        ("rename", "rename"),
        ("write-latency", "write"),
        ("read-linear", "read"),
    ];
    for (pattern, class) in classes {
        let (operations, errors) = done[&(pattern.to_string(), class.to_string())];
        assert!(operations > 0 && errors == 0, "{pattern} {class}: {operations} {errors}");
    }
    // What is made is deleted, but for what each job has left when it ends.
    let [made, deleted] = ["create", "delete"].map(|class| done[&("create-delete".to_string(), class.to_string())].0);
    assert!(made.abs_diff(deleted) <= 2 * 256 + 4, "{made} {deleted}");
    let workload =
        &report["figures"].as_array().unwrap().iter().find(|one| one["kind"] == "create").unwrap()["workload"];
    assert_eq!(workload["operations"], serde_json::json!({"create": 50, "delete": 50}));
    assert_eq!((&workload["tree"]["levels"], &workload["tree"]["files"]), (&2.into(), &10.into()));
    only_theirs_is_left(folder.path());
    assert_eq!(journals(&home), 0);

    // From the archive alone: the same.
    let again = home.run(&["show", "--format", "json"]).ends(0, &[]).json();
    assert_eq!(operations(&again), done);
    let shown = home.run(&["show"]);
    shown.ends(0, &[]);
    for words in ["Files by their names", "create, write, close", "2 jobs", "9 folders (2x3) of 10 files each"] {
        assert!(shown.out.contains(words), "{words}: {}", shown.out);
    }
    // What a file server does, on more of its files than others.
    let words = ["file", path, "--patterns", "mixed", "--tree", "1x4x50", "--jobs", "4", "--passes", "1"];
    let ran = home.run(&[&words[..], &["--duration", "1s", "--format", "json"]].concat());
    let done = operations(&ran.json());
    let kinds: BTreeSet<&str> = done.keys().map(|(_, kind)| kind.as_str()).collect();
    let wanted = ["create", "append", "rewrite", "stat-cached", "open", "rename", "delete"];
    assert_eq!(kinds, BTreeSet::from(wanted));
    assert!(done.values().all(|(operations, errors)| *operations > 0 && *errors == 0), "{done:?}");
    let of = |kind: &str| done[&("mixed".to_string(), kind.to_string())].0 as f64;
    // 18 and 5 of a hundred, within six standard deviations of what is drawn by chance.
    let (append, rewrite) = (of("append"), of("rewrite"));
    assert!((append - 3.6 * rewrite).abs() < 6.0 * (append + 3.6 * 3.6 * rewrite).sqrt(), "{done:?}");
    let shown = home.run(&["show"]);
    assert!(shown.out.contains("Files in a mix") && shown.out.contains("all together"), "{}", shown.out);
    only_theirs_is_left(folder.path());
    for (mix, why) in [
        ("open=60", "60 percent in all"),
        ("create=60,delete=40", "create and delete differ"),
        ("open=50,open=50", "open is named twice"),
        ("open=50,fly=50", "`fly` is no operation"),
        ("read=50,open=50", "use open and rewrite"),
    ] {
        home.run(&["file", path, "--mix", mix, "--dry-run"]).ends(2, &[why]);
    }
    // The plan says what would be made, and nothing is.
    let dry = home.run(&["file", path, "--patterns", NAMES, "--dry-run"]);
    dry.ends(0, &[]);
    assert!(dry.out.contains(&format!("folder {path}/fathom.")), "{}", dry.out);
    only_theirs_is_left(folder.path());
}

#[test]
fn blocks_go_through_the_page_cache_where_that_is_asked_for() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    theirs(folder.path());
    let words = ["file", folder.path().to_str().unwrap(), "--option", "page-cache=on"];
    let load = ["--working-set", "16M", "--passes", "1", "--duration", "500ms", "--tree", "1x2x8"];
    let patterns = ["--patterns", "read-parallel,write-parallel,write-latency,stat", "--format", "json"];
    let ran = home.run(&[&words[..], &load, &patterns].concat());
    assert!([0, 4].contains(&ran.code), "{}\n{}", ran.out, ran.err);
    let report = ran.json();
    let (said, of) = (report["warnings"].to_string(), operations(&report));
    assert!(said.contains("go through the page cache of the host"), "{said}");
    for figure in report["figures"].as_array().unwrap() {
        let load = &figure["workload"];
        let cached = figure["pattern"] != "stat";
        assert_eq!(load["options"]["page-cache"] == "on", cached, "{figure}");
        // Nothing counts before it was flushed.
        assert!(figure["kind"] != "write" || load["durability"] != "none", "{figure}");
    }
    assert!(of.values().all(|(operations, errors)| *operations > 0 && *errors == 0), "{of:?}");
    let refused = |more: &[&str], why: &str| {
        home.run(&[&words[..], more, &["--dry-run"]].concat()).ends(2, &[why]);
    };
    refused(&["--sync", "none", "--patterns", "write-parallel"], "only this host's memory would be measured");
    refused(&["--patterns", "stat"], "the posix engine has no options");
    refused(&["--option", "page-cache=off"], "page-cache=off: page-cache is given twice");
    let wrong = ["file", words[1], "--option", "page-cache=yes", "--dry-run"];
    home.run(&wrong).ends(2, &["page-cache=yes: choose on or off"]);
    let disk = ["disk", words[1], "--option", "page-cache=on", "--dry-run"];
    home.run(&disk).ends(2, &["--option page-cache", "is no option of device", "fathom file FOLDER"]);
    only_theirs_is_left(folder.path());
    assert_eq!(journals(&home), 0);
}

#[test]
fn points_of_a_sweep_have_files_of_their_own_and_a_folder_may_be_relative() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    theirs(folder.path());
    let axes: [&[&str]; 2] =
        [&["--axis", "block-size=4k,8k"], &["--axis", "jobs=1,3", "--shared-folders", "--block-size", "4k"]];
    for axes in axes {
        for pattern in ["open-read", "stat"] {
            let words = ["sweep", "file", ".", "--patterns", pattern, "--tree", "1x2x16", "--passes", "1"];
            let rest = ["--duration", "500ms", "--format", "json"];
            let ran = Ran::of(home.fathom(&[&words[..], axes, &rest].concat()).current_dir(folder.path()));
            assert!([0, 4].contains(&ran.code), "{}\n{}", ran.out, ran.err);
            let report = ran.json();
            for figure in report["figures"].as_array().unwrap() {
                assert!(figure["operations"].as_u64().unwrap() > 0 && figure["errors"] == 0, "{figure}");
            }
        }
    }
    only_theirs_is_left(folder.path());
    assert_eq!(journals(&home), 0);
    // One in flight is one job.
    let words = ["file", ".", "--patterns", "stat", "--jobs", "16", "--depth", "1", "--dry-run", "--format", "json"];
    let plan = Ran::of(home.fathom(&words).current_dir(folder.path())).ends(0, &[]).json();
    let load = &plan["steps"][0]["workload"];
    assert_eq!((&load["jobs"], &load["depth"]), (&1.into(), &1.into()), "{plan}");
}

/// Requests of the metadata server, by its own counters.
struct Asked(BTreeMap<String, u64>);

impl Asked {
    fn of(lab: &Lab) -> Asked {
        let dump = lab.json(&["tell", "mds.a", "perf", "dump"]);
        let counters = dump["mds_server"].as_object().unwrap().iter();
        let count =
            |(name, value): (&String, &Value)| Some((name.clone(), value["avgcount"].as_u64().or(value.as_u64())?));
        Asked(counters.filter_map(count).collect())
    }

    fn since(&self, before: &Asked, name: &str) -> u64 {
        self.0[name] - before.0[name]
    }
}

#[test]
fn what_is_done_on_cephfs_reaches_its_metadata_server_and_what_is_cached_does_not() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--with", "cephfs"]);
    let mount = Mount::of(&lab);
    theirs(mount.path());
    let run = |pattern: &str| -> (Asked, Asked, Operations) {
        let before = Asked::of(&lab);
        let words = ["file", mount.text(), "--patterns", pattern, "--passes", "1", "--duration", "1s", "--jobs", "4"];
        let ran = lab.home.run(&[&words[..], &["--tree", "1x2x16", "--format", "json"]].concat());
        assert!([0, 4].contains(&ran.code), "{}\n{}", ran.out, ran.err);
        (before, Asked::of(&lab), operations(&ran.json()))
    };
    let (before, after, done) = run("create-delete");
    let of = |done: &Operations, pattern: &str, class: &str| {
        let (operations, errors) = done[&(pattern.to_string(), class.to_string())];
        assert!(operations > 20 && errors == 0, "{pattern} {class}: {operations} {errors}");
        operations
    };
    let (made, deleted) = (of(&done, "create-delete", "create"), of(&done, "create-delete", "delete"));
    assert!(after.since(&before, "req_create_latency") >= made, "{made}");
    assert!(after.since(&before, "req_unlink_latency") >= deleted, "{deleted}");
    let asked = |before: &Asked, after: &Asked| {
        ["req_getattr_latency", "req_lookup_latency"].iter().map(|name| after.since(before, name)).sum::<u64>()
    };
    let (before, after, done) = run("stat-cached");
    let cached = of(&done, "stat-cached", "stat-cached");
    // The client's cache answers many times as often as the server is asked.
    assert!(asked(&before, &after) * 10 < cached, "{} of {cached}", asked(&before, &after));
    let (before, after, done) = run("rename");
    let renamed = of(&done, "rename", "rename");
    assert!(after.since(&before, "req_rename_latency") >= renamed, "{renamed}");
    // Nobody can be sure to ask beyond ceph-fuse, which has a cache of its own.
    let refused = lab.home.run(&["file", mount.text(), "--patterns", "stat"]);
    refused.ends(2, &["FUSE", "stat-cached instead of stat"]);
    let other = Mount::of(&lab);
    let dry = lab.home.run(&["file", mount.text(), "--dry-run"]);
    dry.ends(0, &["is of fuse.ceph-fuse", "may be mounts of the same file system", other.text()]);
    assert!(dry.out.contains("(fuse.ceph-fuse)") && !dry.out.contains(" stat "), "{}", dry.out);
    what_a_quota_leaves_is_the_room(&lab, &mount);
    only_theirs_is_left(mount.path());
    assert_eq!(journals(&lab.home), 0);
}

/// Also of a folder above.
fn what_a_quota_leaves_is_the_room(lab: &Lab, mount: &Mount) {
    let (above, below) = (mount.path().join("above"), mount.path().join("above/below"));
    std::fs::create_dir_all(&below).unwrap();
    let set = |name: &str, value: &str| {
        let code = "import os, sys; os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())";
        crate::common::tool("python3", &["-c", code, above.to_str().unwrap(), name, value]);
    };
    let dry = |pattern: &str| lab.home.run(&["file", below.to_str().unwrap(), "--patterns", pattern, "--dry-run"]);
    dry("create-delete").ends(0, &[]);
    set("ceph.quota.max_files", "100");
    dry("create-delete").ends(2, &["files and folders would be made", "what a quota leaves"]);
    set("ceph.quota.max_files", "0");
    set("ceph.quota.max_bytes", "4194304");
    dry("write-latency").ends(2, &["or a quota there, has"]);
    set("ceph.quota.max_bytes", "0");
    std::fs::remove_dir_all(above).unwrap();
}

#[test]
fn a_labs_file_system_is_loaded_by_its_library_and_stands_beside_objects() {
    let lab = Lab::up(&["--hosts", "2", "--osds", "2", "--backing", "memory", "--with", "cephfs"]);
    let mount = Mount::of(&lab);
    theirs(mount.path());
    let before = Asked::of(&lab);
    let words = ["run", "--lab", &lab.name, "--layers", "rados,file", "--passes", "1", "--duration", "1s"];
    let small = ["--working-set", "16M", "--tree", "1x2x8", "--format", "json"];
    let small = [&small[..], &["--patterns", "write-latency,read-parallel,create-delete,open-read,rename"]].concat();
    let ran = lab.home.run(&[&words[..], &small].concat());
    assert!([0, 4].contains(&ran.code), "{}\n{}", ran.out, ran.err);
    let (report, after) = (ran.json(), Asked::of(&lab));
    assert_eq!(report["errors"], serde_json::json!([]));
    let figures: Vec<&Value> =
        report["figures"].as_array().unwrap().iter().filter(|figure| figure["layer"] == "file").collect();
    assert_eq!(figures.len(), 6, "{figures:?}");
    for figure in &figures {
        assert_eq!(figure["target"], "cephfs (libcephfs)");
        assert!(figure["operations"].as_u64().unwrap() > 10 && figure["errors"] == 0, "{figure}");
    }
    let of = |class: &str| {
        let own = figures.iter().find(|figure| figure["kind"] == class && figure["pattern"] != "write-latency");
        own.unwrap()["operations"].as_u64().unwrap()
    };
    for (counter, class) in
        [("req_create_latency", "create"), ("req_unlink_latency", "delete"), ("req_rename_latency", "rename")]
    {
        assert!(after.since(&before, counter) >= of(class), "{counter}: {} of {class}", of(class));
    }
    // A file system's time at the metadata server, by its own counters, though the agents of both hosts see it.
    let parts = |pattern: &str| {
        let mut all = report["latency_parts"].as_array().unwrap().iter();
        all.find(|one| one["layer"] == "file" && one["pattern"] == pattern).unwrap_or_else(|| panic!("{pattern}"))
    };
    let ms = |of: &Value, part: &str| {
        let mut all = of["parts"].as_array().unwrap().iter();
        all.find(|one| one["part"] == part).and_then(|one| one["ms"].as_f64())
    };
    let renamed = parts("rename");
    assert!(ms(renamed, "metadata-server").unwrap() > 0.0, "{renamed}");
    assert!((0.5..1.8).contains(&renamed["requests"].as_f64().unwrap()), "{renamed}");
    assert!(ms(parts("create-delete"), "client-and-data").is_some() && ms(parts("open-read"), "osds").is_some());
    // Data goes to the OSDs without it.
    assert!(ms(parts("write-latency"), "queue").is_some() && ms(parts("write-latency"), "metadata-server").is_none());
    let doors: Vec<&str> =
        report["doors"].as_array().unwrap().iter().map(|door| door["layer"].as_str().unwrap()).collect();
    assert_eq!(doors, ["file", "file"]);
    only_theirs_is_left(mount.path());

    // From the lab's hosts: each with files of its own, and all of them together.
    let words = ["file", "--lab", &lab.name, "--hosts", "host1,host2", "--patterns", "create-delete", "--jobs", "2"];
    let ran = lab.home.run(&[&words[..], &["--passes", "1", "--duration", "1s", "--tree", "1x2x8"]].concat());
    assert!([0, 4].contains(&ran.code), "{}\n{}", ran.out, ran.err);
    assert!(ran.out.contains("2 jobs on each of 2 hosts"), "{}", ran.out);
    let targets = |report: &Value| -> BTreeSet<String> {
        let figures = report["figures"].as_array().unwrap().iter();
        figures.map(|figure| figure["target"].as_str().unwrap().to_string()).collect()
    };
    let shown = lab.home.run(&["show", "--format", "json"]).ends(0, &[]).json();
    let all = targets(&shown);
    assert!(all.len() == 3 && all.contains("cephfs (libcephfs)"), "{all:?}");
    // The metadata server served both: its requests are of the operations of both.
    let asked = shown["latency_parts"].as_array().unwrap().iter().map(|one| one["requests"].as_f64().unwrap());
    let asked: Vec<f64> = asked.collect();
    assert!(asked.len() == 2 && asked.iter().all(|asked| (0.5..1.8).contains(asked)), "{asked:?}");
    only_theirs_is_left(mount.path());
}
