//! What `fathom restore` believes, and what it leaves alone: journals of other hosts, of other places, of others' making, of live runs.

use super::unconfirmed;
use crate::common::{self, Home, Lab};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

pub const RUN: &str = "20260102-030405-a1b2";

fn journal(home: &Home) -> PathBuf {
    home.path().join("fathom/journal")
}

pub fn write_journal(home: &Home, head: &Value, entries: &[Value]) {
    fs::create_dir_all(journal(home)).unwrap();
    let lines: Vec<String> = [json!({"head": head})]
        .into_iter()
        .chain(entries.iter().map(|entry| json!({"change": entry})))
        .map(|line| line.to_string() + "\n")
        .collect();
    fs::write(journal(home).join(format!("{RUN}.journal")), lines.concat()).unwrap();
}

pub fn head(host: &str, fsid: Option<&str>) -> Value {
    json!({"run": RUN, "host": host, "pid": 1, "started": "2026-01-02T03:04:05Z", "fsid": fsid, "conf": null, "keyring": null,
        "id": null, "cluster": null})
}

fn entry(change: Value, before: Option<&str>) -> Value {
    json!({"change": change, "before": before, "undone": false})
}

pub fn host_name() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_string()
}

/// Killed while it loads a file that it made: no file of that name is ever deleted, wherever `restore` runs.
#[test]
fn a_file_that_a_killed_run_loaded_is_nobody_elses_file() {
    let home = Home::new();
    let [here, there] = ["a", "b"].map(|name| home.path().join(name));
    for folder in [&here, &there] {
        fs::create_dir(folder).unwrap();
    }
    let mut run = home.fathom(&["disk", "test.img", "--working-set", "4M", "--duration", "60s"]);
    let mut run = run.current_dir(&here).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    common::eventually("a loaded file without a name", 20, || has_nameless_file(run.id(), &here));
    // It has no name that could be in somebody's way.
    assert_eq!(fs::read_dir(&here).unwrap().count(), 0);
    for folder in [&here, &there] {
        fs::write(folder.join("test.img"), "theirs").unwrap();
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let restored = home.fathom(&["restore", "--yes"]).current_dir(&there).output().unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    for folder in [&here, &there] {
        assert_eq!(fs::read(folder.join("test.img")).unwrap(), b"theirs");
    }
    assert_eq!(fs::read_dir(journal(&home)).unwrap().count(), 0);
}

fn has_nameless_file(pid: u32, folder: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut targets = open.filter_map(|fd| fs::read_link(fd.path()).ok());
    targets.any(|target| target.starts_with(folder) && target.to_string_lossy().ends_with("(deleted)"))
}

/// As the first release wrote them, and as another host did whose home is the same.
#[test]
fn a_file_of_an_old_journal_or_of_another_host_stays() {
    for (host, change, says) in [
        (host_name(), json!({"change": "file", "path": "test.img", "bytes": 1}), "look at it, delete it"),
        ("elsewhere".to_string(), json!({"change": "file", "path": "ABSOLUTE", "bytes": 1}), "another host"),
    ] {
        let home = Home::new();
        let file = home.path().join("test.img");
        fs::write(&file, "theirs").unwrap();
        let change = serde_json::from_str(&change.to_string().replace("ABSOLUTE", file.to_str().unwrap())).unwrap();
        write_journal(&home, &head(&host, None), &[entry(change, None)]);
        let ran = home.fathom(&["restore", "--yes"]).current_dir(home.path()).output().unwrap();
        let err = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(3), "{err}");
        assert!(err.contains(says) && err.contains("test.img"), "{err}");
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
    }
}

#[test]
fn an_unreadable_journal_is_named_and_blocks_no_run() {
    let home = Home::new();
    fs::create_dir_all(journal(&home)).unwrap();
    let broken = journal(&home).join("20260102-030405-ffff.journal");
    fs::write(&broken, "{\"head\":{\"moon\":1}}\n").unwrap();
    let folder = home.path().join("load");
    fs::create_dir(&folder).unwrap();
    let load =
        ["disk", folder.to_str().unwrap(), "--patterns", "read-latency", "--working-set", "4M", "--duration", "300ms"];
    let ran = home.run(&load);
    assert!(matches!(ran.code, 0 | 4) && ran.err.contains("20260102-030405-ffff.journal"), "{}", ran.err);
    home.run(&["restore", "--yes"]).ends(1, &["20260102-030405-ffff.journal", "delete the file"]);
    assert!(broken.exists());
}

