//! `kill -9` at random instants of runs, of `restore`, and of two runs in a row: afterwards everything is as before, and nothing of others was
//! touched. `FATHOM_KILLS=100` (`make kills`) says how many; `FATHOM_SEED` repeats a series.

use crate::common::{self, Lab, Lent};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// As many as fit into a minute.
const KILLS: u32 = 12;

#[test]
fn kills_at_random_instants_leave_nothing_and_touch_nothing_foreign() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let (most, seed) =
        (number("FATHOM_KILLS").unwrap_or(KILLS.into()) as u32, number("FATHOM_SEED").unwrap_or_else(rand::random));
    println!("seed {seed}");
    let lab = Lab::up(&["--osds", "1", "--backing", "memory"]);
    let files = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    foreign_things(&lab, files.path());
    make_cautious(&lab);
    let before = everything(&lab, files.path());
    at_once(&lab);
    assert_eq!(everything(&lab, files.path()), before, "runs at once left something");
    let (mut chance, mut kills, began) = (StdRng::seed_from_u64(seed), 0, Instant::now());
    while kills < most {
        let mut story = Vec::new();
        let runs = if chance.random_bool(0.3) { 2 } else { 1 };
        for _ in 0..runs {
            kills += killed(&lab, plan(&mut chance, files.path()), chance.random_range(20..4_500), &mut story);
        }
        if chance.random_bool(0.4) {
            let restore = vec!["restore".to_string(), "--yes".to_string()];
            kills += killed(&lab, restore, chance.random_range(0..700), &mut story);
        }
        let restored = lab.run(&["restore", "--yes"]);
        assert_eq!(restored.code, 0, "{story:?} (seed {seed}): {}", restored.err);
        assert_eq!(everything(&lab, files.path()), before, "{story:?} (seed {seed})");
        let journals = lab.home.path().join("fathom/journal");
        assert_eq!(fs::read_dir(journals).map_or(0, Iterator::count), 0, "a journal was left: {story:?} (seed {seed})");
    }
    println!("{kills} kills in {:?}", began.elapsed());
}

