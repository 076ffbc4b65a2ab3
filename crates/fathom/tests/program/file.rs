//! Files on mounted file systems: what reached the metadata server by its own counters, and that nothing is left or touched, however a run
//! ends.

use crate::common::mount::Mount;
use crate::common::{Home, Lab, Ran, eventually};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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

#[test]
fn blocks_and_names_are_measured_on_any_file_system_and_shown_again() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    theirs(folder.path());
    let path = folder.path().to_str().unwrap();
    let words = ["file", path, "--passes", "1", "--duration", "1s", "--working-set", "16M", "--jobs", "2"];
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
        assert!(operations > 100 && errors == 0, "{pattern} {class}: {operations} {errors}");
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
    // The plan says what would be made, and nothing is.
    let dry = home.run(&["file", path, "--patterns", NAMES, "--dry-run"]);
    dry.ends(0, &[]);
    assert!(dry.out.contains(&format!("folder {path}/fathom.")), "{}", dry.out);
    only_theirs_is_left(folder.path());
}

/// What one operation takes is that of so many in flight, however many jobs are asked for.
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
        let words = ["file", mount.text(), "--patterns", pattern, "--passes", "1", "--duration", "2s", "--jobs", "4"];
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
    dry.ends(0, &["is of fuse.ceph-fuse", "the same file system may be mounted at", other.text()]);
    assert!(dry.out.contains("(fuse.ceph-fuse)") && !dry.out.contains(" stat "), "{}", dry.out);
    only_theirs_is_left(mount.path());
    assert_eq!(journals(&lab.home), 0);
}