/// Journals of this host are undone although the default cluster is gone, which is told.
#[test]
fn a_default_cluster_that_does_not_answer_holds_up_no_other_journal() {
    let home = Home::new();
    let conf = home.path().join("gone.conf");
    // No monitor is named: it is not waited for.
    fs::write(&conf, "[global]\n").unwrap();
    let mut dead = Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let run = |number: u32| format!("20260102-03040{number}-a1b2");
    let left = |number: u32, fsid: Option<&str>, changes: &[Value]| {
        let mut head = head(&host_name(), fsid);
        head["run"] = json!(run(number));
        head["pid"] = json!(dead.id());
        let changes = changes.iter().map(|change| json!({"change": entry(change.clone(), None)}));
        let lines: Vec<String> =
            [json!({"head": head})].into_iter().chain(changes).map(|line| line.to_string() + "\n").collect();
        fs::create_dir_all(journal(&home)).unwrap();
        fs::write(journal(&home).join(format!("{}.journal", run(number))), lines.concat()).unwrap();
    };
    left(1, None, &[]);
    let flag = json!({"change": "flag", "name": "noscrub"});
    let fsid = Some("20b7637f-1c98-4b98-9a6c-f33d93263fa5");
    left(2, fsid, std::slice::from_ref(&flag));
    // What needs no cluster is undone.
    let own = home.path().join(format!("fathom.{}.files", run(3)));
    fs::create_dir(&own).unwrap();
    left(3, fsid, &[json!({"change": "folder", "path": own}), flag]);
    let ran = home.fathom(&["restore", "--yes"]).env("CEPH_CONF", &conf).output().unwrap();
    let err = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{err}");
    assert!(err.contains("gone.conf is not reached") && err.contains(&format!("run {}", run(2))), "{err}");
    assert!(!journal(&home).join(format!("{}.journal", run(1))).exists(), "{err}");
    for number in [2, 3] {
        assert!(journal(&home).join(format!("{}.journal", run(number))).exists(), "{err}");
    }
    assert!(!own.exists() && err.contains("what is forgotten then: flag noscrub"), "{err}");
}

/// It would be another folder in each place where the program is started.
#[test]
fn a_relative_data_home_is_not_taken() {
    let home = Home::new();
    let place = home.path().join("place");
    fs::create_dir(&place).unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_fathom"));
    run.args(["disk", "x.img", "--patterns", "read-latency", "--working-set", "4M", "--duration", "300ms"]);
    run.current_dir(&place)
        .env("XDG_DATA_HOME", "relative")
        .env("HOME", home.path())
        .env_remove("CEPH_CONF")
        .stdin(Stdio::null());
    let ran = run.output().unwrap();
    assert!(matches!(ran.status.code(), Some(0 | 4)), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
    assert!(home.path().join(".local/share/fathom/journal").is_dir());
}

/// One cluster for all of them.
#[test]
fn the_clusters_copy_is_believed_only_about_what_bears_its_run() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory"]);
    type Part = fn(&Lab);
    let parts: [(&str, Part); 5] = [
        ("forged", forged_journals_undo_nothing),
        ("not deletable", a_run_that_can_not_delete_its_pool_makes_none),
        ("held options", an_option_that_a_journal_holds_is_not_set),
        ("unconfirmed", unconfirmed::undone_only_with_proof),
        ("live", a_live_run_is_never_undone),
    ];
    for (name, part) in parts {
        let began = Instant::now();
        part(&lab);
        println!("{name}: {:?}", began.elapsed());
    }
}