/// Pools of one replica and the deletion of pools have to be allowed first, and forbidden again.
fn make_cautious(lab: &Lab) {
    let conf = fs::read_to_string(lab.conf()).unwrap();
    let lines = conf.lines().filter(|line| !line.starts_with("mon allow pool"));
    fs::write(lab.conf(), lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    lab.daemon("kill", "mon.a");
    lab.daemon("start", "mon.a");
    for option in ["mon_allow_pool_size_one", "mon_allow_pool_delete"] {
        lab.ceph(&["config", "set", "mon", option, "false"]);
    }
    // Of a killed client an OSD takes note after 30 s; until then its images can't be deleted.
    lab.ceph(&["config", "set", "osd", "osd_client_watch_timeout", "3"]);
}

fn foreign_things(lab: &Lab, files: &Path) {
    for (pool, application) in [("named", "rbd"), ("fathom.20200101-000000-aaaa.theirs", "rgw")] {
        // What the autoscaler wants as well: it changes nothing.
        lab.ceph(&["osd", "pool", "create", pool, "32"]);
        lab.ceph(&["osd", "pool", "application", "enable", pool, application]);
    }
    // What librbd keeps in a pool from its first image, and from the first one that is removed.
    lab.rbd(&["create", "named/first", "--size", "8M"]);
    lab.rbd(&["rm", "named/first", "--no-progress"]);
    lab.ceph(&["osd", "pool", "set", "named", "pg_autoscale_mode", "on"]);
    lab.rbd(&["create", "named/vm-1", "--size", "8M"]);
    lab.rbd(&["create", "named/fathom.theirs", "--size", "8M"]);
    for object in ["theirs", "fathom.", "fathom.20200101-000000-aaaa.0"] {
        common::tool("rados", &["--conf", lab.conf(), "-p", "named", "put", object, "/etc/hostname"]);
    }
    lab.ceph(&["config", "set", "osd", "osd_recovery_max_active", "5"]);
    lab.ceph(&["osd", "set", "nodeep-scrub"]);
    lab.ceph(&["config-key", "set", "fathom-notes", "ours, not yours"]);
    fs::write(files.join("theirs.img"), "theirs").unwrap();
    fs::write(files.join(".fathom.20200101-000000-aaaa.0000000000000000"), "").unwrap();
    std::os::unix::fs::symlink("/nowhere", files.join("dangling")).unwrap();
}

fn plan(chance: &mut StdRng, files: &Path) -> Vec<String> {
    let (folder, file) = (files.display().to_string(), files.join("new.img").display().to_string());
    let plans: [&[&str]; 6] = [
        &[
            "run",
            "--layers",
            "device,osd,rados,rbd",
            "--quick",
            "--quiesce",
            "--working-set",
            "16M",
            "--device",
            &folder,
        ],
        &["rbd", "--pool", "named", "--quick", "--working-set", "16M"],
        &["rados", "--pool", "named", "--quick", "--quiesce", "--working-set", "16M"],
        &[
            "rados",
            "--quick",
            "--working-set",
            "4M",
            "--ab",
            "option:osd/osd_max_backfills=7",
            "--patterns",
            "read-latency",
        ],
        &["rbd", "--quick", "--quiesce", "--working-set", "8M"],
        &["disk", &file, "--quick", "--working-set", "8M"],
    ];
    plans[chance.random_range(0..plans.len())].iter().map(|word| word.to_string()).collect()
}

/// Each of them allows what is forbidden, and forbids it again.
fn at_once(lab: &Lab) {
    let load = ["rados", "--quick", "--working-set", "4M", "--patterns", "read-latency", "--passes", "1"];
    let start = |_| lab.fathom(&load).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for mut run in (0..3).map(start).collect::<Vec<_>>() {
        let ended = run.wait().unwrap();
        assert!(matches!(ended.code(), Some(0 | 4)), "{ended}");
    }
}

/// Kills it after `after` milliseconds; 0: it had ended by itself.
fn killed(lab: &Lab, words: Vec<String>, after: u64, story: &mut Vec<String>) -> u32 {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut child = lab.fathom(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(after));
    let ended = child.try_wait().unwrap();
    let _ = child.kill();
    child.wait().unwrap();
    story.push(format!(
        "{} {after} ms{}",
        words.join(" "),
        ended.map_or(String::new(), |code| format!(", had ended: {code}"))
    ));
    u32::from(ended.is_none())
}

/// Pools with their settings, images, flags, options, keys with their values, objects of the pool that was there, files.
fn everything(lab: &Lab, files: &Path) -> String {
    let keys = lab.ceph(&["config-key", "dump", "fathom"]);
    let objects = common::tool("rados", &["--conf", lab.conf(), "-p", "named", "ls", "--all"]);
    let mut objects: Vec<&str> = objects.lines().collect();
    objects.sort_unstable();
    let listed = Command::new("find").args([files.to_str().unwrap(), "-printf", "%P %y %s %i %l\n"]).output().unwrap();
    let mut listed: Vec<String> = String::from_utf8(listed.stdout).unwrap().lines().map(str::to_string).collect();
    listed.sort_unstable();
    let pools = lab.ceph(&["osd", "pool", "ls", "detail", "--format", "json"]);
    let pools: serde_json::Value = serde_json::from_str(&pools).unwrap();
    let kept = ["pool_id", "pool_name", "size", "pg_num", "flags_names", "pg_autoscale_mode", "application_metadata"];
    let pools: Vec<_> = pools.as_array().unwrap().iter().map(|pool| kept.map(|key| pool[key].clone())).collect();
    // The folder itself changes its size as names come and go.
    let listed: Vec<&String> = listed.iter().filter(|line| !line.starts_with(" d")).collect();
    format!("{}\n{keys}\n{objects:#?}\n{listed:#?}\n{pools:?}", lab.snapshot())
}

/// The disk of the host that crashed is gone: the cluster's copy of the journal is enough.
#[test]
fn another_host_restores_from_the_cluster_alone() {
    let lab = Lent::lab();
    let before = lab.snapshot();
    let mut run = lab.fathom(&["rados", "--quick"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    common::eventually("a temporary pool", 60, || lab.ceph(&["osd", "pool", "ls"]).contains("fathom."));
    run.kill().unwrap();
    run.wait().unwrap();
    fs::remove_dir_all(lab.home.path().join("fathom/journal")).unwrap();
    let told = lab.run(&["restore"]);
    told.ends(3, &["pool fathom.", "--yes"]);
    lab.run(&["restore", "--yes"]).ends(0, &["undone: pool fathom."]);
    assert_eq!(lab.snapshot(), before);
}

/// Killed while B's setting stands: what was not set is not set, and what was set is as it was.
#[test]
fn an_option_that_stands_for_b_comes_back_exactly() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory"]);
    let option = "osd_max_backfills";
    for set in [None, Some("2")] {
        if let Some(value) = set {
            lab.ceph(&["config", "set", "osd", option, value]);
        }
        let before = lab.snapshot();
        let setting = format!("option:osd/{option}=7");
        // Long enough for B's setting to still stand when a busy machine has seen it and killed the run.
        let load = ["rados", "--ab", &setting, "--patterns", "read-latency", "--working-set", "8M", "--duration", "8s"];
        let mut run = lab.fathom(&load).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let stands = || lab.ceph(&["config", "get", "osd", option]).trim() == "7";
        common::eventually("B's setting", 120, stands);
        run.kill().unwrap();
        run.wait().unwrap();
        assert!(stands(), "it was put back before the run was killed");
        lab.run(&["restore", "--yes"]).ends(0, &[&format!("undone: option osd/{option} = 7")]);
        assert_eq!(lab.snapshot(), before, "{set:?}");
    }
}