#[test]
fn a_labs_file_system_is_loaded_by_its_library_and_stands_beside_objects() {
    let lab = Lab::up(&["--hosts", "2", "--osds", "2", "--backing", "memory", "--with", "cephfs"]);
    // What a killed client held is free once its session has ended.
    lab.ceph(&["fs", "set", "cephfs", "session_timeout", "30"]);
    let mut mount = Mount::of(&lab);
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
    only_theirs_is_left(mount.path());

    // Killed, and undone from anywhere.
    let own = |mount: &Mount| {
        let mut entries = fs::read_dir(mount.path()).unwrap().map(|entry| entry.unwrap().path());
        entries.find(|path| path.to_string_lossy().ends_with(".files"))
    };
    let long = ["file", "--cephfs", "cephfs", "--patterns", "create-delete", "--tree", "1x2x16", "--duration", "20s"];
    let mut child = lab.fathom(&long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the run to make its files", 60, || {
        own(&mount).is_some_and(|own| own.join(TREE).join("job15.fathom/1.fathom/15.fathom").exists())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let folder = own(&mount).unwrap();
    fs::write(folder.join(TREE).join("job0.fathom/notes"), "theirs").unwrap();
    std::os::unix::fs::symlink(mount.join("theirs.fathom"), folder.join(TREE).join("job1.fathom/2.fathom")).unwrap();
    lab.run(&["restore", "--yes"]).ends(0, &[]);
    assert_eq!(fs::read(folder.join(TREE).join("job0.fathom/notes")).unwrap(), b"theirs");
    fs::remove_dir_all(&folder).unwrap();
    only_theirs_is_left(mount.path());
    let mut child = lab.fathom(&long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the run to make its files", 60, || {
        own(&mount).is_some_and(|own| own.join(TREE).join("job15.fathom/1.fathom/15.fathom").exists())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let folder = own(&mount).unwrap();
    // A link in the folder's place is not followed.
    let moved = mount.join("moved");
    fs::rename(&folder, &moved).unwrap();
    std::os::unix::fs::symlink(mount.join("theirs.fathom"), &folder).unwrap();
    let told = lab.run(&["restore", "--yes"]);
    told.ends(0, &[]);
    assert!(format!("{}{}", told.out, told.err).contains("what has its name now is no folder"), "{}", told.err);
    assert_eq!(fs::read(mount.join("theirs.fathom/1.fathom")).unwrap(), b"theirs");
    assert!(moved.join(TREE).exists());
    lab.run(&["file", "--cephfs", "nowhere"]).ends(2, &["no file system \"nowhere\"", "there: cephfs"]);
    lab.run(&["file", "--cephfs", "cephfs", "--patterns", "stat"]).ends(2, &["stat-cached instead"]);
    mount.unmount();
    // Without a metadata server there is nothing to measure, and the program says so in its time.
    lab.daemon("kill", "mds.a");
    let lost = lab.run(&["file", "--cephfs", "cephfs", "--patterns", "list"]);
    assert!(lost.code != 0 && !lost.err.contains("panicked"), "{}", lost.err);
}

/// A run that is far from its end, and has made its folder and its files.
fn under_way(home: &Home, path: &Path, passes: &str) -> (Child, PathBuf) {
    let words = ["file", path.to_str().unwrap(), "--patterns", "create-delete,open-read", "--tree", "1x2x16"];
    let long = ["--duration", "20s", "--passes", passes, "--jobs", "4"];
    let mut command = home.fathom(&[&words[..], &long].concat());
    let said = fs::File::create(home.path().join("said")).unwrap();
    let child = command.stdout(Stdio::null()).stderr(said).spawn().unwrap();
    let mut own = None;
    eventually("the run to make its files", 60, || {
        let mut entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        own = entries.find(|path| path.to_string_lossy().ends_with(".files"));
        own.as_ref().is_some_and(|own| own.join(TREE).join("job3.fathom/1.fathom/15.fathom").exists())
    });
    (child, own.unwrap())
}

#[test]
fn what_a_killed_run_left_is_undone_and_what_others_put_there_stays() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    theirs(folder.path());
    let (mut child, own) = under_way(&home, folder.path(), "3");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(own.exists());
    fs::write(own.join(TREE).join("job0.fathom/notes"), "theirs").unwrap();
    let told = home.run(&["restore", "--yes"]);
    told.ends(0, &[]);
    let said = format!("{}{}", told.out, told.err);
    assert!(said.contains("it holds what is not Fathom's (4096.1x2x16.fathom/job0.fathom/notes"), "{said}");
    assert_eq!(fs::read(own.join(TREE).join("job0.fathom/notes")).unwrap(), b"theirs");
    assert!(!own.join(TREE).join("job1.fathom").exists());
    fs::remove_dir_all(&own).unwrap();
    let (mut child, own) = under_way(&home, folder.path(), "3");
    child.kill().unwrap();
    child.wait().unwrap();
    home.run(&["restore", "--yes"]).ends(0, &[]);
    assert!(!own.exists());
    only_theirs_is_left(folder.path());
    assert_eq!(journals(&home), 0);
}

#[test]
fn a_mount_that_hangs_ends_the_step_and_the_run_goes_on() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--with", "cephfs"]);
    let mount = Mount::of(&lab);
    theirs(mount.path());
    let (mut child, own) = under_way(&lab.home, mount.path(), "1");
    mount.signal("STOP");
    // What hangs in the kernel ends with what it waits for, and so does the program: it has said all by then.
    eventually("the run to give up", 170, || main_thread_ended(child.id()));
    mount.signal("CONT");
    child.wait().unwrap();
    let said = fs::read_to_string(lab.home.path().join("said")).unwrap();
    assert!(said.contains("has not answered for") || said.contains("no operation completed"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    let told = lab.home.run(&["restore", "--yes"]);
    assert!([0, 1].contains(&told.code), "{}", told.err);
    lab.home.run(&["restore", "--yes"]).ends(0, &[]);
    assert!(!own.exists());
    only_theirs_is_left(mount.path());
}

/// Has the program said all that it has to say? Threads that hang in the kernel keep what is left of it.
fn main_thread_ended(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
}

/// A file system with this many inodes, on a loop device.
struct Small {
    device: String,
    folder: tempfile::TempDir,
}

impl Small {
    fn with_inodes(inodes: &str) -> Small {
        let folder = tempfile::Builder::new().prefix("fathom-small-").tempdir().unwrap();
        let image = folder.path().join("image");
        fs::File::create(&image).unwrap().set_len(64 << 20).unwrap();
        let run = |command: &mut Command| {
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_string()
        };
        run(Command::new("mkfs.ext4").args(["-q", "-N", inodes]).arg(&image));
        let device = run(Command::new("losetup").args(["--find", "--show"]).arg(&image));
        let at = folder.path().join("at");
        fs::create_dir(&at).unwrap();
        run(Command::new("mount").arg(&device).arg(&at));
        Small { device, folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("at")
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
        let _ = Command::new("losetup").args(["--detach", &self.device]).status();
    }
}

#[test]
fn where_there_is_no_room_for_files_it_is_told_and_nothing_is_left() {
    let (home, small) = (Home::new(), Small::with_inodes("96"));
    theirs(&small.path());
    let path = small.path();
    let ran = home.run(&["file", path.to_str().unwrap(), "--patterns", "stat", "--tree", "1x4x16", "--jobs", "4"]);
    assert_eq!(ran.code, 1, "{}\n{}", ran.out, ran.err);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("No space left on device") && said.contains("4096.1x4x16.fathom/job"), "{said}");
    only_theirs_is_left(&path);
    assert_eq!(journals(&home), 0);
    let ran = home.run(&["file", path.to_str().unwrap(), "--working-set", "1G"]);
    ran.ends(2, &["would be written, and its file system has", "--working-set SIZE"]);
    only_theirs_is_left(&path);
}

fn told(arguments: &[&str], code: i32, words: &[&str]) {
    let ran: Ran = Home::new().run(arguments);
    ran.ends(code, words);
}

#[test]
fn what_is_no_folder_of_files_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "theirs").unwrap();
    told(&["file", file.to_str().unwrap()], 2, &["is no folder", "fathom disk"]);
    told(&["file", "/nonexistent/x"], 2, &["/nonexistent/x", "there is no such folder"]);
    told(&["file", path, path], 2, &["is named twice"]);
    told(&["file", path, "--tree", "2x0x7"], 2, &["LEVELSxFOLDERSxFILES"]);
    told(&["file", path, "--tree", "16x99x99"], 2, &["have to be made one by one first"]);
    told(&["file", path, "--patterns", "stat", "--depth", "4", "--jobs", "2"], 2, &["use as many jobs as depth"]);
    told(
        &["file", path, "--patterns", "stat", "--block-size", "8"],
        2,
        &["no room for what tells whether they are whole"],
    );
    told(&["run", "--layers", "network", "--folder", path], 2, &["--folder", "file layer"]);
    told(&["run", "--layers", "file"], 2, &["no file system is named"]);
    assert_eq!(fs::read(&file).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