fn forged_journals_undo_nothing(lab: &Lab) {
    let fsid = lab.ceph(&["fsid"]).trim().to_string();
    lab.ceph(&["config", "set", "osd", "osd_max_backfills", "4"]);
    lab.ceph(&["osd", "set", "noscrub"]);
    let own_name = format!("fathom.{RUN}.users");
    lab.ceph(&["osd", "pool", "create", &own_name, "8"]);
    lab.ceph(&["osd", "pool", "application", "enable", &own_name, "rbd"]);
    let file = lab.home.path().join("theirs");
    fs::write(&file, "theirs").unwrap();
    let pool = |name: &str| json!({"change": "pool", "name": name, "pg_num": 8, "size": null});
    let forge = |key: &str, run: &str, change: Value, before: Option<&str>| {
        let mut head = head("elsewhere", Some(&fsid));
        head["run"] = json!(run);
        let copy = json!({"head": head, "changes": [entry(change, before)]});
        lab.ceph(&["config-key", "set", &format!("fathom/journal/{key}"), &copy.to_string()]);
        copy
    };
    let before = lab.snapshot();
    let option = json!({"change": "option", "who": "osd", "name": "osd_max_backfills", "value": "4"});
    let forgeries = [
        ("20260102-030405-a1b2", RUN, pool("rbd"), None),
        ("20260102-030405-a1b2", RUN, pool(&own_name), None),
        ("20260102-030405-a1b2", RUN, json!({"change": "image", "pool": "rbd", "name": "vm-1", "bytes": 1}), None),
        ("20260102-030405-a1b2", RUN, json!({"change": "objects", "pool": "rbd", "prefix": "rbd"}), None),
        ("20260102-030405-a1b2", RUN, json!({"change": "file", "path": file, "bytes": 1}), None),
        ("20260102-030405-a1b2", RUN, json!({"change": "flag", "name": "noscrub"}), None),
        ("20260102-030405-a1b2", RUN, option.clone(), Some("9")),
        ("20260102-030405-a1b2", "../../../x", pool(&own_name), None),
        ("x/../../../y", "x/../../../y", pool(&own_name), None),
        ("20260102-030405-a1b2", "20260102-030405-ffff", pool(&own_name), None),
    ];
    for (key, run, change, earlier) in forgeries {
        forge(key, run, change.clone(), earlier);
        let ran = lab.run(&["restore", "--yes"]);
        assert!(ran.code != 0 && !ran.err.contains("panicked"), "{change}: {}", ran.err);
        if key != RUN {
            lab.ceph(&["config-key", "rm", &format!("fathom/journal/{key}")]);
        }
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        assert!(
            !lab.home.path().join("fathom/journal/x.journal").exists() && !lab.home.path().join("x.journal").exists()
        );
    }
    // Nor if the user names the run: the flag was there before the journal says that it began. And only its whole name counts.
    let flag = forge(RUN, RUN, json!({"change": "flag", "name": "noscrub"}), None);
    let epoch: Value = serde_json::from_str(&lab.ceph(&["osd", "dump", "--format", "json"])).unwrap();
    let mut copy = flag;
    copy["changes"][0]["since"] = epoch["epoch"].clone();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    copy["changes"][0]["written"] = json!(now);
    lab.ceph(&["config-key", "set", &format!("fathom/journal/{RUN}"), &copy.to_string()]);
    lab.run(&["restore", "--yes", "--run", ""]).ends(2, &["names no run"]);
    lab.run(&["restore", "--yes", "--run", &RUN[..10]]).ends(2, &["whole name"]);
    lab.run(&["restore", "--yes", "--run", RUN]).ends(3, &["own log does not show", "ceph osd unset noscrub"]);
    // Whoever named the run took its lease.
    lab.ceph(&["config-key", "rm", &format!("fathom/lease/{RUN}")]);
    lab.ceph(&["config-key", "rm", "fathom/journal/20260102-030405-a1b2"]);
    assert_eq!(lab.snapshot(), before, "something was undone");
    // An unreadable one blocks no run.
    lab.ceph(&["config-key", "set", "fathom/journal/20260102-030405-a1b2", "not json"]);
    let load = ["rados", "--quick", "--patterns", "read-latency", "--working-set", "4M"];
    let ran = lab.run(&load);
    assert!(matches!(ran.code, 0 | 4) && ran.err.contains("fathom/journal/20260102-030405-a1b2"), "{}", ran.err);
    lab.run(&["restore", "--yes"]).ends(1, &["config-key rm fathom/journal/20260102-030405-a1b2"]);
    lab.ceph(&["config-key", "rm", "fathom/journal/20260102-030405-a1b2"]);
    for undo in [["osd", "unset", "noscrub"].as_slice(), &["config", "rm", "osd", "osd_max_backfills"]] {
        lab.ceph(undo);
    }
    lab.ceph(&["osd", "pool", "delete", &own_name, &own_name, "--yes-i-really-really-mean-it"]);
}

/// Asked at once: the manager, which tells what options daemons have, hears of the change only seconds later.
fn a_run_that_can_not_delete_its_pool_makes_none(lab: &Lab) {
    let before = lab.snapshot();
    let epoch = || {
        lab.ceph(&["osd", "dump", "--format", "json"])
            .split(',')
            .find(|part| part.contains("epoch"))
            .unwrap()
            .to_string()
    };
    let forbid = |value: &str| lab.ceph(&["tell", "mon.a", "config", "set", "mon_allow_pool_delete", value]);
    let known = epoch();
    forbid("false");
    let load = ["rados", "--quick", "--patterns", "read-latency", "--working-set", "4M"];
    let mend = ["mon_allow_pool_delete = false", "ceph tell mon.a config set", "--pool"];
    lab.run(&load).ends(3, &mend);
    assert_eq!((lab.snapshot(), epoch()), (before, known));
    forbid("true");
}

fn an_option_that_a_journal_holds_is_not_set(lab: &Lab) {
    let fsid = lab.ceph(&["fsid"]).trim().to_string();
    let option = json!({"change": "option", "who": "osd", "name": "osd_max_backfills", "value": "3"});
    lab.ceph(&["config", "set", "osd", "osd_max_backfills", "3"]);
    let made = json!({"change": option, "before": null, "undone": false, "made": "set"});
    write_journal(&lab.home, &head(&host_name(), Some(&fsid)), &[made]);
    let load = [
        "rados",
        "--ab",
        "option:osd/osd_max_backfills=5",
        "--patterns",
        "read-latency",
        "--working-set",
        "4M",
        "--quick",
    ];
    lab.run(&load).ends(3, &["osd/osd_max_backfills", &format!("fathom restore --run {RUN}")]);
    lab.run(&["restore", "--yes"]).ends(0, &["undone: option osd/osd_max_backfills = 3"]);
    assert!(!lab.ceph(&["config", "dump"]).contains("osd_max_backfills"));
}

/// From another data home its lock is not seen; from another host, or another container, not even its process.
fn a_live_run_is_never_undone(lab: &Lab) {
    let before = lab.snapshot();
    let other = Home::new();
    let load =
        ["rados", "--patterns", "read-latency", "--working-set", "4M", "--duration", "100s", "--conf", lab.conf()];
    let pools = || lab.ceph(&["osd", "pool", "ls"]);
    let pool = || pools().lines().find(|pool| pool.starts_with("fathom.")).map(str::to_string);
    let mut here = Killed(other.fathom(&load).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    common::eventually("its pool", 30, || pool().is_some());
    let run = pool().unwrap()["fathom.".len()..].split('.').next().unwrap().to_string();
    lab.run(&["restore", "--yes"]).ends(0, &[]);
    lab.run(&["restore", "--yes", "--run", &run]).ends(3, &["still going on"]);
    assert!(pool().is_some(), "its pool went under load");
    here.end();
    lab.run(&["restore", "--yes"]).ends(0, &["undone: pool fathom."]);
    assert_eq!(lab.snapshot(), before);
    // Its numbers of processes are its own, as a container's.
    let mut apart = Command::new("unshare");
    apart.args(["--pid", "--fork", "--mount-proc", "--kill-child", env!("CARGO_BIN_EXE_fathom")]).args(load);
    apart.env("XDG_DATA_HOME", other.path()).env_remove("CEPH_CONF").stdin(Stdio::null());
    let said = tempfile::NamedTempFile::new().unwrap();
    let mut there = Killed(apart.stdout(Stdio::null()).stderr(said.reopen().unwrap()).spawn().unwrap());
    let lease = || lab.ceph(&["config-key", "ls"]).contains("fathom/lease/");
    common::eventually("its lease", 30, lease);
    lab.run(&["restore", "--yes"]).ends(3, &["still going on", "lease"]);
    assert!(pool().is_some(), "its pool went under load");
    // Cut off from everything for so long that it is taken for dead.
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", there.0.id())).unwrap();
    common::tool("kill", &["-STOP", children.trim()]);
    lab.run(&["restore", "--yes"]).ends(0, &["watching for 40 s", "undone: pool fathom."]);
    assert_eq!(lab.snapshot(), before);
    common::tool("kill", &["-CONT", children.trim()]);
    let ended = there.0.wait().unwrap();
    let said = fs::read_to_string(said.path()).unwrap();
    assert!(ended.code() == Some(1) && said.contains("cut off from the monitors"), "{ended}: {said}");
    assert_eq!(lab.snapshot(), before, "it touched something afterwards");
    // What was undone from elsewhere is found to be gone.
    other.run(&["restore", "--yes", "--conf", lab.conf()]).ends(0, &[]);
    assert_eq!(fs::read_dir(journal(&other)).unwrap().count(), 0);
    assert_eq!(lab.snapshot(), before);
}

struct Killed(Child);

impl Killed {
    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        self.end();
    }
}
